import Basics
import Foundation
import ReplayEngine
import ResultColumns
import Runs
import Statistics

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
    /// The changes that make a comparison fail.
    public enum Strictness: String, Sendable, CaseIterable {
        /// Limits alone, and the metrics that an allowance names.
        case budgets
        /// Changes of gated figures above the tolerance too.
        case practical
        /// Each change of a gated figure for the worse, as far as the figure does not vary by chance.
        case exact
    }

    /// The changes that a comparison allows.
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
        /// The statistics of the repeats; nil for figures that do not differ by chance.
        public var chance: Chance?
        /// Why the change is accepted; nil if it is not.
        public var reason: String?

        public var isFailure: Bool { verdict == .worse || (verdict == .missing && isGated) }

        var pair: RunGroup.Key { .init(trace: trace, network: network, cache: cache) }
        var figure: Figure { Figure(pair: pair, metric: metric) }
    }

    /// The statistics of the repeats of a measured figure.
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
    /// The facts that a gate states besides the figures; nil for other comparisons.
    public var context: VerdictContext?
    /// The causes that grew behind figures that got worse, for results with the causes of their requests.
    public var causes: [CauseChange] = []
    /// How to get ``causes``, if a figure got worse and the results do not have them.
    public var causesHint: String?
    /// Reasons why the two sets may not be comparable, and assumptions on which their figures rest.
    public var warnings: [String] = []

    public var budgets: [BudgetJudgement] = []

    public var failures: [Judgement] { judgements.filter(\.isFailure) }
    public var undecided: [Judgement] { judgements.filter { $0.verdict == .undecided } }
    /// Whether a figure is worse than allowed and not accepted, missing, or over budget.
    public var hasWorsened: Bool {
        !failures.isEmpty || !missingPairs.isEmpty || budgets.contains { !$0.isKept }
    }

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

/// The remedy for undecided figures that fail.
///
/// They are not accepted as worse ones are. An entry names the new value, but a measured value differs from repeat to
/// repeat and from machine to machine, so that the entry would hold by chance. An amount that is relative to the
/// baseline does not depend on the machine.
extension Comparison {
    /// Why undecided figures are not accepted, and what decides them; nil if none fails.
    var undecidedRemedy: String? {
        guard undecidedFails, !undecided.isEmpty else { return nil }
        var text = """
            Undecided figures fail, and accept: cannot name them, because their values differ from repeat to repeat. \
            More repeats decide them (gate --max-repeats, replay --repeat)
            """
        let entries = decidingAmounts
        if !entries.isEmpty { text += ", and so does a greater amount: allow: [\(entries.joined(separator: ", "))]" }
        return text + "."
    }

    /// The amounts with which the present repeats would decide the undecided figures, as entries of the key `allow`.
    private var decidingAmounts: [String] {
        var metrics: [String] = []
        var amounts: [String: Int] = [:]
        for judgement in undecided {
            guard let amount = Self.decidingPercentage(judgement) else { continue }
            if amounts[judgement.metric] == nil { metrics.append(judgement.metric) }
            amounts[judgement.metric] = max(amounts[judgement.metric] ?? 0, amount)
        }
        return metrics.map { metric in "\"\(metric):\(amounts[metric] ?? 0)%\"" }
    }

    /// Returns the least whole percentage of the baseline that no worsening of the 95 % interval exceeds; nil without
    /// an interval, for a baseline of 0, and for more than ten times the baseline.
    private static func decidingPercentage(_ judgement: Judgement) -> Int? {
        guard let interval = judgement.chance?.interval, let baseline = judgement.baseline, baseline != 0 else {
            return nil
        }
        let isHigherBetter = SummaryColumns[judgement.metric]?.polarity == .higherIsBetter
        let most: Double = isHigherBetter ? -interval.lowerBound : interval.upperBound
        let percentage: Double = (most / abs(baseline) * 100).rounded(.up)
        guard percentage > 0, percentage <= 1_000 else { return nil }
        return Int(percentage)
    }
}

/// Finds a drift: times that rise or fall with the repeats of a side, for example because the machine becomes warm.
///
/// Two results that were measured one after the other then differ without a change of the caches. Where both sides are
/// repeated in random order, as in `gate`, a drift changes both.
extension Comparison {
    /// The fewest repeats of a side in which a drift can be visible. With 12, the clearest order of the halves has a
    /// two-sided probability of 1 in 462.
    private static let fewestForDrift = 12
    /// The metrics that depend on the speed of the machine.
    private static let metricsOfDrift = ["latency_p50_us", "latency_p99_us"]

    /// Sets ``drift`` if the times of a measured side rise or fall with its repeats.
    public mutating func findDrift(baseline: ResultSet, candidate: ResultSet) {
        var sentences: [String] = []
        for (side, results) in [("baseline", baseline), ("candidate", candidate)] {
            guard let direction = Self.drift(of: results) else { continue }
            sentences.append("the times of the \(side) \(direction) with its repeats")
        }
        guard !sentences.isEmpty else { return }
        drift = """
            A drift is visible: \(sentences.joined(separator: ", and ")), so the sides may differ by when they were \
            measured; `cachereplay gate --timing measured` measures both in turn.
            """
    }

    /// Returns `rise` or `fall`, or nil without a visible drift.
    private static func drift(of results: ResultSet) -> String? {
        let groups = results.groups.filter { !$0.isExact && $0.runs.count >= fewestForDrift }
        // There is a test for each side and each metric. Each test has two directions.
        let error = RepeatComparison.error / Double(2 * metricsOfDrift.count)
        for metric in metricsOfDrift {
            let course = course(of: metric, in: groups)
            guard course.count >= fewestForDrift else { continue }
            let half = course.count / 2
            let test = RankTest(Array(course.prefix(half)), Array(course.suffix(half)))
            if 2 * test.pGreater <= error { return "rise" }
            if 2 * test.pLess <= error { return "fall" }
        }
        return nil
    }

    /// Returns the mean rank of each repeat within its group, from 0 to 1, in the order of the repeats.
    private static func course(of metric: String, in groups: [RunGroup]) -> [Double] {
        var sums: [Int: (sum: Double, count: Double)] = [:]
        for group in groups {
            let values: [Double] = group.values(metric).sorted()
            guard let first = values.first, let last = values.last, first < last else { continue }
            for run in group.runs {
                guard let value = run.metrics[metric] else { continue }
                let below = values.count { $0 < value }
                let equal = values.count { $0 == value }
                let rank = (Double(below) + Double(equal - 1) / 2) / Double(values.count)
                let old = sums[run.repetition] ?? (sum: 0, count: 0)
                sums[run.repetition] = (sum: old.sum + rank, count: old.count + 1)
            }
        }
        return sums.sorted { $0.key < $1.key }.map { $0.value.sum / $0.value.count }
    }
}

extension Comparison {
    /// A pair of the baseline, and the pair of the candidate that stands in its place.
    public struct Replacement: Sendable, Equatable {
        public var old: Pair
        public var new: Pair
    }

    /// Creates the comparison of a candidate that has no baseline: only its budgets are judged.
    public init(firstRun candidate: ResultSet) {
        isFirstRun = true
        newPairs = candidate.groups.map { group in Pair(group.key) }
        warnings = candidate.stayingCells
    }

    /// Finds renamed pairs. If only limits can fail, missing pairs become warnings.
    mutating func findUnpaired(_ rules: Rules) {
        if rules.acceptsFirstRun { findReplacements() }
        guard rules.strictness == .budgets else { return }
        for pair in missingPairs {
            warnings.append("\(VisibleText.printable("\(pair.place), \(pair.cache)")) is missing in the candidate")
        }
        missingPairs = []
    }

    /// Takes a missing pair for a renamed one if there is a new pair of the same trace or, otherwise, of the same
    /// cache. In a first run, any new pair is taken.
    private mutating func findReplacements() {
        var free = newPairs
        var left: [Pair] = []
        for old in missingPairs {
            let sameTrace: Int? = free.firstIndex { $0.trace == old.trace && $0.network == old.network }
            let sameCache: Int? = free.firstIndex { $0.cache == old.cache }
            let first: Int? = isFirstRun ? free.indices.first : nil
            if let place = sameTrace ?? sameCache ?? first {
                replacedPairs.append(Replacement(old: old, new: free.remove(at: place)))
            } else {
                left.append(old)
            }
        }
        if isFirstRun {
            for pair in left {
                warnings.append("\(VisibleText.printable("\(pair.place), \(pair.cache)")) is missing in the candidate")
            }
            left = []
        }
        missingPairs = left
    }

    /// The metrics whose gain is reported as a trade-off with blank time.
    private static let hits: Set<String> = ["hit_ratio", "memory_hit_ratio", "byte_hit_ratio"]

    /// The pairs that gain hits, and whose blank time grows by no more than is allowed, one sentence each.
    var tradeOffs: [String] {
        let figures = Dictionary(grouping: judgements, by: \.pair)
        return judgements.compactMap { blank -> String? in
            guard blank.metric == Measure.blank.metric, blank.verdict == .same || blank.verdict == .allowed,
                let before = blank.baseline, let after = blank.candidate, after > before,
                blank.baselineText != blank.candidateText
            else { return nil }
            let others = figures[blank.pair] ?? []
            let gain = others.first { Self.hits.contains($0.metric) && $0.verdict == .better }
            guard let gain, !others.contains(where: { $0.isFailure }) else { return nil }
            return "Trade-off: \(VisibleText.printable("\(blank.pair.place), \(blank.cache)")): \(gain.metric) "
                + "\(gain.baselineText) → \(gain.candidateText), and blank time \(blank.baselineText) → "
                + "\(blank.candidateText), which is within what is allowed"
        }
    }
}

/// The inputs that two results must have in common.
extension Comparison {
    /// Returns the inputs that differ, so that figures do not mean the same although their names agree.
    static func differences(
        _ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup], _ after: [RunGroup.Key: RunGroup]
    ) -> [String] {
        var differences: [String] = []
        func add(_ text: String) {
            if !differences.contains(text) { differences.append(text) }
        }
        for old in common {
            guard let new = after[old.key] else { continue }
            let trace = VisibleText.printable(old.key.trace)
            if let was = baseline.traceHashes[old.key.trace], let now = candidate.traceHashes[old.key.trace] {
                if was != now { add("trace \(trace) is not the same file on both sides (its SHA-256 differs)") }
            } else if ["requests", "trace_s"].contains(where: { isDifferent(old, new, $0) }) {
                add("trace \(trace) does not seem to be the same: its requests or its length differ")
            }
            for setting in ["timing", "network"] {
                let (was, now) = (old.settings(setting), new.settings(setting))
                if was != now { add("the \(setting) differs: \(list(was)) before, \(list(now)) now") }
            }
            if old.injected != new.injected {
                add(
                    "the injected events differ: \(old.injected ?? "none") before, \(new.injected ?? "none") now")
            }
            // Each repeat has the next seed.
            if old.firstSeed != new.firstSeed {
                add("the seed differs: \(old.firstSeed ?? "none") before, \(new.firstSeed ?? "none") now")
            }
        }
        if let was = baseline.costs, let now = candidate.costs, was != now {
            add("the costs of modelled timing differ (--costs)")
        }
        if let was = baseline.version, let now = candidate.version, was != now {
            add("the version of cachereplay differs: \(was) before, \(now) now")
        }
        return differences
    }

    private static func list(_ names: Set<String>) -> String { names.sorted().joined(separator: "/") }

    /// Returns the warnings about figures that are compared.
    static func warnings(
        _ baseline: ResultSet, _ candidate: ResultSet, _ common: [RunGroup], _ after: [RunGroup.Key: RunGroup]
    ) -> [String] {
        var warnings: [String] = []
        for old in common {
            guard let new = after[old.key] else { continue }
            let (was, now) = (old.settings("holds"), new.settings("holds"))
            let text = "the holds differs: \(list(was)) before, \(list(now)) now"
            if was != now, !warnings.contains(text) { warnings.append(text) }
            guard let injected = old.injected, injected == new.injected else { continue }
            let events = "both sides have these injected events: \(injected)"
            if !warnings.contains(events) { warnings.append(events) }
        }
        let isMeasured = common.contains { !$0.isExact }
        if isMeasured, let was = baseline.machine, let now = candidate.machine, was != now {
            warnings.append(
                """
                the machines differ: \(was.summary) before, \(now.summary) now; measured times of two machines differ \
                without any change
                """)
        }
        if isMeasured, let was = baseline.program, let now = candidate.program, was != now {
            warnings.append("the builds of cachereplay differ; `cachereplay gate` measures both sides with one build")
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

extension Comparison {
    /// The comparison for programs: every figure that was judged, including those that stayed the same.
    var json: String {
        let state: [(String, JSONValue)] = [
            ("failed", .bool(!failureReasons.isEmpty)),
            ("failed_because", .array(failureReasons.map { .string($0.rawValue) })),
            ("worse", .bool(hasWorsened)), ("undecided", .bool(!undecided.isEmpty)),
            ("first_run", .bool(isFirstRun)), ("verdict", .string(verdict)),
            ("accept", acceptableEntries.map { JSONValue.string($0) } ?? JSONValue.null),
        ]
        let sentences: [(String, JSONValue)] = [
            ("outdated", .array(outdated.map { .string($0) })), ("trade_offs", .array(tradeOffs.map { .string($0) })),
            ("warnings", .array(warnings.map { .string($0) })),
        ]
        let lists: [(String, JSONValue)] = [
            ("missing", .array(missingPairs.map(Self.json))), ("new", .array(newPairs.map(Self.json))),
            ("renamed", .array(replacedPairs.map(Self.json))), ("causes", .array(causes.map(Self.json))),
            ("findings", .array(judgements.map(Self.json))), ("budgets", .array(budgets.map(Self.json))),
        ]
        // Results without a gate have no context; the members are there all the same.
        let sides: [(String, JSONValue)] = (context ?? VerdictContext()).members
        let whole = JSONValue.object(state + sides + sentences + lists)
        return whole.text(.indented) + "\n"
    }

    private static func json(_ change: CauseChange) -> JSONValue {
        .object(
            [
                ("trace", .string(change.trace)), ("cache", .string(change.cache)),
                (
                    "misses",
                    .array(
                        change.misses.map {
                            .object([
                                ("tier", .string($0.tier.rawValue)), ("cause", .string($0.cause.name)),
                                ("baseline", .figure($0.baseline, .ratio)),
                                ("candidate", .figure($0.candidate, .ratio)),
                            ])
                        })
                ),
                (
                    "waits",
                    .array(
                        change.waits.map {
                            .object([
                                ("wait", .string($0.wait.name)), ("baseline_s", .figure($0.baseline, .seconds)),
                                ("candidate_s", .figure($0.candidate, .seconds)),
                            ])
                        })
                ),
            ].inserting(network: change.network))
    }

    private static func json(_ renamed: Replacement) -> JSONValue {
        .object([("baseline", json(renamed.old)), ("candidate", json(renamed.new))])
    }

    private static func json(_ pair: Pair) -> JSONValue {
        .object([("trace", .string(pair.trace)), ("cache", .string(pair.cache))].inserting(network: pair.network))
    }

    private static func json(_ judgement: Judgement) -> JSONValue {
        .object(
            [
                ("trace", .string(judgement.trace)), ("cache", .string(judgement.cache)),
                ("metric", .string(judgement.metric)),
                ("baseline", .figure(judgement.baseline, judgement.unit)),
                ("candidate", .figure(judgement.candidate, judgement.unit)),
                ("gated", .bool(judgement.isGated)), ("allowed", .figure(judgement.allowed, judgement.unit)),
                ("verdict", .string(judgement.verdict.rawValue)), ("failed", .bool(judgement.isFailure)),
                ("reason", judgement.reason.map { JSONValue.string($0) } ?? JSONValue.null),
                ("chance", judgement.chance.map { json($0, judgement.unit) } ?? JSONValue.null),
            ].inserting(network: judgement.network))
    }

    private static func json(_ chance: Chance, _ unit: Unit) -> JSONValue {
        .object([
            ("baseline_repeats", .number("\(chance.repeats[0])")),
            ("candidate_repeats", .number("\(chance.repeats[1])")),
            ("change_low", .figure(chance.interval?.lowerBound, unit)),
            ("change_high", .figure(chance.interval?.upperBound, unit)), ("p", .figure(chance.p, .ratio)),
            ("detectable", .figure(chance.detectable, unit)),
            ("repeats_needed", chance.repeatsNeeded.map { .number("\($0)") } ?? .null),
        ])
    }

    private static func json(_ judgement: BudgetJudgement) -> JSONValue {
        .object(
            [
                ("trace", .string(judgement.trace)), ("cache", .string(judgement.cache)),
                ("budget", .string(judgement.budget.description)), ("value", .figure(judgement.value, judgement.unit)),
                ("kept", .bool(judgement.isKept)),
            ].inserting(network: judgement.network))
    }
}

/// The effect of a change on a user of the app: the blank time of both sides of a pair.
private struct Impact {
    var pair: Comparison.Pair
    /// The shares of blank time.
    var blank: Comparison.Judgement
    /// The seconds of the session that are more blank in the candidate, negative for less; nil if unknown or none.
    var seconds: Double?
    /// Whether a gated figure of the pair is worse, or may be.
    var isShown: Bool

    var text: String {
        let place = VisibleText.printable("\(pair.place), \(pair.cache)")
        let whole = Measure.blank.whole
        guard blank.baseline != blank.candidate else {
            return "\(place): blank time stays \(blank.candidateText) of \(whole)"
        }
        let change = "\(place): blank time \(blank.baselineText) → \(blank.candidateText) of \(whole)"
        return seconds.map { "\(change), \(Self.amount($0)) in the session" } ?? change
    }

    /// The sentence of a page's first line; nil if the blank time did not grow.
    var headline: String? {
        guard let before = blank.baseline, let after = blank.candidate, before < after else { return nil }
        let name = VisibleText.printable("\(pair.cache) on \(pair.place)")
        let change = "Blank time of \(name) grew from \(blank.baselineText) to \(blank.candidateText)"
        return seconds.map { "\(change), \(Self.amount($0)) in the session." } ?? "\(change)."
    }

    static func amount(_ seconds: Double) -> String {
        "\(HumanText.figure(abs(seconds), .seconds)) \(seconds > 0 ? "more" : "less")"
    }
}

extension Comparison {
    /// A sentence for each pair with a figure that is worse, on what a user of the app notices: the shares of blank
    /// time of both sides, and the difference in seconds of the session. The other models of Darwin's NSCache stand in
    /// the sentence of their cache, if blank time changed in the same direction with each.
    var impacts: [String] {
        let all = allImpacts
        return all.compactMap { impact -> String? in
            let others = all.filter { isModel($0.pair, of: impact.pair) }
            let isTold = all.contains { base in
                let models = all.filter { isModel($0.pair, of: base.pair) }
                return base.isShown && isModel(impact.pair, of: base.pair) && Self.areAlike([base] + models)
            }
            guard impact.isShown, !isTold else { return nil }
            guard !others.isEmpty, Self.areAlike([impact] + others) else { return impact.text }
            let amounts = others.compactMap(\.seconds).sorted { abs($0) < abs($1) }
            guard let least = amounts.first, let most = amounts.last else { return impact.text }
            let shortest = HumanText.figure(abs(least), .seconds)
            let longest = Impact.amount(most)
            let range = longest.hasPrefix("\(shortest) ") ? longest : "\(shortest) to \(longest)"
            return "\(impact.text) (with other models of NSCache \(range))"
        }
    }

    /// The first line of a page about a comparison that fails: the pair whose blank time grew by the largest share;
    /// nil if no figure of blank time failed.
    var answer: String? {
        let failed = failures.filter { $0.metric == Measure.blank.metric }.map { Pair($0.pair) }
        let grown = allImpacts.filter { impact in failed.contains(impact.pair) }
        return grown.max { growth($0) < growth($1) }?.headline
    }

    private func growth(_ impact: Impact) -> Double {
        (impact.blank.candidate ?? 0) - (impact.blank.baseline ?? 0)
    }

    private var allImpacts: [Impact] {
        let figures = Dictionary(grouping: judgements, by: \.pair)
        return judgements.compactMap { blank -> Impact? in
            guard blank.metric == Measure.blank.metric, blank.baseline != nil, blank.candidate != nil else {
                return nil
            }
            let others = figures[blank.pair] ?? []
            let shown: [Judgement.Verdict] = [.worse, .accepted, .allowed, .undecided]
            let isShown = others.contains { $0.isGated && shown.contains($0.verdict) }
            let time = others.first { $0.metric == "blank_s" }
            let change = time.flatMap { time in
                time.candidate.flatMap { new in time.baseline.map { new - $0 } }
            }
            return Impact(
                pair: Pair(blank.pair), blank: blank, seconds: change == 0 ? nil : change, isShown: isShown)
        }
    }

    /// Whether blank time changed in the same direction, by a known number of seconds, in all of these.
    private static func areAlike(_ impacts: [Impact]) -> Bool {
        impacts.allSatisfy { ($0.seconds ?? 0) > 0 } || impacts.allSatisfy { ($0.seconds ?? 0) < 0 }
    }

    /// Whether a pair has another model of Darwin's NSCache for the cache of a pair, as its name says.
    func isModel(_ pair: Pair, of base: Pair) -> Bool {
        pair.trace == base.trace && pair.network == base.network
            && NSCacheModelChoice.allCases.contains { pair.cache == "\(base.cache) [\($0.rawValue)]" }
    }
}
