import ReplayEngine

/// The columns of `timeline.csv`: one row per run and second of trace time in which something changes.
public enum TimelineColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var second: TimelineSecond
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.identity.trace) },
        .identity("cache", "name of the cache") { .text($0.identity.cache) },
        .identity("repeat", "number of the repeat, from 1", unit: .count) { .integer($0.identity.repetition) },
        .identity("second", "second of trace time, from 0", unit: .count) { .integer($0.second.second) },
        .metric("requests", .count, .neutral, "requests that appear in this second") { .integer($0.second.requests) },
        .metric("memory_hits", .count, .neutral, "requests of this second that memory answers") {
            .integer($0.second.memoryHits)
        },
        .metric("disk_hits", .count, .neutral, "requests of this second that the disk tier answers") {
            .integer($0.second.diskHits)
        },
        .metric("memory_bytes", .bytes, .neutral, "bytes in memory at the end of the second") {
            .integer($0.second.memoryBytes)
        },
        .metric("disk_bytes", .bytes, .neutral, "bytes in the disk tier at the end of the second") {
            .integer($0.second.diskBytes)
        },
        .metric("fetches_in_flight", .meanCount, .neutral, "fetches in progress, mean over the second") {
            .real($0.second.fetchesInFlight)
        },
        .metric("blank_cells", .meanCount, .neutral, "visible cells without their image, mean over the second") {
            .real($0.second.blankCells)
        },
    ]

    static func rows(_ result: RunResult) -> [Row] {
        result.timeline.map { Row(identity: result.identity, second: $0) }
    }
}
