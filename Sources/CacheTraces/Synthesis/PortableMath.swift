/// Exponential and logarithm from additions, multiplications and divisions alone, which IEEE 754 fixes to the last bit.
///
/// The system's `exp` and `log` differ in their last digits between C libraries; a trace made with them would differ
/// between machines. Within 4 units in the last place of the true value.
enum PortableMath {
    // ln 2 in two parts, the first short enough that its multiples are exact.
    private static let ln2High = 0x1.62E42FEFA38p-1
    private static let ln2Low = 0x1.EF35793C7673p-45

    /// e to the power of `x`; 0 and infinity where no Double can hold it.
    static func exp(_ x: Double) -> Double {
        guard x > -700 else { return 0 }
        guard x < 700 else { return .infinity }
        let power = (x * 1.4426950408889634).rounded()
        let rest = (x - power * ln2High) - power * ln2Low
        // Taylor's series to the 13th power; |rest| is below 0.35.
        let high =
            1 / 5_040.0 + rest
            * (1 / 40_320.0 + rest
                * (1 / 362_880.0 + rest
                    * (1 / 3_628_800.0
                        + rest * (1 / 39_916_800.0 + rest * (1 / 479_001_600.0 + rest * (1 / 6_227_020_800.0))))))
        let low = 1 / 2.0 + rest * (1 / 6.0 + rest * (1 / 24.0 + rest * (1 / 120.0 + rest * (1 / 720.0 + rest * high))))
        let sum = 1 + rest * (1 + rest * low)
        return Double(sign: .plus, exponent: Int(power), significand: sum)
    }

    /// The natural logarithm of a positive number; minus infinity of 0, and not a number below.
    static func log(_ x: Double) -> Double {
        guard x > 0, x.isFinite else { return x == 0 ? -.infinity : x < 0 ? .nan : x }
        var significand = x.significand
        var exponent = Double(x.exponent)
        if significand > 1.4142135623730951 { (significand, exponent) = (significand / 2, exponent + 1) }
        // ln m = 2 artanh((m − 1) / (m + 1)); the quotient is below 0.172.
        let quotient = (significand - 1) / (significand + 1)
        let square = quotient * quotient
        var sum = 0.0
        for half in (1...11).reversed() { sum = (sum + 1 / Double(2 * half + 1)) * square }
        return exponent * ln2High + (2 * quotient * (1 + sum) + exponent * ln2Low)
    }
}
