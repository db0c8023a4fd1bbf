import ResultColumns

/// The smallest difference between caches that a report names.
///
/// The conclusions, the marks of tables, the charts and `advise` rank caches only by larger differences.
/// Comparisons of results with earlier ones have thresholds of their own, because they must find smaller changes.
public enum Tolerance {
    /// Of shares of time and of requests: a tenth of a percentage point.
    public static let share = 0.001
    /// Of bytes: one percent of the smaller amount.
    public static let bytes = 0.01

    /// Returns the largest difference at which two figures count as equal: 0 for units without a tolerance.
    package static func of(_ one: Double, _ other: Double, _ unit: Unit) -> Double {
        switch unit {
        case .ratio: share
        case .bytes: min(abs(one), abs(other)) * bytes
        default: 0
        }
    }

    /// Whether two figures differ by no more than the tolerance. The last digits do not count.
    package static func ties(_ one: Double, _ other: Double, _ unit: Unit) -> Bool {
        one == other || abs(one - other) <= of(one, other, unit) * (1 + 1e-9)
    }
}
