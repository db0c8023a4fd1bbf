import Basics
import Foundation
import ReplayEngine
import Runs

/// The part of a report about all users of a fleet. The page shows a few of the sessions in detail.
struct ReportFleet {
    let statistics: FleetStatistics
    /// The caches over each network.
    private let orders: [Order]
    /// The sessions that are shown in detail, each with the reason.
    let details: [(session: String, reason: String)]
    private let pictures: [Chart.Picture]

    /// - Parameter pictures: The charts of the fleet, each with its SVG.
    /// - Returns: nil without users.
    init?(_ table: FleetTable, _ statistics: FleetStatistics, _ pictures: [Chart.Picture] = []) {
        let rankings = statistics.rankings
        guard !rankings.isEmpty else { return nil }
        self.statistics = statistics
        self.pictures = pictures
        orders = rankings.map { Order(table, statistics, $0) }
        var seen: Set<Int> = []
        details = rankings.flatMap { Self.details(table, $0, except: &seen) }
    }

    /// The caches that the conclusions name as the best ones, and their rivals.
    var named: [String] { orders.flatMap(\.ranking.named).map(statistics.cacheName).unique() }

    /// Returns the sessions at the median, at the worst 20th, and at the end of the distribution with the best cache.
    ///
    /// - Parameter seen: The places of the sessions that are shown already, in the order of the table's sessions.
    private static func details(
        _ table: FleetTable, _ ranking: FleetRanking, except seen: inout Set<Int>
    ) -> [(session: String, reason: String)] {
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
        return picks.filter { seen.insert($0.0).inserted }.map { (table.sessions[order.sessions[$0.0]].name, $0.1) }
    }

    var lead: String {
        "\(HumanText.count(statistics.sessionCount, "session")) of "
            + HumanText.count(statistics.userCount, "user")
    }

    /// The first part of the page: the figure that a person notices, by cache and user, the least mean first.
    var overview: [Document.Block] {
        let matrices = orders.flatMap { order -> [Document.Block] in
            let network = orders.count > 1 ? order.ranking.network : nil
            let headings = network.map { [Document.Block.heading("Over \($0)", level: 3)] } ?? []
            return headings + [.matrix(order.overview)]
        }
        let tolerance = statistics.relevanceThreshold.text(.ratio)
        let about = "Framed: the best of its column, and what cannot be told from it, or ties within \(tolerance)."
        let noun = orders[0].ranking.subject
        let title = "\(noun.prefix(1).uppercased() + noun.dropFirst()) by cache, over users"
        return [.section(title, id: "overview", matrices + [.sentences([about], as: .remark)])]
    }

    /// The sections of the page: who is worse off, and all users.
    var sections: [Document.Block] {
        [
            .section("Who is worse off?", id: "worse", orders.flatMap { $0.comparison + $0.losses + $0.worst }),
            .section("All users", id: "users", Document.Block.pictures(pictures) + tables),
        ]
    }

    // MARK: All users

    private var tables: [Document.Block] {
        let statistics = statistics.sorted(by: .standard)
        let figures = FleetFigure.allCases.flatMap { figure in
            part(
                FleetTexts.title(figure), statistics.grid(figure, NameList.name),
                about: "\(figure.meaning), over users."
            )
        }
        let latencies = part(
            "time to image", statistics.latencyGrid(NameList.name),
            about: "Of the requests of all sessions that were delivered. A cache that delivers fewer can look faster.")
        return figures + latencies
    }

    private func part(_ title: String, _ grid: TextGrid, about: String) -> [Document.Block] {
        func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
        guard !grid.rows.isEmpty else { return [] }
        return [
            .heading(capitalised(title), level: 3), .sentences([capitalised(about)], as: .remark), .table(grid, title),
        ]
    }
}

/// The order of the caches over one network, and the users who are worse off with the best one.
private struct Order {
    let ranking: FleetRanking
    private let statistics: FleetStatistics
    private let users: FleetUsers

    private static let mostUsers = 20
    private static let mostCaches = 12

    init(_ table: FleetTable, _ statistics: FleetStatistics, _ ranking: FleetRanking) {
        self.statistics = statistics
        self.ranking = ranking
        let caches = statistics.caches.filter { statistics.networks[$0] == ranking.network }
        users = FleetUsers(table.with(caches: Set(caches)), ranking.figure)
    }

    private var figure: FleetFigure { ranking.figure }
    private var noun: String { ranking.subject }
    private var best: String { ranking.best.cache }

    /// The mean over users and three of their quantiles, by cache, with memory and bytes in the mean.
    var overview: Document.Matrix {
        let isBlank = figure == .blank
        let quantiles = isBlank ? [2, 3, 4] : [2, 1, 0]
        let names = ["median user", "one user in 4", "one user in 20"]
        // One in 20 of few users would be a person or two.
        let shown = Array(zip(quantiles, names).prefix(ranking.best.knowsTail ? 3 : 2))
        let all = ranking.winners + ranking.others
        let rows = ResultOrder.standard.ordered(all, by: \.cache, figure.polarity) { row -> ResultOrder.Figure? in
            (row.mean.value, HumanText.share(row.mean.value))
        }.prefix(Self.mostCaches)
        func value(_ row: FleetStatistics.Row, _ quantile: Int) -> Double? {
            row.quantiles.indices.contains(quantile) ? row.quantiles[quantile].value : nil
        }
        let hasHitches = rows.contains { statistics.row(.hitches, $0.cache) != nil }
        let beside = [.memoryPeak, .bytes] + (hasHitches ? [FleetFigure.hitches] : [])
        let besideCells = beside.map { means($0, Array(rows)) }
        let table = rows.enumerated().map { index, row -> Document.Matrix.Row in
            let mean = Document.Matrix.Cell(
                text: RichText(HumanText.share(row.mean.value)), value: row.mean.value,
                isFramed: rows.count > 1 && ranking.winners.contains(row))
            let cells = shown.map { quantile, _ -> Document.Matrix.Cell in
                guard let own = value(row, quantile) else { return Document.Matrix.Cell(text: "–") }
                let all = rows.compactMap { value($0, quantile) }
                let best = (isBlank ? all.min() : all.max()) ?? own
                return Document.Matrix.Cell(
                    text: RichText(HumanText.share(own)), value: own,
                    isFramed: rows.count > 1 && statistics.relevanceThreshold.ties(own, best, .ratio))
            }
            return Document.Matrix.Row(
                head: RichText(NameList.name(row.cache)), cells: [mean] + cells + besideCells.map { $0[index] })
        }
        var columns = [Document.Matrix.Column(title: "mean of users", kind: .share)]
        for (index, quantile) in shown.enumerated() {
            let about = index == 0 ? "" : isBlank ? "at least" : "at most"
            columns.append(Document.Matrix.Column(title: RichText(quantile.1), about: about, kind: .share))
        }
        columns.append(Document.Matrix.Column(title: "peak memory", about: "mean of users", kind: .bar("memory")))
        columns.append(Document.Matrix.Column(title: "fetched", about: "mean of a session", kind: .bar("network")))
        if hasHitches {
            columns.append(Document.Matrix.Column(title: "hitches", about: "mean of users", kind: .delay))
        }
        let measure: Measure = isBlank ? .blank : .memoryHits
        return Document.Matrix(
            caption: "\(noun) by cache, over users", corner: "\(measure.noun), % of \(measure.whole)",
            columns: columns, rows: table, isHigherBetter: !isBlank, tolerance: statistics.relevanceThreshold)
    }

    /// Returns the means over users of a figure that has no colour.
    private func means(_ figure: FleetFigure, _ rows: [FleetStatistics.Row]) -> [Document.Matrix.Cell] {
        rows.map { row in
            Document.Matrix.Cell(
                text: RichText(statistics.meanText(figure, row.cache)),
                value: statistics.row(figure, row.cache)?.mean.value)
        }
    }

    /// The facts about the best cache, in a sentence.
    private var standing: String {
        let others = ranking.winners.map(\.cache).filter { $0 != best }
        let name = NameList.name(best)
        guard !others.isEmpty else { return "\(name) is best in the mean." }
        return """
            \(name) has the \(figure == .blank ? "least" : "most") \(noun) in the mean, and \
            \(ranking.undecided.isEmpty ? "ties with" : "cannot be told from") \(NameList.text(others)).
            """
    }

    /// The other caches against the best one, user by user.
    var comparison: [Document.Block] {
        let grid = statistics.sorted(by: .standard).grid(ranking, NameList.name)
        guard !grid.rows.isEmpty else { return [] }
        let name = NameList.name(best)
        return [
            .sentences([
                """
                \(standing) In the table, “mean” is the mean difference from \(name) for the same users, in \
                percentage points: how \(figure == .blank ? "much" : "many") more \(noun) they have with the other \
                cache. “better” and “worse” say how many users are better off and worse off with it.
                """
            ]), .table(grid, "Each cache against \(name)"),
        ]
    }

    /// The users for whom another cache is better.
    var losses: [Document.Block] {
        guard let place = users.caches.firstIndex(of: best), users.caches.count > 1 else { return [] }
        let losses = users.losses(with: place, statistics.relevanceThreshold)
        let name = NameList.name(best)
        guard !losses.isEmpty else {
            return [.sentences(["For no user is another cache better than \(name), by \(noun)."])]
        }
        let share = HumanText.share(Double(losses.count) / Double(max(1, ranking.best.count)))
        let part = statistics.countsUsers ? "" : " (\(share))"
        let rows = losses.prefix(Self.mostUsers).map { loss in
            let shares = HumanText.shares(loss.user.values[loss.best], loss.user.values[place])
            return [
                loss.user.name, Self.sessions(loss.user), NameList.name(users.caches[loss.best]), shares.0, shares.1,
            ]
        }
        let title = "Users for whom another cache is better"
        let headings =
            ["user", "sessions", "best cache for this user"].map { TextGrid.Heading.text($0) }
            + [.figure("with it"), .figure("with \(name)")]
        return [
            .heading(title, level: 3),
            .sentences([
                """
                \(HumanText.count(losses.count, "user")) of \
                \(HumanText.count(Double(ranking.best.count)))\(part): another cache has \(ranking.fewer) \(noun) than \
                \(name).\(losses.count > rows.count ? " These \(rows.count) lose most." : "")
                """
            ]), .table(TextGrid(headings: headings, rows: rows), title),
        ]
    }

    /// The users with the worst figures, with each cache.
    var worst: [Document.Block] {
        guard let place = users.caches.firstIndex(of: best) else { return [] }
        let order = [place] + users.caches.indices.filter { $0 != place }
        let shown = order.prefix(Self.mostCaches)
        let rows = users.worst(cache: place).prefix(Self.mostUsers).map { user in
            [user.name, Self.sessions(user)]
                + shown.map { user.values[$0].isNaN ? "–" : HumanText.share(user.values[$0]) }
        }
        let headings =
            [TextGrid.Heading.text("user"), .text("sessions")]
            + shown.map { .figure(NameList.name(users.caches[$0])) }
        let more = order.count > shown.count ? " The table has \(shown.count) of \(order.count) caches." : ""
        return [
            .heading("Users with the \(figure == .blank ? "most" : "fewest") \(noun)", level: 3),
            .sentences(["With \(NameList.name(best)).\(more)"]),
            .table(TextGrid(headings: headings, rows: rows), "Users with the worst figures"),
        ]
    }

    private static func sessions(_ user: FleetUsers.User) -> String {
        let names = user.sessions.prefix(3).joined(separator: ", ")
        return user.sessions.count > 3 ? "\(names) and \(user.sessions.count - 3) more" : names
    }
}
