/// The ends of an interval that contains the population's figure with a probability of 95 %.
public struct ConfidenceInterval: Sendable, Codable, Equatable {
    /// The probability beyond each end.
    static let tail = 0.025

    public var low: Double
    public var high: Double

    public init(low: Double, high: Double) {
        self.low = low
        self.high = high
    }
}

/// A figure of a sample with its interval, or with the reason why there is none.
public struct Estimate: Sendable, Codable, Equatable {
    public enum Lack: String, Sendable, Codable, CaseIterable {
        /// All sessions are of one user, who says nothing about others.
        case oneUser = "one user"
        /// An interval of so few users would not contain the population's figure with the stated probability.
        case tooFewUsers = "too few users"
        /// The values do not differ, so the sample says nothing about how they vary.
        case allEqual = "all equal"
        /// Percentiles of the resamples need at least 39 of them.
        case tooFewResamples = "too few resamples"
    }

    public var value: Double
    public var interval: ConfidenceInterval?
    /// nil if there is an interval.
    public var lack: Lack?

    package init(_ value: Double, _ interval: ConfidenceInterval) {
        self.value = value
        self.interval = interval
    }

    package init(_ value: Double, lacking lack: Lack) {
        self.value = value
        self.lack = lack
    }
}

/// Student's interval of a mean: of independent values with about normal errors, such as the estimates of several
/// samples.
package enum MeanInterval {
    /// Returns the mean of the values, which is not empty, and the interval that contains the mean of all possible
    /// values with a probability of 95 %.
    ///
    /// There is no interval of a single value, and none of equal ones: they say nothing about how values vary.
    package static func of(_ values: [Double]) -> Estimate {
        let count = Double(values.count)
        let mean = values.reduce(0, +) / max(count, 1)
        guard values.count > 1 else { return Estimate(mean, lacking: .tooFewResamples) }
        guard let first = values.first, !values.allSatisfy({ $0 == first }) else {
            return Estimate(mean, lacking: .allEqual)
        }
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let error = (squares / (count - 1) / count).squareRoot()
        let half = quantile(upper: ConfidenceInterval.tail, degrees: values.count - 1) * error
        return Estimate(mean, ConfidenceInterval(low: mean - half, high: mean + half))
    }

    /// Returns the value that a variable with Student's distribution exceeds with a probability from 0.001 to 0.5.
    ///
    /// - Parameter degrees: The degrees of freedom, at least 1.
    static func quantile(upper probability: Double, degrees: Int) -> Double {
        let freedom = Double(degrees)
        var (low, high) = (0.0, 1_000.0)
        for _ in 0..<80 {
            let middle = (low + high) / 2
            // The probability of a value above `middle`, by the distribution function of the beta distribution.
            let tail = IncompleteBeta.regularized(freedom / (freedom + middle * middle), freedom / 2, 0.5) / 2
            if tail > probability { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
