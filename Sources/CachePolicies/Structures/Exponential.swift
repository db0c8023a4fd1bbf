/// Exponential and logarithm from additions, multiplications and divisions alone, which IEEE 754 fixes to the last bit:
/// policies that draw by weights give the same counts on every machine, which the C libraries' functions would not.
enum Exponential {
    // ln 2 in two parts, the first short enough that its multiples are exact.
    private static let ln2High = 0x1.62E42FEFA38p-1
    private static let ln2Low = 0x1.EF35793C7673p-45

    /// e to the power of `x`; 0 and infinity where it is out of reach.
    static func power(_ x: Double) -> Double {
        guard x > -700 else { return 0 }
        guard x < 700 else { return .infinity }
        let whole = (x * 1.4426950408889634).rounded()
        let rest = (x - whole * ln2High) - whole * ln2Low
        // Taylor's series by Horner's rule; |rest| is below 0.35.
        var sum = 1.0
        var term = 13.0
        while term >= 1 {
            sum = 1 + sum * rest / term
            term -= 1
        }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }

    /// The natural logarithm of a number above 0.
    static func logarithm(_ x: Double) -> Double {
        let large = x.significand > 1.4142135623730951
        let significand = large ? x.significand / 2 : x.significand
        let exponent = Double(x.exponent) + (large ? 1 : 0)
        // ln m = 2 artanh((m - 1) / (m + 1)); the quotient is below 0.172.
        let quotient = (significand - 1) / (significand + 1)
        var sum = 0.0
        for half in (1...11).reversed() { sum = (sum + 1 / Double(2 * half + 1)) * quotient * quotient }
        return exponent * ln2High + (2 * quotient * (1 + sum) + exponent * ln2Low)
    }
}
