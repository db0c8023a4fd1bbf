import ReplayEngine
import ResultColumns

/// The columns of `latency.csv`: one row per run and outcome. The figures of an outcome without requests are empty.
public enum LatencyColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var summary: LatencySummary
    }

    public static let all: [Column<Row>] =
        Column.run(\.identity) + [
            .identity("outcome", "memory_hit, disk_hit, origin or coalesced") { .text($0.summary.group.rawValue) },
            .amount("count", .count, .neutral, "requests whose image is shown", \.summary.count),
        ] + Column.latencies { $0.summary.count > 0 ? $0.summary : nil }

    /// Returns one row for every outcome, in the order of ``LatencyGroup``, including outcomes that the run does not
    /// list. The total is in `summary.csv`, so that sums over the rows of this file are right.
    static func rows(_ result: RunResult) -> [Row] {
        LatencyGroup.allCases.filter { $0 != .all }.map { group in
            let summary = result.latencies.first { $0.group == group } ?? LatencySummary(group: group)
            return Row(identity: result.identity, summary: summary)
        }
    }
}

/// The columns of `requests.csv`: one row per run and request.
public enum RequestColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var request: RequestRow

        package init(_ identity: RunIdentity, _ request: RequestRow) {
            (self.identity, self.request) = (identity, request)
        }
    }

    public static let all: [Column<Row>] = outcomes + explanations

    private static let explanations: [Column<Row>] =
        [
            .identity("memory_cause", "why memory missed; empty for a memory hit") {
                .text($0.request.explanation?.memoryCause?.name ?? "")
            },
            .identity("disk_cause", "why the disk missed; empty if it was not asked, or had the image") {
                .text($0.request.explanation?.diskCause?.name ?? "")
            },
            .metric("evicted_by", .count, .neutral, "index of the request that the image left the tier for") {
                $0.request.explanation?.evictedBy.map(ColumnValue.integer) ?? .absent
            },
        ]
        + Wait.allCases.map { wait in
            .metric("wait_\(wait.name)_us", .microseconds, .neutral, "blank time, waiting for: \(wait.title)") {
                .microseconds(($0.request.explanation?.waits[wait.rawValue]).map(Double.init))
            }
        }

    private static let outcomes: [Column<Row>] =
        Column.run(\.identity) + [
            .identity("index", "number of the request, from 0, in order of appearance", unit: .count) {
                .integer($0.request.index)
            },
            .identity("time", "trace time at which the cell appeared", unit: .seconds) { .seconds($0.request.time) },
            .identity("key", "key of the object") { .text($0.request.key) },
            .identity("variant", "thumbnail or full") { .text($0.request.variant.description) },
            .identity("source", "outcome of the request, such as memory_hit, disk_hit, origin, coalesced or wrong") {
                .text($0.request.source)
            },
            .identity("shown", "shown; late if the cell had disappeared; never if no image arrived, or a wrong one") {
                .text($0.request.shown.rawValue)
            },
            .metric("latency_us", .microseconds, .neutral, "time to image; empty if the cell never showed it") {
                .microseconds($0.request.latency.map(Double.init))
            },
        ]
}

/// The columns of `timeline.csv`: one row per run and second of trace time in which something changes.
public enum TimelineColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var second: TimelineSecond
    }

    public static let all: [Column<Row>] =
        Column.run(\.identity) + [
            .identity("second", "second of trace time, from 0", unit: .count) { .integer($0.second.second) },
            .amount("requests", .count, .neutral, "requests that appear in this second", \.second.requests),
            .amount(
                "memory_hits", .count, .neutral, "requests of this second that memory answers", \.second.memoryHits),
            .amount(
                "disk_hits", .count, .neutral, "requests of this second that the disk tier answers", \.second.diskHits),
            .amount("memory_bytes", .bytes, .neutral, "bytes in memory at the end of the second", \.second.memoryBytes),
            .amount(
                "disk_bytes", .bytes, .neutral, "bytes in the disk tier at the end of the second", \.second.diskBytes),
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
