import Basics
import ReplayEngine
import Runs

/// The charts of a fleet, drawn for each network. The raw value is the last part of the names of their files, such as
/// `fleet-users`, or `fleet-lte-users` with several networks.
public enum FleetChart: String, Sendable, CaseIterable {
    case users
    case limits

    public var meaning: String {
        switch self {
        case .users: "how a figure differs between users, one row per cache"
        case .limits: "the share of users within a limit, against the limit"
        }
    }

    static func charts(_ table: FleetTable, _ statistics: FleetStatistics, _ options: ChartOptions) -> [Chart] {
        statistics.rankings.flatMap { ranking -> [Chart] in
            let users = FleetUsers(table, ranking.figure)
            let caches = users.caches.indices.filter { statistics.networks[users.caches[$0]] == ranking.network }
            return allCases.map { kind in
                var content =
                    switch kind {
                    case .users: rows(caches, of: users, statistics, options)
                    case .limits: curves(caches, of: users, statistics, options)
                    }
                content.title = RepeatedRun.place(content.title, ranking.network)
                content.finding = (kind == .limits ? ranking.users ?? ranking.answer : ranking.answer).text
                content.source = [
                    HumanText.count(statistics.sessionCount, "session"), HumanText.count(statistics.userCount, "user"),
                ]
                return Chart(
                    ChartName("fleet", network: ranking.network, kind), trace: "", content, options,
                    caption: kind.meaning)
            }
        }
    }

    private static func name(_ figure: FleetFigure) -> String {
        figure == .blank
            ? "blank: share of the visible time without the image" : "share of requests that memory answers"
    }

    private static func title(_ figure: FleetFigure) -> String {
        figure == .blank ? "Blank time" : "Memory hits"
    }

    /// Returns an axis of shares, from 0, high enough that noise does not look large. The values come from all
    /// networks, so that the charts of a kind can be compared.
    private static func axis(to values: [Double]) -> Axis {
        let most = values.filter { !$0.isNaN }.max() ?? 1
        let high = max(min(1, most), Tolerance.share * Tolerance.leastSpan)
        return .linear(from: 0, to: most > 0 ? high : 1) { HumanText.wholeShare($0) }
    }

    // MARK: Distribution per cache

    /// For each cache, best first unless another order is chosen: a thin line from the 5th to the 95th percentile, a
    /// thick one over the middle half, a point at the median, and a hollow one at the mean.
    ///
    /// - Parameter caches: The caches over the chart's network, as places in `users`.
    private static func rows(
        _ caches: [Int], of users: FleetUsers, _ statistics: FleetStatistics, _ options: ChartOptions
    ) -> ChartContent {
        let rows = caches.compactMap { statistics.row(users.figure, users.caches[$0]) }
        let all = users.caches.compactMap { statistics.row(users.figure, $0) }
        func fields(_ row: FleetStatistics.Row) -> [String] {
            ([row.mean] + row.quantiles).map { Unit.ratio.written(.real($0.value)) }
        }
        let groups = ChartInput.groups(rows.map { statistics.cacheName($0.cache) }, keys: rows.map(fields))
        // The order of the terminal's table, which has the same ties.
        let order =
            options.order == .blank
            ? ResultOrder.standard.ordered(groups, by: \.label, users.figure.polarity) { group in
                let mean = rows[group.members[0]].mean.value
                return (mean, FleetTexts.value(mean, users.figure))
            } : groups
        let names = NameRows(order.map(\.label), canvas: options.canvas)
        func plot(_ from: Int, _ to: Int, width: Double, _ colour: String, _ title: String) -> String {
            """
            $data using \(from):1:($\(to)-$\(from)):(0) with vectors nohead linewidth \(GnuplotText.number(width)) \
            linecolor rgb '\(colour)' title '\(title)'
            """
        }
        return ChartContent(
            title: "\(title(users.figure)) of \(HumanText.count(statistics.userCount, "user"))",
            height: names.height,
            settings: names.settings
                + axis(to: all.flatMap { [$0.mean.value] + $0.quantiles.map(\.value) }).settings("x")
                + [
                    "set xlabel \(GnuplotText.quoted(name(users.figure)))",
                    "set rmargin at screen 0.95",
                ],
            plots: [
                plot(3, 7, width: 2, ChartStyle.grey, "p5 to p95"),
                plot(4, 6, width: 7, ChartStyle.skyBlue, "p25 to p75"),
                "$data using 5:1 with points pointtype 7 linecolor rgb '\(ChartStyle.blue)' title 'median'",
                """
                $data using 2:1 with points pointtype 12 linewidth 2 linecolor rgb '\(ChartStyle.vermilion)' title \
                'mean'
                """,
            ],
            columns: ["row", "mean", "p5", "p25", "p50", "p75", "p95", "cache"],
            rows: order.enumerated().map { index, group in
                ["\(index + 1)"] + fields(rows[group.members[0]]) + [VisibleText.printable(group.label)]
            })
    }

    // MARK: Share of users within a limit

    private static let mostPoints = 400

    /// - Parameter caches: The caches over the chart's network, as places in `users`.
    private static func curves(
        _ caches: [Int], of users: FleetUsers, _ statistics: FleetStatistics, _ options: ChartOptions
    ) -> ChartContent {
        let names = caches.map { statistics.cacheName(users.caches[$0]) }
        let sorted = caches.map { users.sorted(cache: $0) }
        let means = sorted.map { $0.isEmpty ? 2 : $0.reduce(0, +) / Double($0.count) }
        let isHigherBetter = users.figure.polarity == .higherIsBetter
        let chart = CurveChart(
            ChartInput.groups(names, keys: sorted.map { $0.map { Unit.ratio.written(.real($0)) } }),
            merits: means.map { isHigherBetter ? -$0 : $0 }, options.canvas, order: options.order)
        let axis = axis(to: users.users.flatMap(\.values))
        let shares = Axis.linear(from: 0, to: 1) { HumanText.wholeShare($0) }
        let curves = chart.groups.map { points(sorted[$0.members[0]], isHigherBetter) }
        let limit = isHigherBetter ? "at least" : "at most"
        return ChartContent(
            title: "Users with \(limit) so much \(isHigherBetter ? "from memory" : "blank time")",
            height: chart.legend.height,
            settings: axis.settings("x") + shares.settings("y") + [
                "set xlabel \(GnuplotText.quoted(name(users.figure)))", "set ylabel 'share of users'", "set lmargin 11",
                chart.rightMargin,
            ] + chart.legend.settings + chart.names(at: curves.map(\.last?.share), shares),
            plots: chart.order.filter { !curves[$0].isEmpty }.map { index in
                "$data using ($1 == \(index + 1) ? $2 : NaN):3 with lines \(chart.style(index)) notitle"
            },
            columns: ["series", "limit", "share_of_users", "cache"],
            rows: curves.enumerated().flatMap { index, points in
                points.map { point in
                    [
                        "\(index + 1)", Unit.ratio.written(.real(point.limit)), Unit.ratio.written(.real(point.share)),
                        VisibleText.printable(chart.groups[index].label),
                    ]
                }
            })
    }

    /// Returns the corners of the stairs of a distribution: the share of values at or below each limit, or at or above
    /// it.
    private static func points(_ sorted: [Double], _ isHigherBetter: Bool) -> [(limit: Double, share: Double)] {
        guard let first = sorted.first else { return [] }
        let step = max(1, sorted.count / mostPoints)
        let count = Double(sorted.count)
        var points: [(limit: Double, share: Double)] = [(0, isHigherBetter ? 1 : first > 0 ? 0 : 1 / count)]
        for place in stride(from: step - 1, to: sorted.count, by: step) + [sorted.count - 1] {
            let below = Double(place + 1) / count
            let share = isHigherBetter ? 1 - below : below
            points.append((sorted[place], points[points.count - 1].share))
            points.append((sorted[place], share))
        }
        return points
    }
}
