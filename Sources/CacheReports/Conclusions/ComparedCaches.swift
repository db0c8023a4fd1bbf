import Basics
import ReplayEngine
import Runs

/// The figure that a person notices: blank time, or hits where nothing takes time.
struct Measure {
    var metric: String
    var isHigherBetter = true
    /// The noun of a difference, such as the unit of blank time.
    var noun: String
    /// The whole that the figure is a share of.
    var whole = "the requests"
    /// The verb of a sentence in which caches have the share, and its complement.
    var verb = "answer"
    var end = ""

    static let blank = Measure(
        metric: "blank_ratio", isHigherBetter: false, noun: "blank time", whole: "the visible time", verb: "leave",
        end: " blank")
    static let hits = Measure(metric: "hit_ratio", noun: "hits")
    static let memoryHits = Measure(metric: "memory_hit_ratio", noun: "memory hits", end: " in memory")

    /// Returns the measure by which the runs are judged.
    static func of(_ groups: [RunGroup]) -> Measure {
        groups.allSatisfy { $0.settings("timing") == ["instant"] } ? .hits : .blank
    }

    var leads: String { isHigherBetter ? "has the most \(noun)" : "leaves the least \(noun)" }

    /// Returns `leaves 2.0% of the visible time blank`, or `leave …` for several caches.
    func does(_ share: String, isPlural: Bool = false) -> String {
        "\(verb)\(isPlural ? "" : "s") \(share) of \(whole)\(end)"
    }

    /// Returns the share that all figures are, or the shares between which they are.
    static func range(_ figures: [Double]) -> String {
        let (low, high) = (HumanText.share(figures.min() ?? 0), HumanText.share(figures.max() ?? 0))
        return low == high ? low : "\(low) to \(high)"
    }
}

/// The caches of a result, place by place. A place is a trace over a network.
struct ComparedCaches {
    /// A cache with one set of swept values.
    struct Variant {
        /// The name without swept values.
        var cache: String
        /// The swept values, such as `memory=8MB`.
        var values: [String]
        /// By place: the runs with each plausible model of an NSCache. A place can have none.
        var models: [[RunGroup]]
    }

    let measure: Measure
    let places: [String]
    /// The caches that show no wrong picture and keep the limits. If no cache does so, all caches.
    let variants: [Variant]
    /// The limits that no cache keeps; empty if one does.
    let brokenBudgets: [FigureBudget]
    let relevanceThreshold: Tolerance
    let noun: String

    init(_ groups: [RunGroup], _ relevanceThreshold: Tolerance, _ budgets: [FigureBudget] = []) {
        let measure = Measure.of(groups)
        let names = Set(groups.map(\.key.cache))
        let known = groups.filter { $0.median(measure.metric) != nil }.map { (group: $0, name: Self.name($0, names)) }
        let wrong = Set(known.filter { $0.group.showsWrongPictures }.map { $0.name })
        let right = known.filter { !wrong.contains($0.name) }
        let allowed = right.isEmpty ? known : right
        let over = Set(allowed.filter { run in budgets.contains { run.group.breaks($0) } }.map { $0.name })
        let kept = allowed.filter { !over.contains($0.name) }
        brokenBudgets = kept.isEmpty ? budgets : []
        let used = kept.isEmpty ? allowed : kept
        let places = used.map { $0.group.key.place }.unique()
        variants = used.map { $0.name }.unique().map { name in
            let own = used.filter { $0.name == name }.map { $0.group }
            return Variant(
                cache: name[0], values: Array(name.dropFirst()),
                models: places.map { place in own.filter { $0.key.place == place } })
        }
        (self.measure, self.places, self.relevanceThreshold) = (measure, places, relevanceThreshold)
        let isOfNetworks = groups.contains { $0.key.network != nil }
        let isOneSession = Set(groups.map(\.key.trace)).count == 1
        noun = !isOfNetworks ? "sessions" : isOneSession ? "networks" : "pairs of session and network"
    }

    /// Returns the name of the cache of a group, without the model of an NSCache, and its swept values behind it.
    private static func name(_ group: RunGroup, _ names: Set<String>) -> [String] {
        let name = group.key.cache
        if let swept = group.settings("swept").first, !swept.isEmpty, let base = group.settings("base_cache").first {
            return [base] + swept.split(separator: "; ").map(String.init)
        }
        let bases = NSCacheModelChoice.allCases.compactMap { name.dropping(ending: " [\($0.rawValue)]") }
        return [bases.first { names.contains($0) } ?? name]
    }

    // MARK: Figures

    func figure(_ group: RunGroup) -> Double { group.median(measure.metric) ?? 0 }

    func isBetter(_ one: RunGroup, _ other: RunGroup) -> Bool {
        measure.isHigherBetter ? figure(one) > figure(other) : figure(one) < figure(other)
    }

    func ties(_ one: RunGroup, _ other: RunGroup) -> Bool {
        one.ties(with: other, measure.metric, .ratio, relevanceThreshold)
    }

    /// Returns by how much a group is worse than another one; 0 for a tie.
    func gap(_ group: RunGroup, behind other: RunGroup) -> Double {
        ties(group, other) ? 0 : measure.isHigherBetter ? figure(other) - figure(group) : figure(group) - figure(other)
    }

    /// Returns the runs of a variant at a place with the worst model of an NSCache: no model is known to be the right
    /// one. nil without runs.
    func worst(_ variant: Variant, _ place: Int) -> RunGroup? { variant.models[place].max(by: isBetter) }

    // MARK: Choices

    struct Choice {
        var cache: String
        /// By place; nil without runs.
        var groups: [RunGroup?]
        var all: [RunGroup]
    }

    var choices: [Choice] {
        variants.map(\.cache).unique().map { cache in
            let own = variants.filter { $0.cache == cache }
            return Choice(
                cache: cache,
                groups: places.indices.map { place in own.compactMap { worst($0, place) }.min(by: isBetter) },
                all: own.flatMap { $0.models.joined() })
        }
    }

    /// The parameters that are swept, in the order of their first values.
    var parameters: [String] { variants.flatMap { $0.values.map(Self.parameter) }.unique() }

    static func parameter(_ value: String) -> String { String(value.prefix { $0 != "=" }) }

    // MARK: Words

    /// Returns ` on feed`, or ` on all 3 sessions`.
    var everywhere: String {
        places.count == 1 ? " on \(NameList.name(places[0]))" : " on \(NameList.all(places.count)) \(noun)"
    }

    /// Returns `leaves 2.0% to 3.0% of the visible time blank`, or `leave …` for several caches.
    func does(_ groups: [RunGroup], isPlural: Bool = false) -> String {
        measure.does(Measure.range(groups.map(figure)), isPlural: isPlural)
    }

    /// Returns the evidence of groups, each once.
    func evidence(_ groups: [RunGroup], _ metric: String? = nil) -> [Finding.Evidence] {
        groups.map(\.key).unique().compactMap { key in
            groups.first { $0.key == key }?.evidence(metric ?? measure.metric)
        }
    }
}

/// Amounts in sentences.
package enum AmountText {
    /// Returns `1.3 points`, with two digits below a tenth of a point.
    package static func points(_ difference: Double) -> String {
        let points = abs(difference) * 100
        if points == 0 { return "0 points" }
        return points < 0.005 ? "<0.01 points" : "\(HumanText.decimals(points, points < 0.095 ? 2 : 1)) points"
    }
}

extension RunGroup {
    var showsWrongPictures: Bool { median("wrong") ?? 0 > 0 }

    /// Whether a figure is beyond a limit. A group without the figure, or of another trace, breaks none.
    func breaks(_ budget: FigureBudget) -> Bool {
        guard budget.trace == nil || budget.trace == key.trace, let value = median(budget.metric) else { return false }
        return !budget.isKept(by: value)
    }

    /// Whether two groups differ by less than can be relied on.
    ///
    /// Figures tie within the tolerance. Measured ones also tie if the 95 % interval of their difference contains 0;
    /// with too few repeats for an interval, within the spread of the repeats; of a single run, within
    /// `SmallestEffect.ofSingleRuns`.
    func ties(with other: RunGroup, _ metric: String, _ unit: Unit, _ relevanceThreshold: Tolerance) -> Bool {
        guard let own = median(metric), let theirs = other.median(metric) else { return false }
        guard !relevanceThreshold.ties(own, theirs, unit) else { return true }
        guard !isExact || !other.isExact else { return false }
        let repeats = RepeatComparison(baseline: values(metric), candidate: other.values(metric))
        if repeats.isTestable { return repeats.interval.contains(0) }
        let smaller = min(abs(own), abs(theirs))
        var tolerance = 0.0
        for group in [self, other] where !group.isExact {
            let isSingle = group.runs.count == 1
            tolerance = max(tolerance, isSingle ? smaller * SmallestEffect.ofSingleRuns : group.spread(metric))
        }
        return abs(own - theirs) <= tolerance
    }

    /// Returns the distance between the least and the largest figure of the repeats.
    private func spread(_ metric: String) -> Double {
        let values = values(metric)
        return (values.max() ?? 0) - (values.min() ?? 0)
    }
}

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

/// Shares of a figure by which it may differ without a change, besides the ``Tolerance``. Each has a reason of its own.
enum SmallestEffect {
    /// Between two builds, of measured figures. The places of code and data in memory change measured times by some
    /// percent (T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009).
    static let ofBuilds = 0.02
    /// Between measured figures of single runs, whose noise is unknown.
    static let ofSingleRuns = 0.05
}
