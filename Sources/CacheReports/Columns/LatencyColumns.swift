import ReplayEngine

/// The columns of `latency.csv`: one row per run and outcome. An outcome without requests has empty figures.
public enum LatencyColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var summary: LatencySummary
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "the trace's name") { .text($0.identity.trace) },
        .identity("cache", "the cache's name") { .text($0.identity.cache) },
        .identity("repeat", "counted from 1", unit: .count) { .integer($0.identity.repetition) },
        .identity("outcome", "memory_hit, disk_hit, origin, coalesced or all") { .text($0.summary.group.rawValue) },
        .metric("count", .count, .neutral, "requests delivered") { .integer($0.summary.count) },
        figure("mean_us", "time to image: the mean") { $0.mean },
        figure("p50_us", "the median") { Double($0.p50) },
        figure("p90_us", "the 90th percentile") { Double($0.p90) },
        figure("p99_us", "the 99th percentile") { Double($0.p99) },
        figure("p999_us", "the 99.9th percentile") { Double($0.p999) },
        figure("max_us", "the longest") { Double($0.max) },
    ]

    /// One row for every group, in the order of ``LatencyGroup``, whether or not the run lists it.
    static func rows(_ result: RunResult) -> [Row] {
        LatencyGroup.allCases.map { group in
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
