import CachePolicies

/// A schedule that is hard to beat: intervals in some order, each kept if it fits into all of its gaps.
///
/// A tree stores the content of each gap. Each node has the largest content of the gaps below it, and the amount that
/// was added to all of them. Adding and asking therefore climb from the leaves to the root once.
struct Packing {
    private let reuse: ReuseIntervals
    /// The number of leaves: a power of two, at least the number of gaps.
    private let leaves: Int
    /// By node, from 1; the children of node k are 2 k and 2 k + 1, and the leaves begin at `leaves`.
    ///
    /// Invariant: nodes are below 2 `leaves`, and gaps below `leaves`.
    private let most, added: UncheckedArray<Int>

    init(_ reuse: ReuseIntervals) {
        self.reuse = reuse
        var leaves = 1
        while leaves < reuse.gapCount { leaves *= 2 }
        self.leaves = leaves
        most = UncheckedArray(repeating: 0, count: 2 * leaves)
        added = UncheckedArray(repeating: 0, count: 2 * leaves)
    }

    /// Returns the weight of the hits of the schedule that takes intervals in the order of what they cost for each unit
    /// of their weight.
    ///
    /// - Parameter prices: The price of room by gap; nil for the same one in all gaps.
    /// - Complexity: O(n log n) in the number of accesses.
    func hits(prices: [Double]? = nil) -> Int {
        defer { withExtendedLifetime((most, added)) {} }
        most.reset()
        added.reset()
        var paid = [0.0]
        if let prices {
            paid.reserveCapacity(prices.count + 1)
            for price in prices { paid.append(paid[paid.count - 1] + price) }
        }
        let offers = reuse.all.indices.map { index in
            let interval = reuse.all[index]
            let (size, weight) = (Double(interval.size), Double(interval.weight))
            let cost = prices == nil ? 0 : paid[Int(interval.end)] - paid[Int(interval.start)]
            return (cost: size * cost / weight, volume: size * Double(interval.length) / weight, index: index)
        }.sorted { ($0.cost, $0.volume, $0.index) < ($1.cost, $1.volume, $1.index) }
        var weight = 0
        var isKept = [Bool](repeating: false, count: offers.count)
        for offer in offers {
            let interval = reuse.all[offer.index]
            let size = reuse.reserved[Int(interval.object)]
            guard size <= reuse.capacity, content(interval) <= reuse.capacity - size else { continue }
            add(size, to: interval)
            weight += interval.weight
            isKept[offer.index] = true
        }
        return weight - lost(isKept)
    }

    /// Returns the weight of the kept intervals whose object is not there, because a fetch has failed.
    private func lost(_ isKept: [Bool]) -> Int {
        var lost = 0
        var fetches: [Int: Int] = [:]
        // By object: the last access after which it could be kept.
        var stored: [Int: Int] = [:]
        for access in reuse.doubtful {
            let kept = reuse.interval(endingAt: access.access).flatMap { isKept[$0] ? reuse.all[$0] : nil }
            if let kept, stored[access.object] == Int(kept.start) {
                stored[access.object] = access.access
                continue
            }
            lost += kept?.weight ?? 0
            let fetch = fetches[access.key, default: 0]
            fetches[access.key] = fetch + 1
            if access.outcomes[min(fetch, access.outcomes.count - 1)] { stored[access.object] = access.access }
        }
        return lost
    }

    private func content(_ interval: ReuseIntervals.Interval) -> Int {
        var (left, right) = (leaves + Int(interval.start), leaves + Int(interval.end) - 1)
        var (mostLeft, mostRight) = (most[left], most[right])
        // Both climb to children of one node. Nodes between them are looked at on the way.
        while left >> 1 != right >> 1 {
            if left & 1 == 0 { mostLeft = max(mostLeft, most[left ^ 1]) }
            if right & 1 == 1 { mostRight = max(mostRight, most[right ^ 1]) }
            left >>= 1
            right >>= 1
            mostLeft += added[left]
            mostRight += added[right]
        }
        var content = max(mostLeft, mostRight)
        while left > 1 {
            left >>= 1
            content += added[left]
        }
        return content
    }

    private func add(_ size: Int, to interval: ReuseIntervals.Interval) {
        var (left, right) = (leaves + Int(interval.start), leaves + Int(interval.end))
        let (first, last) = (left, right - 1)
        while left < right {
            if left & 1 == 1 {
                most[left] += size
                added[left] += size
                left += 1
            }
            if right & 1 == 1 {
                right -= 1
                most[right] += size
                added[right] += size
            }
            left >>= 1
            right >>= 1
        }
        update(above: first)
        update(above: last)
    }

    private func update(above leaf: Int) {
        var node = leaf >> 1
        while node >= 1 {
            most[node] = max(most[2 * node], most[2 * node + 1]) + added[node]
            node >>= 1
        }
    }
}
