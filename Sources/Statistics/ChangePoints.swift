import Basics

/// The places where the level of a sequence of figures changes.
///
/// Figures without noise change where they differ by more than ``smallestStep``. Measured ones change if one of their
/// splits has sides that differ more in their ranks than any split of ``permutations`` seeded random orders of
/// the same figures; see A. N. Pettitt, "A non-parametric approach to the change-point problem", Applied Statistics 28
/// (1979). The place is the split whose sides are closest to their medians. It counts if the medians differ by
/// more than ``smallestShift``. Both sides are then searched in the same way.
package struct ChangePoints {
    /// The number of random orders. Without a change, one sequence in ``permutations`` + 1 has a change by chance.
    static let permutations = 999
    /// The fewest figures of a measured level.
    static let fewest = 3

    /// The share of a figure without noise by which it differs from its predecessor, at least, after a change.
    private let smallestStep: Double
    /// The share of a median by which the medians of measured levels differ, at least.
    private let smallestShift: Double

    package init(smallestStep: Double, smallestShift: Double) {
        self.smallestStep = smallestStep
        self.smallestShift = smallestShift
    }

    package struct Place: Equatable {
        /// The index of the first figure of the new level.
        package var index: Int
        /// The medians of the levels before and after.
        package var before: Double
        package var after: Double
    }

    /// - Complexity: O(*n*) for exact figures; O(*n* · ``permutations`` + *n* log *n*) for each measured level.
    package func find(_ values: [Double], isExact: Bool) -> [Place] {
        let starts = isExact ? steps(values) : splits(values, 0..<values.count)
        let bounds = [0] + starts + [values.count]
        return starts.indices.compactMap { place in
            let before = Median.ofSorted(values[bounds[place]..<bounds[place + 1]].sorted())
            let after = Median.ofSorted(values[bounds[place + 1]..<bounds[place + 2]].sorted())
            return Place(index: starts[place], before: before, after: after)
        }
    }

    private func steps(_ values: [Double]) -> [Int] {
        values.indices.dropFirst().filter {
            abs(values[$0] - values[$0 - 1]) > smallestStep * abs(values[$0 - 1])
        }
    }

    private func splits(_ values: [Double], _ range: Range<Int>) -> [Int] {
        guard range.count >= 2 * Self.fewest else { return [] }
        var ranks = Self.ranks(Array(values[range]))
        let best = Self.strongest(ranks)
        guard best.strength > 0 else { return [] }
        let split = closestSplit(values, range)
        let before = Median.ofSorted(values[range.lowerBound..<split].sorted())
        let after = Median.ofSorted(values[split..<range.upperBound].sorted())
        guard abs(after - before) > smallestShift * abs(before) else { return [] }
        var random = SplitMix64(seed: UInt64(range.count))
        for _ in 0..<Self.permutations {
            ranks.shuffle(using: &random)
            if Self.strongest(ranks).strength >= best.strength { return [] }
        }
        return splits(values, range.lowerBound..<split) + [split] + splits(values, split..<range.upperBound)
    }

    /// Returns the split whose sides are closest to their medians, by the sum of the distances.
    /// - Complexity: O(*n* log *n*).
    private func closestSplit(_ values: [Double], _ range: Range<Int>) -> Int {
        let before = MedianDistances.ofPrefixes(Array(values[range]))
        let after = MedianDistances.ofPrefixes(values[range].reversed())
        let splits = Self.fewest...(range.count - Self.fewest)
        var best = (split: Self.fewest, distance: Double.infinity)
        for split in splits {
            let distance = before[split] + after[range.count - split]
            if distance < best.distance { best = (split, distance) }
        }
        return range.lowerBound + best.split
    }

    /// Returns the mean ranks of values, less their mean, so that they add up to 0.
    private static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
            for place in start..<end { ranks[order[place]] = Double(start + end - order.count) / 2 }
            start = end
        }
        return ranks
    }

    /// Returns the number of figures before the split whose sides differ most, in units of its standard deviation.
    private static func strongest(_ ranks: [Double]) -> (place: Int, strength: Double) {
        var best = (place: 0, strength: 0.0)
        var sum = 0.0
        for place in 1..<ranks.count {
            sum += ranks[place - 1]
            guard place >= fewest, ranks.count - place >= fewest else { continue }
            // The variance of a sum of ranks grows with the product of the sides' sizes.
            let strength = abs(sum) / (Double(place) * Double(ranks.count - place)).squareRoot()
            if strength > best.strength { best = (place, strength) }
        }
        return best
    }
}
