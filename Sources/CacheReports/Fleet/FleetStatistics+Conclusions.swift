import Basics
import Runs
import Statistics

extension FleetStatistics {
    /// The conclusions from these figures: at most six for each network, the most important one first, and one more.
    public var conclusions: [Finding] {
        let rankings = rankings
        guard !rankings.isEmpty else { return [] }
        return rankings.flatMap { ranking -> [Finding] in
            let findings: [Finding?] = [
                ranking.answer, ranking.hitches, ranking.excess, ranking.users, ranking.tail, ranking.memory,
            ]
            return findings.compactMap(\.self)
        } + [basis]
    }

    /// The order of the caches over each network.
    var rankings: [FleetRanking] { comparedNetworks.compactMap { FleetRanking(self, over: $0) } }

    /// Whether sentences and tables count users, and have no percentages of them.
    var countsUsers: Bool { userCount < Self.leastUsers }

    private var basis: Finding {
        let sessions = "\(HumanText.count(sessionCount, "session")) of \(HumanText.count(userCount, "user"))"
        var text = "These figures rest on \(sessions)"
        if userCount == 1 {
            text += ", who says nothing about others."
        } else {
            text += hasOneSessionPerUser ? ", one of each." : "."
        }
        let lacks = rows.filter { $0.level == .users && $0.mean.lack == .tooFewUsers }
        let figures = lacks.map { FleetTexts.title($0.figure) }.unique()
        if !figures.isEmpty {
            text += " That is too few for intervals of the means of \(NameList.text(figures))."
        }
        if userCount > 1, hasOneSessionPerUser {
            text += " How much the sessions of one user differ is unknown."
        }
        if countsUsers { text += " Sessions of \(Self.leastUsers) users give an interval of the blank time." }
        return Finding(subject: .basis, text: text + origin)
    }

    /// The sentence on sessions that a model generated.
    private var origin: String {
        switch generatedCount {
        case nil: ""
        case sessionCount?: " The sessions are modelled, not recorded."
        case let count?: " \(count) of the sessions \(count == 1 ? "is" : "are") modelled, not recorded."
        }
    }

    /// Returns the pair with this first cache: the stored one, or the stored one turned around.
    func pair(_ figure: FleetFigure, _ first: String, _ second: String) -> Pair? {
        // By place: a pair is large, and there are many.
        func find(_ first: String, _ second: String) -> Int? {
            pairs.indices.first {
                pairs[$0].figure == figure && pairs[$0].first == first && pairs[$0].second == second
            }
        }
        if let place = find(first, second) { return pairs[place] }
        guard let place = find(second, first) else { return nil }
        var pair = pairs[place]
        (pair.first, pair.second) = (first, second)
        (pair.better, pair.worse) = (pair.worse, pair.better)
        pair.difference.value = 0 - pair.difference.value
        pair.difference.interval = pair.difference.interval.map {
            ConfidenceInterval(low: 0 - $0.high, high: 0 - $0.low)
        }
        return pair
    }
}

/// The order of caches by the mean over users of the figure that a person notices.
struct FleetRanking {
    let statistics: FleetStatistics
    /// The network whose caches are ranked; nil for the only one.
    let network: String?
    /// Blank time, or memory hits if no cache has any blank time.
    let figure: FleetFigure
    let best: FleetStatistics.Row
    /// The caches that tie with the best one or cannot be told from it, in the order of the results, with the best one.
    let winners: [FleetStatistics.Row]
    /// The caches of ``winners`` that differ from the best one by more than the tolerance, which chance can explain.
    let undecided: [FleetStatistics.Row]
    /// The others, the best one first.
    let others: [FleetStatistics.Row]

    /// - Returns: nil without rows.
    init?(_ statistics: FleetStatistics, over network: String? = nil) {
        let users = statistics.rows.filter { $0.level == .users && statistics.networks[$0.cache] == network }
        let hasBlank = users.contains { $0.figure == .blank && $0.mean.value > 0 }
        let figure = hasBlank ? FleetFigure.blank : .memoryHits
        let sign: Double = figure.polarity == .higherIsBetter ? -1 : 1
        let rows = users.filter { $0.figure == figure }.stableSorted { sign * $0.mean.value < sign * $1.mean.value }
        guard let best = rows.first else { return nil }
        func ties(_ row: FleetStatistics.Row) -> Bool {
            guard row != best, let pair = statistics.pair(figure, best.cache, row.cache) else { return row == best }
            let other = best.mean.value + pair.difference.value
            return statistics.relevanceThreshold.ties(best.mean.value, other, figure.unit)
        }
        func isOpen(_ row: FleetStatistics.Row) -> Bool {
            !ties(row) && statistics.pair(figure, best.cache, row.cache)?.isDecided == false
        }
        self.statistics = statistics
        self.network = network
        self.figure = figure
        self.best = best
        let ordered = statistics.caches.compactMap { cache in rows.first { $0.cache == cache } }
        winners = ordered.filter { ties($0) || isOpen($0) }
        undecided = ordered.filter(isOpen)
        others = rows.filter { !ties($0) && !isOpen($0) }
    }

    /// The noun of the figure by which caches are better.
    var subject: String { measure.noun }
    var fewer: String { isBlank ? "less" : "more" }
    var isBlank: Bool { figure == .blank }
    var measure: Measure { isBlank ? .blank : .memoryHits }
    private var more: String { isBlank ? "more" : "fewer" }

    /// The caches that ``answer`` names.
    var named: [String] {
        let tied = others.isEmpty ? winners.map(\.cache) : tie.names
        return NameList.shown(tied, most: others.isEmpty ? 3 : FleetTie.mostNamed) + others.prefix(1).map(\.cache)
    }

    /// The caches that tie with the best one, as sentences count them.
    private var tie: FleetTie { FleetTie(winners, others, statistics.cacheName) }

    /// Returns the tolerance of a figure in words, such as `0.1 points`.
    func tolerance(_ figure: FleetFigure) -> String { statistics.relevanceThreshold.text(figure.unit) }

    // MARK: Sentences

    /// The best caches, or that they tie, or that these users cannot tell.
    var answer: Finding {
        let all = winners + others
        let shown = winners.count == all.count ? winners : winners + others.prefix(1)
        let means = shown.flatMap { row -> [Finding.Evidence] in
            let ends = row.mean.interval.map { [$0.low, $0.high] } ?? []
            return ([row.mean.value] + ends).map { evidence(row, "mean", $0) }
        }
        let (text, context) = answerTexts(all)
        return Finding(
            subject: .best, text: context.isEmpty ? text : "\(text) \(context)",
            evidence: means + differences + (winners.count > 1 ? unlikeness.evidence : []),
            caches: named.map(statistics.cacheName), headline: text, context: context)
    }

    /// Returns the first sentence, and its context; empty for nothing.
    private func answerTexts(_ all: [FleetStatistics.Row]) -> (text: String, context: String) {
        guard all.contains(where: { $0.mean.value > 0 }) else {
            let reason = "no cell is blank, and memory answers no request."
            return ("These sessions cannot tell caches apart\(over): \(reason)", "")
        }
        let interval = best.mean.interval.map { " (\(FleetTexts.interval($0, figure)))" } ?? ""
        let name = NameList.name(best.cache)
        if all.count == 1 {
            return (
                "\(name) \(does(winners))\(over)\(mean)\(interval).", "There is no other cache to compare it with."
            )
        }
        let tie = tie
        if winners.count == 1 || winners.count < all.count && tie.names.count == 1 {
            let own = "\(HumanText.share(best.mean.value)) of \(measure.whole)"
            return ("\(name) \(measure.leads)\(over): \(own)\(mean)\(interval).", nextText)
        }
        if winners.count < all.count {
            let verb = undecided.isEmpty ? "tie within \(tolerance(figure))" : "cannot be told apart"
            let advice = unlikeness.isEmpty ? "so stay with the one you have" : unlikeness.text
            return (
                tie.sentence("\(verb)\(over)"),
                ["They \(does(winners))\(mean), \(advice).", nextText].filter { !$0.isEmpty }.joined(separator: " ")
            )
        }
        let count = NameList.all(all.count)
        let start =
            !undecided.isEmpty
            ? "These users cannot tell \(count) caches apart"
            : unlikeness.isEmpty
                ? "Stay with what you have: \(count) caches tie"
                : "\(NameList.all(all.count, begins: true)) caches tie in \(measure.noun)"
        let end = unlikeness.isEmpty ? "" : ", \(unlikeness.text)"
        return ("\(start)\(over).", "They \(does(winners))\(mean)\(end).")
    }

    var over: String { network.map { " over \($0)" } ?? "" }

    /// Returns ` in the mean over 56 users`; of one user, there is no mean.
    private var mean: String { best.count == 1 ? "" : " in the mean over \(HumanText.count(best.count, "user"))" }

    /// Returns `leave 3.5% to 3.6% of the visible time blank`.
    private func does(_ rows: [FleetStatistics.Row]) -> String {
        measure.does(Measure.range(rows.map(\.mean.value)), isPlural: rows.count > 1)
    }

    /// The difference of the next cache from the best one.
    private var difference: FleetStatistics.Pair? {
        others.first.flatMap { statistics.pair(figure, best.cache, $0.cache) }
    }

    private var nextText: String {
        guard let next = others.first, let difference else { return "" }
        let place = tie.names.count == 1 ? "The next" : "The first cache behind them"
        let start = "\(place), \(NameList.name(next.cache)), \(isBlank ? "leaves" : "has")"
        let value = difference.difference.value
        guard let interval = difference.difference.interval else {
            return "\(start) \(AmountText.points(value)) \(more)."
        }
        let points = [value] + [interval.low, interval.high].sorted { abs($0) < abs($1) }
        let texts = [1, 2].map { places in points.map { HumanText.decimals(abs($0) * 100, places) } }
        // As many digits as the ends need to differ.
        let shown = texts[texts[0][1] == texts[0][2] || texts[0][0] == texts[0][1] ? 1 : 0]
        return "\(start) \(shown[0]) points \(more) (\(shown[1]) to \(shown[2]))."
    }

    private var differences: [Finding.Evidence] {
        guard let next = others.first, let difference else { return [] }
        let ends = difference.difference.interval.map { [$0.low, $0.high] } ?? []
        return ([difference.difference.value] + ends).map { evidence(next, "difference", $0) }
    }

    func evidence(
        _ row: FleetStatistics.Row, _ statistic: String, _ value: Double, _ metric: FleetFigure? = nil
    ) -> Finding.Evidence {
        Finding.Evidence(
            trace: statistic, network: network, cache: statistics.cacheName(row.cache),
            metric: (metric ?? figure).rawValue, value: value)
    }

    /// For how many users the best cache is better than the next one, or than one that ties with it.
    var users: Finding? {
        guard let other = others.first ?? winners.first(where: { $0 != best }),
            let pair = statistics.pair(figure, other.cache, best.cache), let users = pair.users,
            pair.count > 1, users.better + users.worse > 0
        else { return nil }
        let countsUsers = statistics.countsUsers
        /// Returns `22` or `91.7%`, with what is after it.
        func amount(_ users: Int, _ middle: String, none: String) -> String {
            let share = HumanText.share(Double(users) / Double(pair.count))
            let number = users == 0 ? none : countsUsers ? "\(users)" : share
            return "\(number)\(middle) \(users == 0 || countsUsers && users == 1 ? "has" : "have")"
        }
        let total = " of \(HumanText.count(pair.count, "user"))"
        let names = (NameList.name(best.cache), NameList.name(other.cache))
        let last = amount(users.worse, "", none: "none")
        // Of caches that tie, no one asks for the best one: the sentence is about the first cache behind them.
        let text: String
        if others.isEmpty || tie.names.count == 1 {
            let first = amount(users.better, total, none: "None")
            text = "\(first) \(fewer) \(subject) with \(names.0) than with \(names.1), and \(last) \(more)."
        } else {
            let first = amount(users.better, total, none: "none")
            text = """
                With \(names.1), \(first) \(more) \(subject) than with \(names.0), whose mean is the best, and \
                \(last) \(fewer).
                """
        }
        return Finding(
            subject: .users, text: text,
            evidence: [("better off", pair.better), ("worse off", pair.worse)].map {
                evidence(best, "users who are \($0)", $1 ?? 0)
            }, caches: [best, other].map { statistics.cacheName($0.cache) })
    }
}
