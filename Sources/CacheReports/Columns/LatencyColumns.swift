import ReplayEngine

/// The columns of `latency.csv`: one row per run and outcome. The figures of an outcome without requests are empty.
public enum LatencyColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var summary: LatencySummary
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.identity.trace) },
        .identity("cache", "name of the cache") { .text($0.identity.cache) },
        .identity("repeat", "number of the repeat, from 1", unit: .count) { .integer($0.identity.repetition) },
        .identity("outcome", "memory_hit, disk_hit, origin or coalesced") { .text($0.summary.group.rawValue) },
        .metric("count", .count, .neutral, "requests whose image is shown") { .integer($0.summary.count) },
        figure("mean_us", "mean time to image") { $0.mean },
        figure("p50_us", "median of the time to image") { Double($0.p50) },
        figure("p90_us", "90th percentile of the time to image") { Double($0.p90) },
        figure("p99_us", "99th percentile of the time to image") { Double($0.p99) },
        figure("p999_us", "99.9th percentile of the time to image") { Double($0.p999) },
        figure("max_us", "longest time to image") { Double($0.max) },
    ]

    /// Returns one row for every outcome, in the order of ``LatencyGroup``, including outcomes that the run does not
    /// list. The total is in `summary.csv`, so that sums over the rows of this file are right.
    static func rows(_ result: RunResult) -> [Row] {
        LatencyGroup.allCases.filter { $0 != .all }.map { group in
            let summary = result.latencies.first { $0.group == group } ?? LatencySummary(group: group)
            return Row(identity: result.identity, summary: summary)
        }
    }

    private static func figure(
        _ name: String, _ meaning: String, _ figure: @escaping @Sendable (LatencySummary) -> Double
    ) -> Column<Row> {
        .metric(name, .microseconds, .lowerIsBetter, meaning) {
            .microseconds($0.summary.count > 0 ? figure($0.summary) : nil)
        }
    }
}
