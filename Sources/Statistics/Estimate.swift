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
