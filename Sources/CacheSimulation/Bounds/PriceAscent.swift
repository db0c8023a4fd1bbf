import CachePolicies

/// Better prices, round by round, in linear time each.
///
/// The value of prices is a convex function. A subgradient in a slot is its capacity less what the intervals with a
/// positive gain hold there. The direction is the mean of the last one and the new subgradient. Its length follows B.
/// Polyak's rule, with the weight of the hits of a known schedule as the target. After ten rounds without a better
/// value, the search returns to the best prices, and halves its steps.
///
/// Each round is valid by itself (see ``PriceCertificate``). Sizes count in units of the capacity.
///
/// - Complexity: O(n) a round in the number of slots and candidates.
struct PriceAscent {
    private struct Offer: BitwiseCopyable {
        var first, end: UInt32
        var size, weight: Double
    }

    private let slotCount: Int
    private let offers: UncheckedArray<Offer>
    private let offerCount: Int
    private let unit: Double
    private let freeWeight: Double
    /// By slot.
    private let capacities, prices, best, direction, subgradient: UncheckedArray<Double>
    /// By place between slots: the sum of the prices before it. One more than all slots.
    private let paid: UncheckedArray<Double>
    /// By place between slots: the sizes that begin less those that end.
    private let changes: UncheckedArray<Double>
    private(set) var bestValue: Double

    // Invariant: places are at most `slotCount`, and both arrays by place have one element more.

    /// - Parameter start: The first prices, by slot.
    init(_ gaps: CrowdedGaps, unit: Int, start: [Double]) {
        slotCount = gaps.capacities.count
        self.unit = Double(max(1, unit))
        freeWeight = Double(gaps.freeWeight)
        offerCount = gaps.candidates.count
        offers = UncheckedArray(repeating: Offer(first: 0, end: 0, size: 0, weight: 0), count: offerCount)
        for (index, candidate) in gaps.candidates.enumerated() {
            offers[index] = Offer(
                first: candidate.first, end: candidate.end, size: Double(candidate.size) / self.unit,
                weight: Double(candidate.weight))
        }
        capacities = UncheckedArray(repeating: 0, count: slotCount)
        prices = UncheckedArray(repeating: 0, count: slotCount)
        best = UncheckedArray(repeating: 0, count: slotCount)
        direction = UncheckedArray(repeating: 0, count: slotCount)
        subgradient = UncheckedArray(repeating: 0, count: slotCount)
        paid = UncheckedArray(repeating: 0, count: slotCount + 1)
        changes = UncheckedArray(repeating: 0, count: slotCount + 1)
        for slot in 0..<slotCount {
            capacities[slot] = Double(gaps.capacities[slot]) / self.unit
            prices[slot] = start[slot] * self.unit
            best[slot] = prices[slot]
        }
        bestValue = .infinity
    }

    /// Searches for prices of a low value.
    ///
    /// - Parameters:
    ///   - rounds: The number of rounds at most.
    ///   - target: The weight of the hits of a known schedule. The search ends where no schedule can have one more.
    mutating func run(rounds: Int, target: Double) {
        defer { withExtendedLifetime(self) {} }
        var (step, fruitless) = (1.0, 0)
        for _ in 0..<rounds {
            let value = evaluate()
            if value < bestValue {
                // Tiny gains do not count as progress.
                fruitless = value < bestValue - 1e-6 * abs(bestValue) || bestValue == .infinity ? 0 : fruitless + 1
                bestValue = value
                for slot in 0..<slotCount { best[slot] = prices[slot] }
            } else {
                fruitless += 1
            }
            if bestValue < target + 1 { return }
            if fruitless >= 10 {
                for slot in 0..<slotCount {
                    prices[slot] = best[slot]
                    direction[slot] = 0
                }
                (step, fruitless) = (step / 2, 0)
                _ = evaluate()
            }
            move(by: step * (value - target))
        }
    }

    /// The best prices so far, by slot.
    var bestPrices: [Double] {
        defer { withExtendedLifetime(best) {} }
        return (0..<slotCount).map { best[$0] / unit }
    }

    /// Returns the value of the prices, and computes their subgradient.
    private func evaluate() -> Double {
        var (value, sum) = (freeWeight, 0.0)
        for slot in 0..<slotCount {
            paid[slot] = sum
            sum += prices[slot]
            value += prices[slot] * capacities[slot]
            changes[slot] = 0
        }
        paid[slotCount] = sum
        changes[slotCount] = 0
        for index in 0..<offerCount {
            let offer = offers[index]
            let gain = offer.weight - offer.size * (paid[Int(offer.end)] - paid[Int(offer.first)])
            guard gain > 0 else { continue }
            value += gain
            changes[Int(offer.first)] += offer.size
            changes[Int(offer.end)] -= offer.size
        }
        var held = 0.0
        for slot in 0..<slotCount {
            held += changes[slot]
            subgradient[slot] = held - capacities[slot]
        }
        return value
    }

    private func move(by amount: Double) {
        var square = 0.0
        for slot in 0..<slotCount {
            // What would lower a price of 0 does not count.
            let push = prices[slot] > 0 ? subgradient[slot] : max(0, subgradient[slot])
            direction[slot] = (direction[slot] + push) / 2
            square += direction[slot] * direction[slot]
        }
        guard square > 0 else { return }
        let length = amount / square
        for slot in 0..<slotCount { prices[slot] = max(0, prices[slot] + length * direction[slot]) }
    }
}
