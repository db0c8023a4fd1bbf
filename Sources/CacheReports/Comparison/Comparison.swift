import ReplayEngine

/// What became better and worse between two result sets, cell by cell: the gate of a pipeline.
///
/// A cell is a (trace, cache), its figures the medians of its repeats. The gated metrics, and those named in an
/// allowance, make it fail; the other metrics with a direction are shown when they changed.
///
/// How much worse a gated metric may get, unless an allowance says it:
/// - modelled timing: not at all, since equal inputs give equal bytes;
/// - measured timing: 5 % of the baseline, or what the repeats lie apart, whichever is more.
public struct Comparison: Sendable {
    public struct Finding: Sendable, Equatable {
        public enum Verdict: String, Sendable {
            case better
            case same
            /// Worse, but no more than allowed.
            case allowed
            /// Worse, in a metric that is not gated.
            case noted
            case worse
            /// The baseline has a figure, the candidate has none. Fails where the metric is gated.
            case missing
            /// The candidate has a figure, the baseline has none.
            case new
        }

        public var trace: String
        public var cache: String
        public var metric: String
        public var unit: Unit
        public var isGated: Bool
        public var baseline: Double?
        public var candidate: Double?
        /// How much worse it may get, in the metric's unit; nil when it is not gated.
        public var allowed: Double?
        public var verdict: Verdict

        public var isFailure: Bool { verdict == .worse || (verdict == .missing && isGated) }
    }

    public struct Cell: Sendable, Equatable {
        public var trace: String
        public var cache: String
    }

    public var findings: [Finding] = []
    /// In the baseline only. Such a cell fails the comparison: what is no longer measured is no longer guarded.
    public var missingCells: [Cell] = []
    /// In the candidate only.
    public var newCells: [Cell] = []
    /// Reasons to doubt that the two sets can be compared.
    public var warnings: [String] = []

    public var failures: [Finding] { findings.filter(\.isFailure) }
    public var hasWorsened: Bool { !failures.isEmpty || !missingCells.isEmpty }

    private static let measuredTolerance = 0.05

    /// - Throws: ``ResultsError`` of kind `badData` when there is no cell in common, and so nothing to judge.
    public init(baseline: ResultSet, candidate: ResultSet, allowing allowances: [Allowance] = []) throws {
        let before = baseline.cells
        let after = Dictionary(uniqueKeysWithValues: candidate.cells.map { ($0.key, $0) })
        let known = Set(before.map(\.key))
        let common = before.filter { after[$0.key] != nil }
        guard !common.isEmpty else {
            throw ResultsError(
                .badData, file: candidate.source,
                """
                no trace and cache in common with \(baseline.source); compare replays of the same traces through the \
                same caches
                """
            )
        }
        missingCells = before.map(\.key).filter { after[$0] == nil }.map { Cell(trace: $0.trace, cache: $0.cache) }
        newCells = candidate.cells.map(\.key).filter { !known.contains($0) }.map {
            Cell(trace: $0.trace, cache: $0.cache)
        }

        let allowances = Dictionary(allowances.map { ($0.metric, $0.worsening) }, uniquingKeysWith: { _, last in last })
        for old in common {
            guard let new = after[old.key] else { continue }
            findings += SummaryColumns.metrics.filter { $0.polarity != .neutral }.compactMap { metric in
                Self.judge(metric, old, new, allowances[metric.name])
            }
        }
        warnings = Self.warnings(baseline, candidate, common, after)
        for metric in allowances.keys.sorted() where !findings.contains(where: { $0.metric == metric }) {
            warnings.append("\(metric) has no figure on either side, so its --allow judges nothing")
        }
    }

    /// nil when neither side has a figure.
    private static func judge(
        _ metric: Column<RunResult>, _ old: CellFigures, _ new: CellFigures, _ allowance: Allowance.Worsening?
    ) -> Finding? {
        let baseline = old.median(metric.name)
        let candidate = new.median(metric.name)
        let isGated = metric.isGated || allowance != nil
        var finding = Finding(
            trace: old.key.trace, cache: old.key.cache, metric: metric.name, unit: metric.unit, isGated: isGated,
            baseline: baseline, candidate: candidate, allowed: nil, verdict: .same)
        guard let baseline else {
            finding.verdict = .new
            return candidate == nil ? nil : finding
        }
        let isExact = old.isExact && new.isExact
        let usual =
            isExact ? 0 : max(measuredTolerance * abs(baseline), old.spread(metric.name), new.spread(metric.name))
        let allowed = allowance?.amount(of: baseline) ?? usual
        if isGated { finding.allowed = allowed }
        guard let candidate else {
            finding.verdict = .missing
            return finding
        }
        let worsening = metric.polarity == .higherIsBetter ? baseline - candidate : candidate - baseline
        // 0.90 - 0.89 is a little more than 0.01 in binary: what the files write as equal counts as equal.
        let rounding = 1e-9 * max(1e-3, abs(baseline), abs(candidate))
        if worsening > rounding {
            finding.verdict = !isGated ? .noted : worsening > allowed + rounding ? .worse : .allowed
        } else if worsening < -rounding {
            finding.verdict = .better
        }
        return finding
    }
}
