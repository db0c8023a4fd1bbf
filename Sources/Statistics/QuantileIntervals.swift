import Basics

/// Quantiles of samples, and their 95 % intervals.
package enum SampleQuantile {
    /// Returns the quantile of sorted values by linear interpolation between the values at ranks 1 + (n - 1) · share:
    /// type 7 of R. Hyndman and Y. Fan (1996), the default of R and NumPy. `sorted` is not empty.
    package static func value(_ share: Double, of sorted: [Double]) -> Double {
        value(rank: 1 + Double(sorted.count - 1) * share, of: sorted)
    }

    /// Returns the value at a rank from 1, interpolated between whole ranks.
    package static func value(rank: Double, of sorted: [Double]) -> Double {
        let rank = min(max(rank, 1), Double(sorted.count))
        let low = Int(rank)
        let high = min(low + 1, sorted.count)
        let rest = rank - Double(low)
        let (below, above) = (sorted[low - 1], sorted[high - 1])
        // No rounding between equal values.
        return below == above ? below : below + rest * (above - below)
    }
}

/// The ranks whose values enclose a quantile of the population with 95 % probability, whatever the distribution.
///
/// In a sample of n independent values, the r-th smallest lies at a share of the population that has the distribution
/// Beta(r, n + 1 - r). The ends are the ranks at which the wanted share is the 97.5 % and the 2.5 % point of that
/// distribution; ranks need not be whole (A. Hutson, "Calculating nonparametric confidence intervals for quantiles
/// using fractional order statistics", 1999).
struct QuantileRanks: Sendable {
    let low: Double
    let high: Double

    /// Returns nil if a rank would be below 1 or above `size`: below 6 values for the median, 13 for quartiles and 72
    /// for the 5th and 95th percentile.
    /// - Parameter size: The number of independent values, which need not be whole.
    init?(_ share: Double, size: Double) {
        guard let low = Self.low(share, size), let mirrored = Self.low(1 - share, size) else { return nil }
        self.low = low
        high = size + 1 - mirrored
    }

    private static func low(_ share: Double, _ size: Double) -> Double? {
        func excess(_ rank: Double) -> Double {
            IncompleteBeta.regularized(share, rank, size + 1 - rank) - (1 - ConfidenceInterval.tail)
        }
        var (low, high) = (1.0, size)
        guard size >= 1, excess(low) >= 0 else { return nil }
        // The probability falls with the rank. The result does not depend on the machine: no step tests for equality.
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if excess(middle) >= 0 { low = middle } else { high = middle }
        }
        return low
    }
}

/// Computes the intervals of quantiles of one figure.
package struct QuantileIntervals {
    /// The ranks of the sizes that occurred, which are few: without several sessions per user there is one.
    private var known: [Size: QuantileRanks?] = [:]

    package init() {}

    private struct Size: Hashable {
        var share: Double
        var size: Double
    }

    /// The least number of users on each side of a quantile over sessions: below it, the estimate of the effective
    /// number of sessions is too uncertain. See the page Fleets.
    static let leastUsersBeside = 15.0

    /// Returns the interval of a quantile over users, which are independent. `sorted` is not empty.
    package mutating func users(_ share: Double, _ sorted: [Double]) -> Estimate {
        let value = SampleQuantile.value(share, of: sorted)
        guard sorted.count > 1 else { return Estimate(value, lacking: .oneUser) }
        guard let ranks = ranks(share, Double(sorted.count)) else {
            return Estimate(value, lacking: .tooFewUsers)
        }
        return Estimate(
            value,
            ConfidenceInterval(
                low: SampleQuantile.value(rank: ranks.low, of: sorted),
                high: SampleQuantile.value(rank: ranks.high, of: sorted)))
    }

    /// Returns the interval of a quantile over sessions. Some sessions may belong to the same user.
    ///
    /// The sessions count as as many independent ones as would give the share of sessions below the quantile its
    /// variance between users (E. Korn and B. Graubard, "Confidence intervals for proportions with small expected
    /// number of positive counts", 1998), and the interval of that share is carried over to the values (R. Woodruff,
    /// "Confidence intervals for medians and other position measures", 1952).
    /// - Parameters:
    ///   - users: The values of each user's sessions; no user is without one.
    ///   - sorted: All values.
    package mutating func sessions(_ share: Double, _ users: [ArraySlice<Double>], _ sorted: [Double]) -> Estimate {
        guard users.count < sorted.count else { return self.users(share, sorted) }
        let value = SampleQuantile.value(share, of: sorted)
        guard users.count > 1 else { return Estimate(value, lacking: .oneUser) }
        let count = Double(sorted.count)
        let squares = users.reduce(0.0) { $0 + Double($1.count * $1.count) }
        // With clusters of unequal size, as many users of equal size would give a mean the same variance.
        let effectiveUsers = count * count / squares
        guard effectiveUsers * min(share, 1 - share) >= Self.leastUsersBeside else {
            return Estimate(value, lacking: .tooFewUsers)
        }
        let below = users.map { own in Double(own.count { $0 <= value }) }
        let shareBelow = below.reduce(0, +) / count
        let spread = zip(below, users).reduce(0.0) { sum, user in
            let rest = user.0 - shareBelow * Double(user.1.count)
            return sum + rest * rest
        }
        let freedom = Double(users.count - 1)
        let variance = spread / (count * count) * Double(users.count) / freedom
        let single = shareBelow * (1 - shareBelow) / count
        // Without sessions above the quantile there is no variance: users then count as alike in all of their sessions.
        let design = single > 0 ? max(1, variance / single) : squares / count
        // Student's t for the normal distribution's 1.96, by the first term of its expansion: z + (z³ + z) / 4ν.
        let student = 1 + 1.2104 / freedom
        let size = count / (design * student * student)
        guard let ranks = ranks(share, size) else { return Estimate(value, lacking: .tooFewUsers) }
        let scale = (count + 1) / (size + 1)
        return Estimate(
            value,
            ConfidenceInterval(
                low: SampleQuantile.value(rank: ranks.low * scale, of: sorted),
                high: SampleQuantile.value(rank: ranks.high * scale, of: sorted)))
    }

    private mutating func ranks(_ share: Double, _ size: Double) -> QuantileRanks? {
        let key = Size(share: share, size: size)
        if let ranks = known[key] { return ranks }
        let ranks = QuantileRanks(share, size: size)
        known[key] = .some(ranks)
        return ranks
    }
}

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

/// The distribution function of the beta distribution.
enum IncompleteBeta {
    /// Returns the probability that a variable with the distribution Beta(`a`, `b`) is at most `x`. The error is below
    /// 1e-9 for parameters up to 100,000.
    ///
    /// The continued fraction comes from W. Press et al., "Numerical Recipes", 3rd ed., 6.4, by Lentz's method.
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
