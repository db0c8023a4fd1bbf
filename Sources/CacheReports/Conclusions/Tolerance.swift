import Runs

extension Tolerance {
    /// The least height of an axis, as a multiple of the tolerance: a difference within the tolerance takes at most a
    /// tenth of the axis.
    static let leastSpan = 10.0

    /// The tolerances in words, for sentences: `0.1 points` or `1 %`.
    static func text(_ unit: Unit) -> String { unit == .ratio ? "0.1 points" : "1 %" }
}

/// The smallest difference that counts, as a share of the baseline.
public enum SmallestEffect {
    /// A tenth of a percent, for figures that do not differ by chance.
    public static let relevanceThreshold = 0.001
    /// Two percent, for measured figures.
    public static let measuredThreshold = 0.02
    /// Five percent, for measured figures of a single run, whose noise is unknown.
    static let singleRunThreshold = 0.05
}
