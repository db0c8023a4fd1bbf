/// The sums of the distances of growing sequences to their medians.
enum MedianDistances {
    /// Returns, for each count from 0 to all, the sum of the distances of so many first values to their median.
    ///
    /// That sum is the sum of the upper half of the values less that of the lower half; the middle one of an odd number
    /// of values belongs to neither. A binary indexed tree over the ranks of the values has the sums.
    /// - Complexity: O(*n* log *n*).
    static func ofPrefixes(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
        var rank = [Int](repeating: 0, count: values.count)
        for (place, index) in order.enumerated() { rank[index] = place + 1 }
        var tree = RankSums(count: values.count)
        var total = 0.0
        var distances = [0.0]
        distances.reserveCapacity(values.count + 1)
        for (index, value) in values.enumerated() {
            tree.add(value, at: rank[index])
            total += value
            let count = index + 1
            distances.append(max(0, total - tree.sum(lowest: (count + 1) / 2) - tree.sum(lowest: count / 2)))
        }
        return distances
    }

    /// Numbers by rank, with the sum of the lowest ones.
    private struct RankSums {
        private var counts: [Int]
        private var sums: [Double]
        private let top: Int

        init(count: Int) {
            counts = [Int](repeating: 0, count: count + 1)
            sums = [Double](repeating: 0, count: count + 1)
            var top = 1
            while top * 2 <= count { top *= 2 }
            self.top = top
        }

        /// Adds a number. Each rank, from 1 on, has at most one.
        mutating func add(_ number: Double, at rank: Int) {
            var place = rank
            while place < counts.count {
                counts[place] += 1
                sums[place] += number
                place += place & -place
            }
        }

        /// Returns the sum of the `count` lowest numbers.
        func sum(lowest count: Int) -> Double {
            var (position, taken, sum) = (0, 0, 0.0)
            var step = top
            while step > 0 {
                let next = position + step
                if next < counts.count, taken + counts[next] <= count {
                    position = next
                    taken += counts[next]
                    sum += sums[next]
                }
                step /= 2
            }
            return sum
        }
    }
}
