import Basics

/// The distribution function of the beta distribution.
enum IncompleteBeta {
    /// Returns the probability that a variable with the distribution Beta(`a`, `b`) is at most `x`. The error is below
    /// 1e-9 for parameters up to 100,000.
    ///
    /// The continued fraction is that of W. Press et al., "Numerical Recipes", 3rd ed., 6.4, by Lentz's method.
    static func regularized(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        let front = PortableMath.exp(
            logGamma(a + b) - logGamma(a) - logGamma(b) + a * PortableMath.log(x) + b * PortableMath.log(1 - x))
        // The fraction converges quickly on this side of the mean only.
        return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a : 1 - front * fraction(1 - x, b, a) / b
    }

    private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        func nonzero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
        var c = 1.0
        var d = 1 / nonzero(1 - (a + b) * x / (a + 1))
        var result = d
        for step in 1...10_000 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 / nonzero(1 + even * d)
            c = nonzero(1 + even / c)
            result *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 / nonzero(1 + odd * d)
            c = nonzero(1 + odd / c)
            result *= d * c
            if abs(d * c - 1) < 1e-15 { break }
        }
        return result
    }

    /// Returns the logarithm of the gamma function of `x` > 0, by Stirling's series above 10.
    static func logGamma(_ x: Double) -> Double {
        var x = x
        var factor = 1.0
        while x < 10 {
            factor *= x
            x += 1
        }
        let square = 1 / (x * x)
        let series = (1 / 12.0 - square * (1 / 360.0 - square * (1 / 1_260.0 - square / 1_680.0))) / x
        let halfLogTau = 0.91893853320467274
        return (x - 0.5) * PortableMath.log(x) - x + halfLogTau + series - PortableMath.log(factor)
    }
}
