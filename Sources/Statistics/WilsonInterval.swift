/// The 95 % confidence interval of a share of independent observations.
///
/// With *p* the share, *n* the observations and *z* = 1.959964, the interval is
/// (*p* + *z*² / 2*n* ± *z* · √(*p*(1 − *p*) / *n* + *z*² / 4*n*²)) / (1 + *z*² / *n*).
///
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
package enum WilsonInterval {
    /// Returns the interval for `count` of `total` observations; from 0 to 1 if there is no observation.
    package static func ofShare(_ count: Double, of total: Int) -> ClosedRange<Double> {
        guard total > 0 else { return 0...1 }
        let z = 1.959963984540054
        let n = Double(total)
        let share = count / n
        let scale = 1 + z * z / n
        let centre = (share + z * z / (2 * n)) / scale
        let half = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / scale
        // At the ends, the formula yields exactly 0 or 1; rounding must not move them.
        let low = count == 0 ? 0 : max(centre - half, 0)
        let high = count == n ? 1 : min(centre + half, 1)
        return low...high
    }
}
