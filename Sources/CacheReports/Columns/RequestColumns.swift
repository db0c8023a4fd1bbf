import ReplayEngine

/// The columns of `requests.csv`: one row per run and request.
public enum RequestColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var request: RequestRow
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

    private static let outcomes: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.identity.trace) },
        .identity("cache", "name of the cache") { .text($0.identity.cache) },
        .identity("repeat", "number of the repeat, from 1", unit: .count) { .integer($0.identity.repetition) },
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
