import Basics
import Runs
import Statistics

extension FleetStatistics {
    /// The conclusions from these figures: at most four for each network, the most important one first, and one more.
    public var conclusions: [Finding] {
        let rankings = rankings
        guard !rankings.isEmpty else { return [] }
        let findings = rankings.flatMap { ranking -> [(Finding.Subject, String?, caches: [String])] in
            let best = [ranking.best.cache]
            return [
                (.best, ranking.bestText, ranking.named),
                (.users, ranking.usersText, best + [ranking.next].compactMap(\.self)),
                (.tail, ranking.tailText, best), (.memory, ranking.memoryText, best),
            ]
        }
        return (findings + [(.basis, basis, [])]).compactMap { subject, text, caches in
            text.map { Finding(subject: subject, text: $0, caches: caches.map(cacheName)) }
        }
    }

    /// The order of the caches over each network.
    var rankings: [FleetRanking] { comparedNetworks.compactMap { FleetRanking(self, over: $0) } }

    private var basis: String {
        let sessions = "\(HumanText.count(sessionCount, "session")) of \(HumanText.count(userCount, "user"))"
        if userCount == 1 {
            return "These figures rest on \(sessions), who says nothing about others: no intervals.\(origin)"
        }
        let single = hasOneSessionPerUser ? ", one of each, so they do not tell users from sessions" : ""
        let lacks = rows.filter { $0.level == .users && $0.mean.lack == .tooFewUsers }
        guard !lacks.isEmpty else { return "These figures rest on \(sessions)\(single).\(origin)" }
        let figures = lacks.map { FleetTexts.title($0.figure) }.unique()
        return """
            These figures rest on \(sessions)\(single). That is too few for intervals of the means of \
            \(NameList.text(figures, most: 6)).\(origin)
            """
    }

    /// The sentence on sessions that a model generated.
    private var origin: String {
        switch generatedCount {
        case nil: ""
        case sessionCount?: " The sessions are modelled, not recorded."
        case let count?: " \(count) of the sessions \(count == 1 ? "is" : "are") modelled, not recorded."
        }
    }

    /// Returns the pair with this first cache. It is the stored one, or that in the other direction.
    func pair(_ figure: FleetFigure, _ first: String, _ second: String) -> Pair? {
        if let pair = pairs.first(where: { $0.figure == figure && $0.first == first && $0.second == second }) {
            return pair
        }
        guard var pair = pairs.first(where: { $0.figure == figure && $0.first == second && $0.second == first }) else {
            return nil
        }
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
    private let statistics: FleetStatistics
    /// The network whose caches are ranked; nil for the only one.
    let network: String?
    /// Blank time, or memory hits if no cache has any blank time.
    let figure: FleetFigure
    let best: FleetStatistics.Row
    /// The caches that do not differ from the best one, in the order of the results, with the best one.
    let winners: [FleetStatistics.Row]
    /// The others, the best one first.
    let others: [FleetStatistics.Row]

    /// - Parameter network: The network whose caches are ranked; nil for the only one.
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
            if statistics.relevanceThreshold.ties(best.mean.value, other, figure.unit) { return true }
            return pair.difference.interval.map { $0.low <= 0 && $0.high >= 0 } ?? false
        }
        self.statistics = statistics
        self.network = network
        self.figure = figure
        self.best = best
        winners = statistics.caches.compactMap { cache in rows.first { $0.cache == cache && ties($0) } }
        others = rows.filter { !ties($0) }
    }

    /// What a cache has less of, or more of, if it is better.
    var subject: String { figure == .blank ? "blank time" : "memory hits" }
    var fewer: String { figure == .blank ? "less" : "more" }
    private var more: String { figure == .blank ? "more" : "fewer" }
    private var whole: String { figure == .blank ? "of the visible time" : "of the requests" }

    /// The caches that ``bestText`` names.
    var named: [String] { NameList.shown(winners.map(\.cache)) + others.prefix(1).map(\.cache) }

    var bestText: String {
        let title = figure == .blank ? "Least blank time" : "Most memory hits"
        let names = NameList.text(winners.map(\.cache))
        let tie = winners.count == 1 ? "" : ", which tie"
        let interval = best.mean.interval.map { " (\(FleetTexts.interval($0, figure)))" } ?? ""
        let next = others.first.map { row in
            let figures = HumanText.shares(best.mean.value, row.mean.value)
            return " The next, \(NameList.name(row.cache)), has \(figures.1)."
        }
        let own = HumanText.shares(best.mean.value, others.first?.mean.value ?? best.mean.value).0
        return """
            \(title) in the mean over \(HumanText.count(best.count, "user")): \(names)\(tie), with \(own) \
            \(whole)\(interval).\(next ?? "")
            """
    }

    /// The next one, or one that ties with the best.
    var next: String? { (others.first ?? winners.first { $0 != best })?.cache }

    /// For how many users the best cache is better than ``next``.
    var usersText: String? {
        guard let next, let pair = statistics.pair(figure, next, best.cache), let better = pair.better,
            let worse = pair.worse, pair.equal < 1
        else { return nil }
        return """
            With \(NameList.name(best.cache)) instead of \(NameList.name(next)), \(HumanText.share(better)) of \
            the users have \(fewer) \(subject), \(HumanText.share(worse)) have \(more), and \
            \(HumanText.share(pair.equal)) have as much.
            """
    }

    /// What one user in 20 has with the best cache.
    var tailText: String? {
        guard best.count >= 20 else { return nil }
        let isBlank = figure == .blank
        guard let own = isBlank ? best.quantiles.last : best.quantiles.first else { return nil }
        return """
            One user in 20 has at \(isBlank ? "least" : "most") \(HumanText.share(own.value)) of \(subject) with \
            \(NameList.name(best.cache)).
            """
    }

    var memoryText: String? {
        guard let row = statistics.row(.memoryPeak, best.cache), row.quantiles.count == FleetStatistics.shares.count
        else { return nil }
        let (median, p95) = (HumanText.bytes(row.quantiles[2].value), HumanText.bytes(row.quantiles[4].value))
        let amount =
            median == p95
            ? "\(median) of memory at its peak for half of the users, and for 95% of them"
            : "\(median) of memory at its peak for half of the users, and \(p95) for 95% of them"
        return "\(NameList.name(best.cache)) needs at most \(amount)."
    }
}
