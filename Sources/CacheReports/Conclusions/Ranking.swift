import Basics
import Runs

/// The order of caches by the figure that a person notices: blank time, or hits where nothing takes time.
struct Ranking {
    /// The figure that caches are ranked by.
    struct Measure {
        var metric: String
        var isHigherBetter = false
        /// What the best cache has: "Least blank time".
        var title: String
        /// What the figure is a share of.
        var whole: String

        static let blank = Measure(metric: "blank_ratio", title: "Least blank time", whole: "of the visible time")
        static let hits = Measure(
            metric: "hit_ratio", isHigherBetter: true, title: "Most hits", whole: "of the requests")
    }

    /// The order on one trace, over one network.
    struct Place {
        var name: String
        var best: RunGroup
        /// The best cache, and those that tie with it, in the order of the results.
        var winners: [RunGroup]
        /// The best one first.
        var others: [RunGroup]
    }

    let measure: Measure
    private(set) var places: [Place] = []
    private let groups: [RunGroup]
    private let relevanceThreshold: Tolerance

    init(_ groups: [RunGroup], _ relevanceThreshold: Tolerance) {
        self.groups = groups
        self.relevanceThreshold = relevanceThreshold
        let isInstant = groups.allSatisfy { $0.settings("timing") == ["instant"] }
        measure = isInstant ? .hits : .blank
        for name in groups.map(\.key.place).unique() {
            let all = groups.filter { $0.key.place == name && $0.median(measure.metric) != nil }
            let ranked = all.stableSorted { isBetter($0, $1) }
            guard let best = ranked.first else { continue }
            places.append(
                Place(
                    name: name, best: best, winners: all.filter { ties($0, best) },
                    others: ranked.filter { !ties($0, best) }))
        }
    }

    private func figure(_ group: RunGroup) -> Double { group.median(measure.metric) ?? 0 }

    private func isBetter(_ one: RunGroup, _ other: RunGroup) -> Bool {
        measure.isHigherBetter ? figure(one) > figure(other) : figure(one) < figure(other)
    }

    private func ties(_ one: RunGroup, _ other: RunGroup) -> Bool {
        one.ties(with: other, measure.metric, .ratio, relevanceThreshold)
    }

    // MARK: Sentences

    /// The sentence about the best caches; nil without figures.
    var best: Finding? {
        guard let first = places.first else { return nil }
        let evidence = places.flatMap { ($0.winners + $0.others.prefix(1)).compactMap { $0.evidence(measure.metric) } }
        let text = places.count == 1 ? best(on: first) : bestOnTraces
        return Finding(subject: .best, text: text, evidence: evidence, caches: named)
    }

    /// The caches that ``best`` names.
    private var named: [String] {
        if places.count == 1 {
            return NameList.shown(places[0].winners.map(\.key.cache)) + places[0].others.prefix(1).map(\.key.cache)
        }
        let caches = champions.caches
        let lost = lost(caches).map { [$0.place.best.key.cache, $0.own.key.cache] } ?? []
        let rival = caches.count == 1 && lost.isEmpty ? rival.map { [$0.cache] } ?? [] : []
        return (NameList.shown(caches) + lost + rival).unique()
    }

    private func best(on place: Place) -> String {
        let names = place.winners.map(\.key.cache)
        let (figure, nextFigure) = HumanText.shares(
            self.figure(place.best), place.others.first.map(self.figure) ?? self.figure(place.best))
        if place.others.isEmpty, names.count > 1 {
            return """
                \(NameList.all(names.count, begins: true)) caches tie on \(NameList.name(place.name)): \(figure) \
                \(measure.whole) \
                \(measure.isHigherBetter ? "are hits" : "is blank"), with differences that are too small to count.
                """
        }
        let next = place.others.first.map {
            " The next, \(NameList.name($0.key.cache)), has \(nextFigure)."
        }
        let tie = names.count == 1 ? "," : ", which tie,"
        return """
            \(measure.title) on \(NameList.name(place.name)): \(NameList.text(names))\(tie) with \(figure) \
            \(measure.whole).\(next ?? "")
            """
    }

    /// The number of traces on which each cache is best or ties with the best.
    private var wins: [(cache: String, count: Int)] {
        groups.map(\.key.cache).unique().map { cache in
            (cache, places.count { $0.winners.contains { $0.key.cache == cache } })
        }
    }

    /// The caches that are best, or tie with the best, on most traces, and on how many.
    private var champions: (caches: [String], count: Int) {
        let wins = wins
        let most = wins.map(\.count).max() ?? 0
        return (wins.filter { $0.count == most }.map(\.cache), most)
    }

    /// What ``places`` are.
    private var noun: String {
        guard groups.contains(where: { $0.key.network != nil }) else { return "traces" }
        return Set(groups.map(\.key.trace)).count == 1 ? "networks" : "pairs of trace and network"
    }

    private var bestOnTraces: String {
        let (caches, count) = champions
        let everywhere = count == places.count
        let tie = caches.count == 1 ? "" : ", which tie"
        let first = """
            \(measure.title) on \(everywhere ? NameList.all(count) : "\(count) of \(places.count)") \(noun): \
            \(NameList.text(caches))\(caches.count == 1 || everywhere ? tie : " each").
            """
        guard !everywhere else { return first + (caches.count == 1 ? rival.map { tieText($0) } ?? "" : "") }
        guard let (place, own) = lost(caches) else { return first }
        let (best, behind) = HumanText.shares(figure(place.best), figure(own))
        return first + """
             On \(NameList.name(place.name)), \(NameList.name(place.best.key.cache)) has \(best) \(measure.whole), \
            and \(NameList.name(own.key.cache)) \(behind).
            """
    }

    /// The cache that ties with the only champion on most traces, on how many, and the trace on which it is most
    /// behind; nil if none ties.
    private var rival: (cache: String, count: Int, place: Place, own: RunGroup)? {
        let champions = champions.caches
        let others = wins.filter { !champions.contains($0.cache) && $0.count > 0 }
        guard let rival = others.stableSorted(by: { $0.count > $1.count }).first,
            let place = places.max(by: { gap($0, [rival.cache]) < gap($1, [rival.cache]) }),
            let own = place.others.first(where: { $0.key.cache == rival.cache })
        else { return nil }
        return (rival.cache, rival.count, place, own)
    }

    /// Returns the sentence about a cache that ties with the best one on some traces.
    private func tieText(_ rival: (cache: String, count: Int, place: Place, own: RunGroup)) -> String {
        let (best, behind) = HumanText.shares(figure(rival.place.best), figure(rival.own))
        return """
             \(NameList.name(rival.cache)) ties with it on \(rival.count); on \(NameList.name(rival.place.name)), it \
            has \
            \(behind) \(measure.whole), and \(NameList.name(rival.place.best.key.cache)) \(best).
            """
    }

    /// Returns the trace on which the champions are most behind, and the best of them there; nil if they are on none.
    private func lost(_ champions: [String]) -> (place: Place, own: RunGroup)? {
        let lost = places.filter { place in !place.winners.contains { champions.contains($0.key.cache) } }
        guard let place = lost.max(by: { gap($0, champions) < gap($1, champions) }),
            let own = place.others.first(where: { champions.contains($0.key.cache) })
        else { return nil }
        return (place, own)
    }

    /// How far the champions are behind on a trace.
    private func gap(_ place: Place, _ champions: [String]) -> Double {
        guard let own = place.others.first(where: { champions.contains($0.key.cache) }) else { return 0 }
        return abs(figure(place.best) - figure(own))
    }

    /// The sentence about the memory that the best caches need; nil if memory has no figures.
    var memory: Finding? {
        let caches = places.count == 1 ? places[0].winners.map(\.key.cache) : champions.caches
        let peaks = caches.compactMap { cache in peak(cache).map { (cache: cache, group: $0) } }
            .stableSorted { bytes($0.group) < bytes($1.group) }
        guard let least = peaks.first, let most = peaks.last else { return nil }
        let place = places.count == 1 ? "" : " on \(NameList.name(least.group.key.place))"
        let evidence = peaks.compactMap { $0.group.evidence("memory_peak_bytes") }
        if peaks.count > 1, !relevanceThreshold.ties(bytes(least.group), bytes(most.group), .bytes) {
            return Finding(
                subject: .memory,
                text: """
                    The least memory for that: \(NameList.name(least.cache)), with a peak of \
                    \(HumanText.bytes(bytes(least.group)))\(place); \(NameList.name(most.cache)) needs \
                    \(HumanText.bytes(bytes(most.group))).
                    """, evidence: evidence, caches: [least.cache, most.cache])
        }
        let closest = smaller(than: least.group)
        let text =
            peaks.count == 1
            ? """
            \(NameList.name(least.cache)) needs \(HumanText.bytes(bytes(least.group))) of memory at its peak\(place).
            """
            : "Each needs \(HumanText.bytes(bytes(least.group))) of memory at its peak\(place)."
        return Finding(
            subject: .memory, text: text + (closest?.text ?? ""), evidence: evidence,
            caches: (peaks.count == 1 ? [least.cache] : []) + (closest.map { [$0.cache] } ?? []))
    }

    /// The share of the best cache's memory below which another one counts as smaller.
    private static let less = 0.9

    /// Returns the cache that comes closest with less memory, and a sentence about it; nil if there is none.
    private func smaller(than group: RunGroup) -> (cache: String, text: String)? {
        let candidates = groups.map(\.key.cache).unique().compactMap {
            cache -> (RunGroup, gap: Double, place: String)? in
            guard let peak = peak(cache), bytes(peak) < Self.less * bytes(group) else { return nil }
            let gaps = places.map { place in
                let own = (place.winners + place.others).first { $0.key.cache == cache }
                return (own.map { abs(figure($0) - figure(place.best)) } ?? .infinity, place.name)
            }
            return gaps.max { $0.0 < $1.0 }.map { (peak, $0.0, $0.1) }
        }
        guard let closest = candidates.min(by: { $0.gap < $1.gap }), closest.gap.isFinite else { return nil }
        let points = HumanText.share(closest.gap).replacing("%", with: "")
        let place = places.count == 1 ? "" : " at most (on \(NameList.name(closest.place)))"
        let text = """
             With less, \(NameList.name(closest.0.key.cache)) comes closest: \(points) points \
            \(measure.isHigherBetter ? "fewer hits" : "more blank time")\(place), with \
            \(HumanText.bytes(bytes(closest.0))).
            """
        return (closest.0.key.cache, text)
    }

    /// The group of a cache with its largest peak of memory.
    private func peak(_ cache: String) -> RunGroup? {
        groups.filter { $0.key.cache == cache && $0.median("memory_peak_bytes") != nil }
            .max { bytes($0) < bytes($1) }
    }

    private func bytes(_ group: RunGroup) -> Double { group.median("memory_peak_bytes") ?? 0 }
}

extension RunGroup {
    /// Whether two groups differ by less than can be relied on.
    ///
    /// Figures tie within the tolerance. Measured ones tie within the spread of their repeats too; of a single run,
    /// within `SmallestEffect.ofSingleRuns`.
    ///
    /// - Parameter unit: The unit of the metric.
    func ties(with other: RunGroup, _ metric: String, _ unit: Unit, _ relevanceThreshold: Tolerance) -> Bool {
        guard let own = median(metric), let theirs = other.median(metric) else { return false }
        guard !relevanceThreshold.ties(own, theirs, unit) else { return true }
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
