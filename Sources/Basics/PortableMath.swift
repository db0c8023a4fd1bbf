/// Exponential and logarithm functions that return the same bits on every machine.
///
/// They consist of additions, multiplications and divisions, which IEEE 754 specifies to the last bit. The system's
/// `exp` and `log` differ in their last digits between C libraries, so results that depend on them differ between
/// machines. Results are within 4 units in the last place of the true value.
public enum PortableMath {
    // ln 2 in two parts, the first short enough that its multiples are exact.
    private static let ln2High = 0x1.62E42FEFA38p-1
    private static let ln2Low = 0x1.EF35793C7673p-45

    /// Returns e to the power of `x`: 0 below -700, and infinity above 700.
    public static func exp(_ x: Double) -> Double {
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

    /// Returns the natural logarithm of `x`: minus infinity for 0, and NaN for a negative number.
    public static func log(_ x: Double) -> Double {
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

    /// Returns e to the power of `x`, minus 1, without the loss of digits that the subtraction has near 0.
    public static func expm1(_ x: Double) -> Double {
        guard abs(x) < 0.35 else { return exp(x) - 1 }
        // Taylor's series by Horner's rule.
        var sum = 1.0
        for term in (2...13).reversed() { sum = 1 + sum * x / Double(term) }
        return x * sum
    }

    /// Returns 2 to the power of `x`. `x` is from -1000 to 1000.
    public static func exp2(_ x: Double) -> Double {
        let power = x.rounded()
        return Double(sign: .plus, exponent: Int(power), significand: exp((x - power) * 0x1.62E42FEFA39EFp-1))
    }

    /// Returns the logarithm of `x` to base 2.
    public static func log2(_ x: Double) -> Double { log(x) / 0x1.62E42FEFA39EFp-1 }
}
