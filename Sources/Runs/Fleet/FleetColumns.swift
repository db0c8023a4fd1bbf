import Basics
import ResultColumns
import Statistics

public enum FleetColumns {
    public struct Statistic: Sendable {
        var row: FleetStatistics.Row
        /// `mean`, or the name of a quantile.
        var name: String
        var estimate: Estimate
    }

    /// The columns of `fleet.csv`: one row per figure, level, cache and statistic.
    public static let statistics: [Column<Statistic>] =
        [
            .identity("cache", "name of the cache") { .text($0.row.cache) },
            .identity("figure", "the figure, by the name of its column in summary.csv") {
                .text($0.row.figure.rawValue)
            },
            .identity("unit", "unit of value, low and high: ratio, bytes or ms_per_second") {
                .text($0.row.figure.unit.rawValue)
            },
            .identity("over", "users or sessions") { .text($0.row.level.rawValue) },
            .identity("statistic", "mean, p5, p25, p50, p75 or p95") { .text($0.name) },
        ]
        + estimate("the statistic of the users or sessions", figure: { $0.row.figure }, { $0.estimate }) + [
            .metric("count", .count, .neutral, "users or sessions with a value") { .integer($0.row.count) },
            .metric("without", .count, .neutral, "users or sessions without a value, which are in no figure") {
                .integer($0.row.countWithout)
            },
        ]

    /// The columns of `fleet-pairs.csv`: one row per figure and pair of caches.
    public static let pairs: [Column<FleetStatistics.Pair>] =
        [
            .identity("first", "name of the first cache") { .text($0.first) },
            .identity("second", "name of the second cache") { .text($0.second) },
            .identity("figure", "the figure, by the name of its column in summary.csv") { .text($0.figure.rawValue) },
            .identity("unit", "unit of value, low and high: ratio, bytes or ms_per_second") {
                .text($0.figure.unit.rawValue)
            },
        ]
        + estimate(
            "mean over users of the second cache's value minus the first one's", figure: { $0.figure },
            { $0.difference }
        ) + [
            .metric("better", .ratio, .neutral, "share of users for whom the second cache is better") {
                $0.better.map(ColumnValue.real) ?? .absent
            },
            .metric("worse", .ratio, .neutral, "share of users for whom the second cache is worse") {
                $0.worse.map(ColumnValue.real) ?? .absent
            },
            .metric(
                "equal", .ratio, .neutral,
                "share of users whose values differ by at most 0.1 points, or 1 % of bytes (--relevance-threshold)"
            ) { .real($0.equal) },
            .metric("count", .count, .neutral, "users with a value of both caches over the same sessions") {
                .integer($0.count)
            },
            .metric("without", .count, .neutral, "the other users") { .integer($0.countWithout) },
        ]

    /// The columns of `fleet-latency.csv`: one row per cache and outcome, and one per cache for all outcomes.
    public static let latencies: [Column<FleetStatistics.Latency>] =
        [
            .identity("cache", "name of the cache") { .text($0.cache) },
            .identity("outcome", "memory_hit, disk_hit, origin, coalesced or all") { .text($0.group.rawValue) },
            .amount("count", .count, .neutral, "delivered requests of all sessions and repeats", \.count),
        ] + Column.latencies { $0 }

    /// Returns the columns of an estimate. Their numbers have the digits of the row's unit.
    private static func estimate<Row>(
        _ meaning: String, figure: @escaping @Sendable (Row) -> FleetFigure,
        _ estimate: @escaping @Sendable (Row) -> Estimate
    ) -> [Column<Row>] {
        func column(
            _ name: String, _ meaning: String, _ value: @escaping @Sendable (Estimate) -> Double?
        ) -> Column<Row> {
            .identity(name, meaning) { row in
                value(estimate(row)).map { .text(written($0, figure(row).unit)) } ?? .absent
            }
        }
        return [
            column("value", meaning) { $0.value },
            column("low", "lower end of the 95 % interval") { $0.interval?.low },
            column("high", "upper end of the 95 % interval") { $0.interval?.high },
            .identity("no_interval", "why there is no interval; empty if there is one") {
                estimate($0).lack.map { .text($0.rawValue) } ?? .absent
            },
        ]
    }

    /// Returns a number with the digits of a unit. What rounds to 0 has no sign.
    private static func written(_ value: Double, _ unit: Unit) -> String {
        let text = unit.written(.real(value))
        return text.hasPrefix("-") && text.allSatisfy { "-0.".contains($0) } ? String(text.dropFirst()) : text
    }
}

extension FleetStatistics {
    /// Returns the content of `fleet.csv`, `fleet-pairs.csv` and `fleet-latency.csv`, with the names of the files.
    public func csv(_ style: CSVStyle = .exact) -> [(name: String, text: String)] {
        let statistics = rows.flatMap { row in
            [FleetColumns.Statistic(row: row, name: "mean", estimate: row.mean)]
                + zip(Self.shareNames, row.quantiles).map { FleetColumns.Statistic(row: row, name: $0, estimate: $1) }
        }
        return [
            ("fleet.csv", CSVText.render(FleetColumns.statistics, statistics, style)),
            ("fleet-pairs.csv", CSVText.render(FleetColumns.pairs, pairs, style)),
            ("fleet-latency.csv", CSVText.render(FleetColumns.latencies, latencies, style)),
        ]
    }
}
