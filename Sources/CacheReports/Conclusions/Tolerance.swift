/// The smallest difference between caches that a report names.
///
/// The conclusions, the marks of tables, the charts and `advise` rank caches only by larger differences.
/// ``SmallestEffect`` is for comparisons of results with earlier ones, which must find smaller changes.
public enum Tolerance {
    /// Of shares of time and of requests: a tenth of a percentage point.
    public static let share = 0.001
    /// Of bytes: one percent of the smaller amount.
    public static let bytes = 0.01
    /// The least height of an axis, as a multiple of the tolerance: a difference within the tolerance takes at most a
    /// tenth of the axis.
    static let leastSpan = 10.0

    /// Returns the largest difference at which two figures count as equal: 0 for units without a tolerance.
    static func of(_ one: Double, _ other: Double, _ unit: Unit) -> Double {
        switch unit {
        case .ratio: share
        case .bytes: min(abs(one), abs(other)) * bytes
        default: 0
        }
    }

    /// Whether two figures differ by no more than the tolerance. The last digits do not count.
    static func ties(_ one: Double, _ other: Double, _ unit: Unit) -> Bool {
        one == other || abs(one - other) <= of(one, other, unit) * (1 + 1e-9)
    }

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
