import Basics
import Runs

/// The answer to "which cache?": one cache, or several that tie, or that these sessions cannot tell.
struct Ranking {
    /// A cache that has figures at all places.
    struct Standing {
        var cache: String
        /// By place.
        var groups: [RunGroup]
        /// All of its groups, with every value and every model.
        var all: [RunGroup]
        /// By how much the cache is worse than the best cache at its worst place; 0 if it ties everywhere.
        var gap: Double
        /// The worst place.
        var place: Int
    }

    let caches: ComparedCaches
    /// The least gap first.
    let standings: [Standing]
    /// By place: the best runs; nil without runs.
    private let best: [RunGroup?]
    private let choices: [ComparedCaches.Choice]

    init(_ caches: ComparedCaches) {
        self.caches = caches
        let choices = caches.choices
        let best = caches.places.indices.map { place in
            choices.compactMap { $0.groups[place] }.min(by: caches.isBetter)
        }
        (self.choices, self.best) = (choices, best)
        standings = choices.compactMap { choice -> Standing? in
            let groups = choice.groups.compactMap(\.self)
            guard groups.count == caches.places.count else { return nil }
            let gaps = zip(groups, best).map { own, best in best.map { caches.gap(own, behind: $0) } ?? 0 }
            let place = gaps.indices.max { gaps[$0] < gaps[$1] } ?? 0
            return Standing(cache: choice.cache, groups: groups, all: choice.all, gap: gaps[place], place: place)
        }.stableSorted { $0.gap < $1.gap }
    }

    /// The caches that are best everywhere; otherwise those whose gap is the least one, within the tolerance.
    var winners: [Standing] {
        guard let first = standings.first else { return [] }
        return standings.filter {
            $0.gap == first.gap || first.gap > 0 && caches.relevanceThreshold.ties($0.gap, first.gap, .ratio)
        }
    }

    /// The closest cache that is not among the ``winners``.
    var next: Standing? { standings.dropFirst(winners.count).first }

    // MARK: Sentences

    private static let cannotTell = "These sessions cannot tell caches apart:"

    var answer: Finding {
        let all = caches.variants.flatMap { $0.models.joined() }
        guard !all.isEmpty else {
            return finding("\(Self.cannotTell) no result has a share of \(caches.measure.noun).", [])
        }
        if let overBudget { return overBudget }
        if choices.count == 1 { return alone }
        guard all.contains(where: { caches.figure($0) > 0 }) else {
            let reason =
                caches.measure.isHigherBetter
                ? "no cache answers a request. Nothing is asked for twice, or nothing fits."
                : "no cell is blank with any cache. A slower network, such as --network 3g, would tell more."
            return finding("\(Self.cannotTell) \(reason)", Array(all.prefix(3)))
        }
        let winners = winners
        guard let first = winners.first else {
            return finding(
                "\(Self.cannotTell) no cache has figures\(caches.everywhere).", Array(all.prefix(3)))
        }
        if winners.count == choices.count, first.gap == 0 { return tie }
        if first.gap > 0 { return closest }
        return winners.count == 1 ? winner(first) : tiedWinners
    }

    private func finding(
        _ text: String, then context: String = "", _ groups: [RunGroup], _ metric: String? = nil
    ) -> Finding {
        Finding(
            subject: .best, text: context.isEmpty ? text : "\(text) \(context)",
            evidence: caches.evidence(groups, metric), caches: groups.map(\.key.cache).unique(), headline: text,
            context: context)
    }

    /// The sentence if no cache keeps the limits: the first limit that each cache breaks, and the cache that comes
    /// closest to it. nil if a cache keeps them.
    private var overBudget: Finding? {
        guard let first = caches.brokenBudgets.first else { return nil }
        let broken = caches.brokenBudgets.map { budget in
            (budget: budget, groups: caches.variants.compactMap { worst($0, budget) })
        }
        guard let (budget, groups) = broken.first(where: { $0.groups.count == caches.variants.count }),
            let closest = groups.min(by: { isCloser($0, $1, to: budget) }), let value = closest.median(budget.metric)
        else {
            let all = NameList.text(caches.brokenBudgets.map(\.description))
            return finding("No cache keeps \(all) together.", broken.flatMap(\.groups), first.metric)
        }
        let figure = HumanText.figure(value, SummaryColumns[budget.metric]?.unit ?? .count)
        return finding(
            "No cache keeps \(budget).",
            then: """
                \(NameList.name(closest.key.cache)) comes closest: \(figure) on \(NameList.name(closest.key.place)).
                """, [closest], budget.metric)
    }

    /// Returns the runs of a variant that are farthest beyond a limit; nil if none are beyond it.
    private func worst(_ variant: ComparedCaches.Variant, _ budget: FigureBudget) -> RunGroup? {
        variant.models.joined().filter { $0.breaks(budget) }.max { isCloser($0, $1, to: budget) }
    }

    /// Whether runs beyond a limit are closer to it than others.
    private func isCloser(_ one: RunGroup, _ other: RunGroup, to budget: FigureBudget) -> Bool {
        guard let one = one.median(budget.metric), let other = other.median(budget.metric) else { return false }
        return abs(one - budget.bound) < abs(other - budget.bound)
    }

    private var alone: Finding {
        let all = choices[0].all
        let ends = [all.min(by: caches.isBetter), all.max(by: caches.isBetter)].compactMap(\.self)
        let does = "\(NameList.name(choices[0].cache)) \(caches.does(all))\(caches.everywhere)"
        guard caches.variants.count > 1 else {
            return finding("\(does).", then: "There is no other cache to compare it with.", ends)
        }
        let isFlat = caches.places.indices.allSatisfy { place in
            let groups = caches.variants.compactMap { caches.worst($0, place) }
            guard let best = groups.min(by: caches.isBetter) else { return true }
            return groups.allSatisfy { caches.ties($0, best) }
        }
        let link = isFlat ? "whatever" : "depending on"
        return finding("\(does), \(link) its \(NameList.text(caches.parameters)).", ends)
    }

    private var tie: Finding {
        let groups = standings.flatMap(\.groups)
        let ends = [groups.min(by: caches.isBetter), groups.max(by: caches.isBetter)].compactMap(\.self)
        let isNoise = zip(best, caches.places.indices).contains { best, place in
            best.map { best in
                standings.contains {
                    !caches.relevanceThreshold.ties(caches.figure($0.groups[place]), caches.figure(best), .ratio)
                }
            } ?? false
        }
        let count = NameList.all(choices.count)
        let reason = isNoise ? "the repeats cannot tell \(count) caches apart" : "\(count) caches tie"
        let values = caches.parameters.isEmpty ? "" : ", each with its best value"
        let unlikeness = unlikeness(standings)
        let does = "They \(caches.does(groups, isPlural: true))"
        var finding = finding(
            unlikeness.isEmpty
                ? "Stay with what you have: \(reason)\(caches.everywhere)\(values)."
                : "By \(caches.measure.noun), \(reason)\(caches.everywhere)\(values).",
            then: unlikeness.isEmpty ? "\(does)." : "\(does), \(unlikeness.text).",
            ends + standings.prefix(3).map { $0.groups[0] })
        finding.evidence += unlikeness.evidence
        return finding
    }

    /// Returns the ``Unlikeness`` of caches that tie: their largest peaks and hitches.
    private func unlikeness(_ standings: [Standing]) -> Unlikeness {
        func most(_ metric: String) -> [Finding.Evidence] {
            standings.compactMap { $0.groups.compactMap { $0.evidence(metric) }.max { $0.value < $1.value } }
        }
        return Unlikeness(peaks: most("memory_peak_bytes"), hitches: most("hitch_60hz_ms_per_s"))
    }

    /// The sentence about the only cache that is best everywhere.
    private func winner(_ first: Standing) -> Finding {
        let name = NameList.name(first.cache)
        let own = caches.figure(first.groups[0])
        let amount = caches.places.count == 1 ? ": \(HumanText.share(own)) of \(caches.measure.whole)" : ""
        var finding = finding(
            "\(name) \(caches.measure.leads)\(caches.everywhere)\(amount).", then: nextText, first.groups + rivals)
        if let next, caches.places.count > 1 {
            finding.headline = """
                \(name) \(caches.measure.leads)\(caches.everywhere), by up to \(AmountText.points(next.gap)).
                """
        }
        return finding
    }

    /// The sentence about several caches that are best everywhere, but not all.
    private var tiedWinners: Finding {
        let groups = winners.flatMap(\.groups)
        let amount = caches.places.count == 1 ? ". They \(caches.does(groups, isPlural: true))" : ""
        let unlikeness = unlikeness(winners)
        let advice = unlikeness.isEmpty ? "so stay with the one you have" : unlikeness.text
        var finding = finding(
            "\(NameList.text(winners.map(\.cache))) tie\(caches.everywhere), \(advice)\(amount).",
            then: nextText, groups + rivals)
        finding.evidence += unlikeness.evidence
        return finding
    }

    /// The sentence about the caches that come closest to being best everywhere.
    private var closest: Finding {
        let winners = winners
        // Each is at most as far behind as the last of those that tie.
        let worst = winners.max { $0.gap < $1.gap } ?? winners[0]
        let names = NameList.text(winners.map(\.cache))
        var finding = finding(
            """
            No cache is best\(caches.everywhere). \(names) \
            \(winners.count == 1 ? "comes closest, at most" : "come closest, each at most") \(behind(worst)).
            """, winners.flatMap(\.groups) + [best[worst.place]].compactMap(\.self))
        finding.headline = """
            \(names) \(winners.count == 1 ? "is" : "are") at most \(AmountText.points(worst.gap)) behind the best cache\
            \(caches.everywhere).
            """
        finding.context = finding.text
        return finding
    }

    /// The sentence about the next cache; nothing without one.
    private var nextText: String {
        guard let next else { return "" }
        let ties = zip(next.groups, best).count { own, best in best.map { caches.ties(own, $0) } ?? false }
        let subject = "The next, \(NameList.name(next.cache)),"
        guard caches.places.count > 1 else { return "\(subject) is \(behind(next))." }
        return "\(subject)\(ties > 0 ? " ties on \(ties) of them, and" : "") is at most \(behind(next))."
    }

    /// The runs that ``nextText`` names.
    private var rivals: [RunGroup] {
        guard let next else { return [] }
        return [next.groups[next.place]] + [best[next.place]].compactMap(\.self)
    }

    /// Returns `1.0 points behind: 3.0% against 2.0%`, with the place if there are several, and the best cache there.
    private func behind(_ standing: Standing) -> String {
        guard let best = best[standing.place] else { return "" }
        let figures = HumanText.shares(caches.figure(standing.groups[standing.place]), caches.figure(best))
        let name = NameList.name(caches.places[standing.place])
        let place = caches.places.count == 1 ? "" : ", on \(name), where \(NameList.name(best.key.cache)) is best"
        return "\(AmountText.points(standing.gap)) behind\(place): \(figures.0) against \(figures.1)"
    }
}
