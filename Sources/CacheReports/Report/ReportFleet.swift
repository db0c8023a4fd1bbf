import Basics
import Foundation
import ReplayEngine
import Runs

/// What a report says about all users of a fleet. The page shows a few of the sessions in detail.
struct ReportFleet {
    let statistics: FleetStatistics
    let users: FleetUsers
    let ranking: FleetRanking
    /// The sessions that are shown in detail, each with the reason.
    let details: [(session: String, reason: String)]
    private let pictures: [(chart: Chart, svg: Data)]

    /// The most users that a table names.
    private static let mostUsers = 20
    /// The most caches of a matrix.
    private static let mostCaches = 12

    /// - Parameters:
    ///   - table: The figures of all sessions.
    ///   - statistics: What they say.
    ///   - pictures: The charts of the fleet, each with its SVG.
    /// - Returns: nil without users.
    init?(_ table: FleetTable, _ statistics: FleetStatistics, _ pictures: [(chart: Chart, svg: Data)] = []) {
        guard let ranking = FleetRanking(statistics) else { return nil }
        self.statistics = statistics
        self.ranking = ranking
        self.pictures = pictures
        users = FleetUsers(table, ranking.figure)
        details = Self.details(table, ranking)
    }

    /// Returns the sessions at the median, at the worst 20th, and at the end of the distribution with the best cache.
    private static func details(_ table: FleetTable, _ ranking: FleetRanking) -> [(session: String, reason: String)] {
        guard let best = table.caches.firstIndex(of: ranking.best.cache) else { return [] }
        let order = FleetOrder(table)
        let values = FleetValues(ranking.figure, cache: best, table, order).sessions
        let sign: Double = ranking.figure.polarity == .higherIsBetter ? -1 : 1
        let places = values.indices.filter { !values[$0].isNaN }.stableSorted { sign * values[$0] < sign * values[$1] }
        guard !places.isEmpty else { return [] }
        let cache = NameList.name(ranking.best.cache)
        let picks = [
            (places[(places.count - 1) / 2], "the median session with \(cache)"),
            (places[(places.count - 1) * 19 / 20], "with \(cache), one session in 20 is as bad as this one, or worse"),
            (places[places.count - 1], "the worst session with \(cache)"),
        ]
        var seen: Set<Int> = []
        return picks.filter { seen.insert($0.0).inserted }.map { (table.sessions[order.sessions[$0.0]].name, $0.1) }
    }

    /// The entries of the page's contents.
    var contents: [(String, String)] { [("worse", "Who is worse off?"), ("users", "All users")] }

    var lead: String {
        "\(FleetStatistics.count(statistics.sessionCount, "session")) of "
            + FleetStatistics.count(statistics.userCount, "user")
    }

    var html: String {
        """
        <section aria-labelledby="worse">
        <h2 id="worse">Who is worse off?</h2>
        \(comparison)\(losses)\(worst)</section>
        <section aria-labelledby="users">
        <h2 id="users">All users</h2>
        \(figures)\(tables)</section>

        """
    }

    /// The section of the notes.
    var notes: String {
        """
        <section aria-labelledby="notes">
        <h2 id="notes">Notes</h2>
        \(HTML.list(statistics.notes))</section>

        """
    }

    // MARK: Who is worse off

    private var figure: FleetFigure { ranking.figure }
    private var noun: String { figure == .blank ? "blank time" : "memory hits" }
    private var best: String { ranking.best.cache }

    /// What is known about the best cache, in a sentence.
    private var standing: String {
        let ties = ranking.winners.map(\.cache).filter { $0 != best }
        let name = NameList.name(best)
        guard !ties.isEmpty else { return "\(name) is best in the mean." }
        return "\(name) has the \(figure == .blank ? "least" : "most") \(noun) in the mean, and ties with "
            + "\(NameList.text(ties))."
    }

    /// The other caches against the best one, user by user.
    private var comparison: String {
        let rows = statistics.caches.filter { $0 != best }.compactMap { cache -> [String]? in
            guard let pair = statistics.pair(figure, best, cache) else { return nil }
            func difference(_ value: Double) -> String { FleetTexts.difference(value, figure) }
            let interval = pair.difference.interval.map { "\(difference($0.low)) to \(difference($0.high))" }
            return [
                NameList.name(cache), pair.worse.map(HumanText.share) ?? "–", pair.better.map(HumanText.share) ?? "–",
                HumanText.share(pair.equal), difference(pair.difference.value), interval ?? "–",
            ]
        }
        guard !rows.isEmpty else { return "" }
        let heads = [
            ("cache", ""), ("worse off", "number"), ("better off", "number"), ("equal", "number"),
            ("mean difference", "number"), ("95% interval", "number"),
        ]
        return """
            <p>\(HTML.text(standing)) The table shows, for each other cache, the share \
            of users who are worse off and better off with it than with \(HTML.text(NameList.name(best))), by \
            \(noun). Differences are in percentage points.</p>
            \(HTML.table("Each cache against \(NameList.name(best))", heads, Self.escaped(rows)))
            """
    }

    /// The users for whom another cache is better.
    private var losses: String {
        guard let place = users.caches.firstIndex(of: best), users.caches.count > 1 else { return "" }
        let losses = users.losses(with: place)
        let name = HTML.text(NameList.name(best))
        guard !losses.isEmpty else {
            return "<p>For no user is another cache better than \(name), by \(noun).</p>\n"
        }
        let share = HumanText.share(Double(losses.count) / Double(max(1, ranking.best.count)))
        let rows = losses.prefix(Self.mostUsers).map { loss in
            let shares = HumanText.shares(loss.user.values[loss.best], loss.user.values[place])
            return [
                loss.user.name, Self.sessions(loss.user), NameList.name(users.caches[loss.best]), shares.0, shares.1,
            ]
        }
        let heads = [
            ("user", ""), ("sessions", "wide"), ("best cache for this user", "wide"), ("with it", "number"),
            ("with \(NameList.name(best))", "number"),
        ]
        return """
            <h3>Users for whom another cache is better</h3>
            <p>\(FleetStatistics.count(losses.count, "user")) of \
            \(HumanText.count(Double(ranking.best.count))) (\(share)): another cache has \
            \(figure == .blank ? "less" : "more") \(noun) than \
            \(name).\(losses.count > rows.count ? " These \(rows.count) lose most." : "")</p>
            \(HTML.table("Users for whom another cache is better", heads, Self.escaped(rows)))
            """
    }

    /// The users with the worst figures, with each cache.
    private var worst: String {
        guard let place = users.caches.firstIndex(of: best) else { return "" }
        let order = [place] + users.caches.indices.filter { $0 != place }
        let shown = order.prefix(Self.mostCaches)
        let rows = users.worst(cache: place).prefix(Self.mostUsers).map { user in
            [user.name, Self.sessions(user)]
                + shown.map { user.values[$0].isNaN ? "–" : HumanText.share(user.values[$0]) }
        }
        let heads = [("user", ""), ("sessions", "wide")] + shown.map { (NameList.name(users.caches[$0]), "number") }
        let more = order.count > shown.count ? " The table has \(shown.count) of \(order.count) caches." : ""
        return """
            <h3>Users with the \(figure == .blank ? "most" : "fewest") \(noun)</h3>
            <p>With \(HTML.text(NameList.name(best))).\(more)</p>
            \(HTML.table("Users with the worst figures", heads, Self.escaped(rows)))
            """
    }

    private static func sessions(_ user: FleetUsers.User) -> String {
        let names = user.sessions.prefix(3).joined(separator: ", ")
        return user.sessions.count > 3 ? "\(names) and \(user.sessions.count - 3) more" : names
    }

    private static func escaped(_ rows: some Sequence<[String]>) -> [[String]] {
        rows.map { $0.map { HTML.text(VisibleText.printable($0)) } }
    }

    // MARK: All users

    private var figures: String {
        pictures.map { chart, svg in
            let meaning = FleetChart(rawValue: chart.files.kind)?.meaning ?? ""
            return """
                <figure><img alt="\(HTML.text(chart.title))" \
                src="data:image/svg+xml;base64,\(svg.base64EncodedString())">
                <figcaption>\(HTML.text(meaning.prefix(1).uppercased() + meaning.dropFirst()))</figcaption></figure>

                """
        }.joined()
    }

    private var tables: String {
        let heads =
            [("cache", "")] + (["mean", "95% interval"] + FleetStatistics.shareNames).map { ($0, "number") }
        let figures = FleetFigure.allCases.map { figure -> String in
            let rows = statistics.caches.compactMap { statistics.row(figure, $0) }.map { row in
                [
                    NameList.name(row.cache), FleetTexts.value(row.mean.value, figure),
                    row.mean.interval.map { FleetTexts.interval($0, figure) } ?? "–",
                ] + row.quantiles.map { FleetTexts.value($0.value, figure) }
            }
            guard !rows.isEmpty else { return "" }
            let title = FleetTexts.title(figure)
            return """
                <h3>\(HTML.text(title.prefix(1).uppercased() + title.dropFirst()))</h3>
                <p class="foot">\(HTML.text(figure.meaning.prefix(1).uppercased() + figure.meaning.dropFirst())), over \
                users.</p>
                \(HTML.table(title, heads, Self.escaped(rows)))
                """
        }
        return figures.joined() + latencies
    }

    private var latencies: String {
        let rows = statistics.latencies.filter { $0.group == .all }.map { row in
            [NameList.name(row.cache), HumanText.count(Double(row.count))]
                + [row.mean, Double(row.p50), Double(row.p90), Double(row.p99), Double(row.p999)].map {
                    HumanText.microseconds($0 / 1_000)
                }
        }
        guard !rows.isEmpty else { return "" }
        let heads = [("cache", "")] + ["requests", "mean", "p50", "p90", "p99", "p99.9"].map { ($0, "number") }
        return """
            <h3>Time to image</h3>
            <p class="foot">Of the requests of all sessions that were delivered. A cache that delivers fewer can look \
            faster.</p>
            \(HTML.table("Time to image", heads, Self.escaped(rows)))
            """
    }
}
