import ReplayEngine

/// The columns of `timeline.csv`: one row per run and second of trace time.
public enum TimelineColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var second: TimelineSecond
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "the trace's name") { .text($0.identity.trace) },
        .identity("cache", "the cache's name") { .text($0.identity.cache) },
        .identity("repeat", "counted from 1", unit: .count) { .integer($0.identity.repetition) },
        .identity("second", "of trace time, counted from 0", unit: .count) { .integer($0.second.second) },
        .metric("requests", .count, .neutral, "that appeared in this second") { .integer($0.second.requests) },
        .metric("memory_hits", .count, .neutral, "of those") { .integer($0.second.memoryHits) },
        .metric("disk_hits", .count, .neutral, "of those") { .integer($0.second.diskHits) },
        .metric("memory_bytes", .bytes, .neutral, "held in memory at the end of the second") {
            .integer($0.second.memoryBytes)
        },
        .metric("disk_bytes", .bytes, .neutral, "held on disk at the end of the second") {
            .integer($0.second.diskBytes)
        },
        .metric("fetches_in_flight", .count, .neutral, "at the end of the second") {
            .integer($0.second.fetchesInFlight)
        },
    ]

    static func rows(_ result: RunResult) -> [Row] {
        result.timeline.map { Row(identity: result.identity, second: $0) }
    }
}
