import Basics
import Foundation
import ReplayEngine
import Runs

/// The differences between two result sets, for a gate in a build pipeline.
///
/// Runs are grouped by trace and cache, and each figure of a group is the median of its repeats. The gated metrics, and
/// those that an allowance names, make the comparison fail. The other metrics with a direction are only reported.
///
/// Figures of modelled and instant timing are functions of the input. Without an allowance, they may get worse by
/// ``Rules/relevanceThreshold``, or by nothing if the comparison is exact. This also holds for measured figures without
/// variation: those whose repeats, at least `RepeatComparison.fewestExact` a side, are equal.
///
/// Other measured figures differ by chance. They are worse if their ranks say so (`RankTest`, corrected over all such
/// gated figures by `HolmCorrection`) and if the median is worse by more than allowed, by default
/// the same threshold, and at least `SmallestEffect.ofBuilds` of the baseline. The probability that any figure of the
/// comparison is worse by chance is at most `Rules.error`.
public struct Comparison: Sendable {
    /// What makes a comparison fail.
    public enum Strictness: String, Sendable, CaseIterable {
        /// Limits alone, and the metrics that an allowance names.
        case budgets
        /// Changes of gated figures above the tolerance too.
        case practical
        /// Each change of a gated figure for the worse, as far as the figure does not vary by chance.
        case exact
    }

    /// What a comparison allows.
    public struct Rules: Sendable {
        public var allowances: [Allowance]
        /// The smallest difference that counts.
        public var relevanceThreshold: Tolerance
        public var strictness: Strictness
        /// Whether results of different traces, injected events, seeds, timings, costs or versions are compared.
        public var acceptsDifferences: Bool
        /// Whether a candidate that has no pair in common with the baseline is a first run, and a pair under another
        /// name is a renamed one. Otherwise, the first is an error, and the second is a missing pair.
        public var acceptsFirstRun: Bool
        /// The probability that any figure is worse by chance.
        var error = RepeatComparison.error
        /// The figures that can fail; nil for all of gated metrics.
        var gatedFigures: Set<Figure>?

        public init(
            allowances: [Allowance] = [], relevanceThreshold: Tolerance = .standard,
            strictness: Strictness = .practical, isExact: Bool = false, acceptsDifferences: Bool = false,
            acceptsFirstRun: Bool = false
        ) {
            (self.allowances, self.relevanceThreshold) = (allowances, relevanceThreshold)
            self.strictness = isExact ? .exact : strictness
            (self.acceptsDifferences, self.acceptsFirstRun) = (acceptsDifferences, acceptsFirstRun)
        }

        /// Whether each change for the worse of a figure with modelled or instant timing fails.
        var isExact: Bool { strictness == .exact }
    }

    /// A metric of a trace and cache.
    struct Figure: Hashable, Sendable {
        var pair: RunGroup.Key
        var metric: String
    }

    public struct Judgement: Sendable, Equatable {
        public enum Verdict: String, Sendable {
            case better
            /// Not worse than allowed.
            case same
            /// Worse, by no more than allowed.
            case allowed
            /// Worse by more than allowed, and accepted in the file of the candidate.
            case accepted
            /// Worse, in a metric that is not gated.
            case noted
            case worse
            /// The repeats of a gated figure neither show nor exclude that it is worse than allowed.
            case undecided
            /// Only the baseline has a figure. It fails if the metric is gated.
            case missing
            /// Only the candidate has a figure.
            case new
        }

        public var trace: String
        /// The network, where there are several; otherwise nil.
        public var network: String?
        public var cache: String
        public var metric: String
        public var unit: Unit
        public var isGated: Bool
        public var baseline: Double?
        public var candidate: Double?
        /// How much worse the figure may get, in the metric's unit, or nil if the metric is not gated.
        public var allowed: Double?
        public var verdict: Verdict
        /// What the repeats say; nil for figures that do not differ by chance.
        public var chance: Chance?
        /// Why the change is accepted; nil if it is not.
        public var reason: String?

        public var isFailure: Bool { verdict == .worse || (verdict == .missing && isGated) }

        var pair: RunGroup.Key { .init(trace: trace, network: network, cache: cache) }
        var figure: Figure { Figure(pair: pair, metric: metric) }
    }

    /// What the repeats of a measured figure say.
    public struct Chance: Sendable, Equatable {
        /// The number of repeats of the baseline and of the candidate.
        public var repeats: [Int]
        /// The 95 % interval of the change from baseline to candidate, in the metric's unit; nil with fewer than
        /// `RepeatComparison.fewest` repeats.
        public var interval: ClosedRange<Double>?
        /// The corrected probability of such ranks, in the direction of the change, if there is no change.
        public var p: Double?
        /// The smallest worsening that such a comparison finds in 19 of 20 cases; nil if it finds none.
        public var detectable: Double?
        /// The number of repeats of each side that would probably decide; nil if the figure is decided, or if more than
        /// `RepeatComparison.mostNeeded` are needed.
        public var repeatsNeeded: Int?
    }

    /// One trace through one cache.
    public struct Pair: Sendable, Equatable {
        public var trace: String
        /// The network, where there are several; otherwise nil.
        public var network: String?
        public var cache: String

        var place: String { RepeatedRun.place(trace, network) }
    }

    public var judgements: [Judgement] = []
    /// The pairs of the baseline that the candidate does not have. They fail the comparison.
    public var missingPairs: [Pair] = []
    /// The pairs of the candidate that the baseline does not have.
    public var newPairs: [Pair] = []
    /// The pairs of the baseline that the candidate has under another name. They do not fail.
    public var replacedPairs: [Replacement] = []
    /// Whether nothing was compared, because the baseline has no figure of these traces and caches.
    public var isFirstRun = false
    /// Whether undecided figures set the exit code 1, so that the text says what decides them.
    public var undecidedFails = false
    /// The outdated entries of the candidate's file, which accept nothing, and why. They do not fail.
    public var outdated: [String] = []
    /// A sentence on a drift of measured times; nil if none is visible, or if none was looked for.
    public var drift: String?
    /// The facts that a gate states beside the figures; nil for other comparisons.
    public var context: VerdictContext?
    /// What grew behind figures that got worse, for results with the causes of their requests.
    public var causes: [CauseChange] = []
    /// How to get ``causes``, if a figure got worse and the results do not have them.
    public var causesHint: String?
    /// Reasons why the two sets may not be comparable, and assumptions on which their figures rest.
    public var warnings: [String] = []

    /// The results of absolute budgets.
    public var budgets: [BudgetJudgement] = []

    public var failures: [Judgement] { judgements.filter(\.isFailure) }
    public var undecided: [Judgement] { judgements.filter { $0.verdict == .undecided } }
    /// Whether a figure is worse than allowed and not accepted, missing, or over budget.
    public var hasWorsened: Bool {
        !failures.isEmpty || !missingPairs.isEmpty || budgets.contains { !$0.isKept }
    }

    /// Why a comparison fails.
    public enum FailureReason: String, Sendable, CaseIterable {
        /// ``Comparison/hasWorsened``.
        case worse
        /// Undecided figures, where they fail: ``Comparison/undecidedFails``.
        case undecided
    }

    /// Why the comparison fails, which sets the exit code 1; empty if it does not.
    public var failureReasons: [FailureReason] {
        (hasWorsened ? [.worse] : []) + (undecidedFails && !undecided.isEmpty ? [.undecided] : [])
    }

    /// Compares a candidate with a baseline.
    /// - Throws: `ResultsError` of kind `badData` if the two have no trace and cache in common, or if they were made
    ///   from different inputs, unless the rules accept that.
    public init(baseline: ResultSet, candidate: ResultSet, rules: Rules = Rules()) throws {
        // Results over several networks are compared network by network, also with results over one of them.
        let several = baseline.overSeveralNetworks.union(candidate.overSeveralNetworks)
        let before = baseline.groups(naming: several)
        let now = candidate.groups(naming: several)
        let after = Dictionary(uniqueKeysWithValues: now.map { ($0.key, $0) })
        let known = Set(before.map(\.key))
        let common = before.filter { after[$0.key] != nil }
        isFirstRun = common.isEmpty && rules.acceptsFirstRun
        guard !common.isEmpty || isFirstRun else {
            throw ResultsError(
                .badData, file: candidate.source,
                """
                no trace\(several.isEmpty ? "" : ", network") and cache in common with \(baseline.source); compare \
                replays of the same traces through the \
                same caches
                """
            )
        }
        let differences = Self.differences(baseline, candidate, common, after)
        guard differences.isEmpty || rules.acceptsDifferences else {
            throw ResultsError(
                .badData, file: candidate.source,
                """
                not comparable with \(baseline.source): \(differences.joined(separator: "; ")). Replay both sides the \
                same way, or compare them with --different-inputs
                """)
        }
        missingPairs = before.map(\.key).filter { after[$0] == nil }.map(Pair.init)
        newPairs = now.map(\.key).filter { !known.contains($0) }.map(Pair.init)
        judge(common, after, rules, isRounded: baseline.isRounded || candidate.isRounded)
        try findCauses(baseline, candidate, common)
        warnings = differences + Self.warnings(baseline, candidate, common, after)
        findUnpaired(rules)
        for metric in rules.allowances.map(\.metric).sorted()
        where !isFirstRun && !judgements.contains(where: { $0.metric == metric }) {
            warnings.append("\(metric) has no figure on either side, so its --allow has no effect")
        }
        for metric in SummaryColumns.metrics where metric.isGated {
            let figures = judgements.filter { $0.metric == metric.name }
            if !figures.isEmpty, figures.allSatisfy({ $0.baseline == nil }) {
                warnings.append("the baseline has no \(metric.name), so it is not compared")
            }
        }
        warnings += candidate.stayingCells
    }

    /// Creates the result of a check of budgets alone.
    public init(budgets: [FigureBudget], of results: ResultSet) throws {
        try check(budgets, of: results)
        warnings = results.stayingCells
    }

    /// Finds what grew behind the figures that got worse. Causes decide nothing: no verdict follows from them.
    private mutating func findCauses(_ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup]) throws {
        guard baseline.folder != nil, candidate.folder != nil else { return }
        let worse = common.filter { group in
            judgements.contains { judgement in
                judgement.pair == group.key
                    && [.worse, .allowed, .noted, .undecided].contains(judgement.verdict)
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
}

extension Comparison.Pair {
    init(_ key: RunGroup.Key) { (trace, network, cache) = (key.trace, key.network, key.cache) }
}
