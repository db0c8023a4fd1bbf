import CachePolicies

/// The gaps that prices decide, in which not everything fits, and the intervals that cover such a gap.
///
/// Where everything fits, the best price is 0. An interval without a crowded gap is a hit in some best schedule.
/// Neighbouring crowded gaps between which no interval begins or ends are one *slot* with one price. This leaves a
/// fraction of a session, and changes no bound.
struct CrowdedGaps: Sendable {
    struct Candidate: BitwiseCopyable {
        /// The interval covers the slots `first` ..< `end`. `end` is at most the number of slots.
        var first, end: UInt32
        var size: Int
        var weight: Int
    }

    /// By slot: the largest amount that a schedule can hold.
    private(set) var capacities: [Int] = []
    /// By slot: the number of its gaps.
    private(set) var lengths: [Int] = []
    /// By slot: its first gap, on which ``prices(_:)`` puts the price of all.
    private var firstGaps: [Int] = []
    /// In order of their ends. Sizes are positive.
    private(set) var candidates: [Candidate] = []
    private(set) var freeWeight = 0
    private let gapCount: Int

    init(_ reuse: ReuseIntervals, _ gaps: GapCapacities) {
        gapCount = reuse.gapCount
        var isBoundary = [Bool](repeating: false, count: gapCount + 1)
        for interval in reuse.all {
            isBoundary[Int(interval.start)] = true
            isBoundary[Int(interval.end)] = true
        }
        // By gap: the number of slots that begin before it. One more than all gaps, for ends.
        var before = [UInt32](repeating: 0, count: gapCount + 1)
        var isOpen = false
        for gap in 0..<gapCount {
            if isBoundary[gap] { isOpen = false }
            before[gap] = UInt32(capacities.count) - (isOpen ? 1 : 0)
            guard gaps.loads[gap] > gaps.values[gap] else { continue }
            if isOpen {
                lengths[lengths.count - 1] += 1
            } else {
                capacities.append(gaps.values[gap])
                lengths.append(1)
                firstGaps.append(gap)
                isOpen = true
            }
        }
        before[gapCount] = UInt32(capacities.count)
        for interval in reuse.all {
            let (first, end) = (before[Int(interval.start)], before[Int(interval.end)])
            if first < end, interval.size > 0 {
                candidates.append(Candidate(first: first, end: end, size: interval.size, weight: interval.weight))
            } else {
                freeWeight += interval.weight
            }
        }
    }

    /// Returns prices by gap for prices by slot.
    func prices(_ slots: [Double]) -> [Double] {
        var prices = [Double](repeating: 0, count: gapCount)
        for (slot, price) in slots.enumerated() { prices[firstGaps[slot]] = price }
        return prices
    }

    /// The best price that is the same in all crowded gaps, as prices by slot.
    ///
    /// It is the bound of a fractional knapsack (PFOO-L), whose volume is the sum of the capacities: intervals are
    /// taken in the order of their volume for each unit of weight, and the one that is taken in part sets the price.
    ///
    /// - Complexity: O(n log n) in the number of candidates.
    var uniformPrices: [Double] {
        var gapsBefore = [0]
        for length in lengths { gapsBefore.append(gapsBefore[gapsBefore.count - 1] + length) }
        var volume = 0.0
        for slot in capacities.indices { volume += Double(capacities[slot]) * Double(lengths[slot]) }
        let offers = candidates.map { candidate in
            let length = gapsBefore[Int(candidate.end)] - gapsBefore[Int(candidate.first)]
            let volume = Double(candidate.size) * Double(length)
            return (volume: volume, price: Double(candidate.weight) / volume)
        }.sorted { $0.price > $1.price }
        var price = 0.0
        for offer in offers {
            volume -= offer.volume
            guard volume < 0 else { continue }
            price = offer.price
            break
        }
        return lengths.map { price * Double($0) }
    }
}
