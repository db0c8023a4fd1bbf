import Foundation
import ReplayEngine

/// The differences between two result sets, for a gate in a build pipeline.
///
/// Runs are grouped by trace and cache, and each figure of a group is the median of its repeats. The gated metrics, and
/// those that an allowance names, make the comparison fail. The other metrics with a direction are only reported.
///
/// A gated metric without an allowance may get worse by this much:
/// - with modelled and instant timing, by ``SmallestEffect/share`` of the baseline; by nothing if the comparison is
///   exact, because equal inputs give equal figures;
/// - with measured timing, by 5 % of the baseline, or by the distance between the repeats if that is more.
public struct Comparison: Sendable {
    public struct Finding: Sendable, Equatable {
        public enum Verdict: String, Sendable {
            case better
            case same
            /// Worse, by no more than allowed.
            case allowed
            /// Worse, in a metric that is not gated.
            case noted
            case worse
            /// Only the baseline has a figure. It fails if the metric is gated.
            case missing
            /// Only the candidate has a figure.
            case new
        }

        public var trace: String
        public var cache: String
        public var metric: String
        public var unit: Unit
        public var isGated: Bool
        public var baseline: Double?
        public var candidate: Double?
        /// How much worse the figure may get, in the metric's unit, or nil if the metric is not gated.
        public var allowed: Double?
        public var verdict: Verdict

        public var isFailure: Bool { verdict == .worse || (verdict == .missing && isGated) }
    }

    /// One trace through one cache.
    public struct Pair: Sendable, Equatable {
        public var trace: String
        public var cache: String
    }

    public var findings: [Finding] = []
    /// The pairs of the baseline that the candidate does not have. They fail the comparison.
    public var missingPairs: [Pair] = []
    /// The pairs of the candidate that the baseline does not have.
    public var newPairs: [Pair] = []
    /// What grew behind figures that got worse, for results with the causes of their requests.
    public var causes: [CauseChange] = []
    /// How to get ``causes``, if a figure got worse and the results do not have them.
    public var causesHint: String?
    /// Reasons why the two sets may not be comparable.
    public var warnings: [String] = []

    public var failures: [Finding] { findings.filter(\.isFailure) }
    public var hasWorsened: Bool { !failures.isEmpty || !missingPairs.isEmpty }

    /// The share of the baseline by which a measured figure may get worse.
    static let measuredTolerance = 0.05

    /// Compares a candidate with a baseline.
    ///
    /// With `isExact`, figures of modelled and instant timing may get worse by nothing at all.
    /// - Throws: ``ResultsError`` of kind `badData` if the two have no trace and cache in common.
    public init(
        baseline: ResultSet, candidate: ResultSet, allowing allowances: [Allowance] = [], isExact: Bool = false
    ) throws {
        let before = baseline.groups
        let after = Dictionary(uniqueKeysWithValues: candidate.groups.map { ($0.key, $0) })
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
        missingPairs = before.map(\.key).filter { after[$0] == nil }.map { Pair(trace: $0.trace, cache: $0.cache) }
        newPairs = candidate.groups.map(\.key).filter { !known.contains($0) }.map {
            Pair(trace: $0.trace, cache: $0.cache)
        }

        let allowances = Dictionary(allowances.map { ($0.metric, $0.worsening) }, uniquingKeysWith: { _, last in last })
        let isRounded = baseline.isRounded || candidate.isRounded
        for old in common {
            guard let new = after[old.key] else { continue }
            findings += SummaryColumns.metrics.filter { $0.polarity != .neutral }.compactMap { metric in
                Self.judge(
                    metric, old, new, allowances[metric.name], isRounded: isRounded,
                    smallestEffect: isExact ? 0 : SmallestEffect.share)
            }
        }
        try findCauses(baseline, candidate, common)
        warnings = Self.warnings(baseline, candidate, common, after)
        for metric in allowances.keys.sorted() where !findings.contains(where: { $0.metric == metric }) {
            warnings.append("\(metric) has no figure on either side, so its --allow has no effect")
        }
    }

    /// Finds what grew behind the figures that got worse. Causes decide nothing: no verdict follows from them.
    private mutating func findCauses(_ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup]) throws {
        guard baseline.folder != nil, candidate.folder != nil else { return }
        let worse = common.filter { group in
            findings.contains { finding in
                finding.trace == group.key.trace && finding.cache == group.key.cache
                    && [.worse, .allowed, .noted].contains(finding.verdict)
            }
        }.map(\.key)
        guard !worse.isEmpty else { return }
        let (old, new) = (try baseline.causes(of: worse), try candidate.causes(of: worse))
        causes = worse.compactMap { key in
            guard let old = old[key], let new = new[key] else { return nil }
            return CauseChange(key, old, new)
        }
        if worse.contains(where: { old[$0] == nil || new[$0] == nil }) {
            causesHint = "Make both results with --timeline 1 or --requests csv to see all causes of what got worse."
        }
    }

    /// Returns the finding of one metric, or nil if neither side has a figure.
    private static func judge(
        _ metric: Column<RunResult>, _ old: RunGroup, _ new: RunGroup, _ allowance: Allowance.Worsening?,
        isRounded: Bool, smallestEffect: Double
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
            isExact
            ? smallestEffect * abs(baseline)
            : max(measuredTolerance * abs(baseline), old.spread(metric.name), new.spread(metric.name))
        let allowed = allowance?.amount(of: baseline) ?? usual
        if isGated { finding.allowed = allowed }
        guard let candidate else {
            finding.verdict = .missing
            return finding
        }
        let worsening = metric.polarity == .higherIsBetter ? baseline - candidate : candidate - baseline
        // 0.90 - 0.89 is a little more than 0.01 in binary. Decimal figures that are equal count as equal.
        var rounding = 1e-9 * max(1e-3, abs(baseline), abs(candidate))
        // A figure from a CSV file differs from the run's own by up to half of its last place.
        if isRounded, metric.unit.places > 0 { rounding += 0.5 * pow(10, -Double(metric.unit.places)) }
        if allowance == nil, isExact, abs(worsening) <= smallestEffect * abs(baseline) { return finding }
        if worsening > rounding {
            finding.verdict = !isGated ? .noted : worsening > allowed + rounding ? .worse : .allowed
        } else if worsening < -rounding {
            finding.verdict = .better
        }
        return finding
    }

    /// Returns the reasons why figures are not comparable although their names agree.
    private static func warnings(
        _ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup], _ after: [RunGroup.Key: RunGroup]
    ) -> [String] {
        var warnings: [String] = []
        func warn(_ text: String) {
            if !warnings.contains(text) { warnings.append(text) }
        }
        for old in common {
            guard let new = after[old.key] else { continue }
            let trace = ShortNames.printable(old.key.trace)
            if let was = baseline.traceHashes[old.key.trace], let now = candidate.traceHashes[old.key.trace] {
                if was != now { warn("trace \(trace) is not the same file on both sides (its SHA-256 differs)") }
            } else if ["requests", "trace_s"].contains(where: { isDifferent(old, new, $0) }) {
                warn("trace \(trace) does not seem to be the same: its requests or its length differ")
            }
            for setting in ["clock", "timing", "network", "holds", "seed"]
            where old.settings(setting) != new.settings(setting) {
                let was = old.settings(setting).sorted().joined(separator: "/")
                let now = new.settings(setting).sorted().joined(separator: "/")
                warn("the \(setting) differs: \(was) before, \(now) now; replay both sides the same way")
            }
        }
        return warnings
    }

    /// Returns whether a figure differs by more than the rounding of a CSV file.
    private static func isDifferent(_ old: RunGroup, _ new: RunGroup, _ metric: String) -> Bool {
        guard let was = old.median(metric), let now = new.median(metric) else {
            return (old.median(metric) == nil) != (new.median(metric) == nil)
        }
        return abs(was - now) > 1e-6
    }
}
