import Runs

extension Tolerance {
    /// The least height of an axis, as a multiple of the tolerance: a difference within the tolerance takes at most a
    /// tenth of the axis.
    static let leastSpan = 10.0

    /// The standard tolerance of shares, for axes: an axis does not depend on what a reader takes for a tie.
    static let share = standard.points / 100

    /// The tolerance in words, for sentences: `0.1 points` or `1 %`.
    func text(_ unit: Unit) -> String {
        unit == .ratio ? "\(Self.number(points)) \(points == 1 ? "point" : "points")" : "\(Self.number(percent)) %"
    }
}

/// Differences beside the ``Tolerance`` that are no change, as shares of a figure. Each has a reason that the tolerance
/// does not have.
enum SmallestEffect {
    /// Between the commits of a history, of figures without noise. It is less than the tolerance, because small changes
    /// of many commits add up.
    static let ofCommits = 0.001
    /// Between two builds, of measured figures. The places of code and data in memory change measured times by some
    /// percent (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009).
    static let ofBuilds = 0.02
    /// Between measured figures of single runs, whose noise is unknown.
    static let ofSingleRuns = 0.05
}
