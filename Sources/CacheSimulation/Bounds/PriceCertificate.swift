/// The proof of a bound: prices for the room in gaps, whose value anyone can compute in one pass.
///
/// **Statement.** Let p(k) ≥ 0 be a price for the room in gap k. Let C(k) be the largest amount that a schedule can
/// hold in gap k. No schedule has hits of more weight than
/// Σ p(k) C(k) + Σ max(0, w − s (p(i) + … + p(j−1))),
/// with the second sum over the intervals (i, j) of size s and weight w.
///
/// **Proof.** Let x be 1 for an interval that the schedule keeps, and otherwise 0. What it holds in gap k is at most
/// C(k). Its hits have the weight Σ w x ≤ Σ w x + Σ p(k) (C(k) − held(k)) = Σ p(k) C(k) + Σ x (w − s Σ p), and each x
/// is at most 1. ∎
///
/// The statement holds for any prices, however they were found. The best prices give the value of the linear program
/// FOO (D. Berger, N. Beckmann, M. Harchol-Balter, "Practical Bounds on Optimal Caching with Variable Object Sizes",
/// SIGMETRICS 2018), by duality. The same price in all gaps gives their PFOO-L.
///
/// **Arithmetic.** The prices are rounded to multiples of a power of two, and are then exact: all products and sums are
/// whole numbers of 128 bits. So the result is never too small. Rounding adds at most 2^-59 times the sum of all prices
/// times the sum of the sizes of the intervals that cover each gap.
enum PriceCertificate {
    /// Returns a weight that the hits of no schedule exceed: the value of the prices, rounded down to a multiple of the
    /// greatest common divisor of the weights, of which hits are sums.
    ///
    /// - Parameters:
    ///   - prices: By gap; a price that is negative or not finite counts as 0.
    ///   - capacities: The largest amount that a schedule can hold, by gap.
    /// - Complexity: O(n) in the number of accesses.
    static func mostHits(_ reuse: ReuseIntervals, prices: [Double], capacities: [Int]) -> Int {
        let value = value(reuse, prices: prices, capacities: capacities)
        let all = reuse.all.reduce(0) { $0 + $1.weight }
        let divisor = reuse.weightDivisor
        return Int(min(value.units >> Int128(value.exponent), Int128(all))) / divisor * divisor
    }

    /// Returns the value of prices in units of 2^-exponent.
    static func value(
        _ reuse: ReuseIntervals, prices: [Double], capacities: [Int]
    ) -> (units: Int128, exponent: Int) {
        let valid = prices.map { $0 > 0 && $0.isFinite ? $0 : 0 }
        let sum = valid.reduce(0, +)
        let all = reuse.all.reduce(0) { $0 + $1.weight }
        // Prices of such a sum are worth nothing.
        guard sum < 0x1p60 else { return (Int128(all), 0) }
        // 2^-exponent is the unit of prices. Their sum has at most 61 bits, and the sum of all weights at most 125. A
        // capacity and a size have at most 63. So no product and no sum below has more than 126 bits.
        let weightBits = Int.bitWidth - all.leadingZeroBitCount
        let exponent = sum > 0 ? min(60 - Int(sum.exponent), 125 - weightBits) : 0
        let scale = Double(sign: .plus, exponent: exponent, significand: 1)
        var value: Int128 = 0
        var paid = [0]
        paid.reserveCapacity(valid.count + 1)
        for (gap, price) in valid.enumerated() {
            let price = Int((price * scale).rounded(.down))
            paid.append(paid[gap] + price)
            value += Int128(price) * Int128(capacities[gap])
        }
        for interval in reuse.all {
            let price = Int128(paid[Int(interval.end)] - paid[Int(interval.start)])
            value += max(0, Int128(interval.weight) << Int128(exponent) - Int128(interval.size) * price)
        }
        return (value, exponent)
    }
}
