import ReplayEngine

/// The columns of `causes.csv`: one row per run, tier and cause.
public enum CauseColumns {
    public struct Row: Sendable {
        var run: RunExplanation
        var cause: RunExplanation.Cause
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.run.trace) },
        .identity("cache", "name of the cache") { .text($0.run.cache) },
        .identity("tier", "memory or disk") { .text($0.cause.tier.rawValue) },
        .identity("cause", "why the tier did not have the image") { .text($0.cause.cause.name) },
        .metric("requests", .count, .neutral, "requests that the tier missed for this cause") {
            .integer($0.cause.requests)
        },
        .metric("share", .ratio, .neutral, "share of the tier's misses") { .real($0.cause.share) },
    ]
}

/// The columns of `waits.csv`: one row per run and thing that was waited for.
public enum WaitColumns {
    public struct Row: Sendable {
        var run: RunExplanation
        var wait: RunExplanation.WaitShare
    }

    public static let all: [Column<Row>] = [
        .identity("trace", "name of the trace") { .text($0.run.trace) },
        .identity("cache", "name of the cache") { .text($0.run.cache) },
        .identity("wait", "what visible cells without their image waited for") { .text($0.wait.wait.name) },
        .metric("blank_us", .microseconds, .lowerIsBetter, "blank time of all cells in this wait") {
            .real($0.wait.milliseconds * 1_000)
        },
        .metric("share", .ratio, .neutral, "share of the blank time") { .real($0.wait.share) },
    ]
}

/// The columns of `request_causes.csv`: one row per run and request.
public enum RequestCauseColumns {
    public struct Row: Sendable {
        var identity: RunIdentity
        var request: RequestRow
        var explanation: RequestExplanation
    }

    public static let all: [Column<Row>] =
        [
            .identity("trace", "name of the trace") { .text($0.identity.trace) },
            .identity("cache", "name of the cache") { .text($0.identity.cache) },
            .identity("index", "number of the request, from 0, in order of appearance", unit: .count) {
                .integer($0.request.index)
            },
            .identity("time", "trace time at which the cell appeared", unit: .seconds) { .seconds($0.request.time) },
            .identity("key", "key of the object") { .text($0.request.key) },
            .identity("variant", "thumbnail or full") { .text($0.request.variant.description) },
            .identity("source", "outcome of the request, as in requests.csv") { .text($0.request.source) },
            .identity("memory_cause", "why memory missed; empty for a memory hit") {
                .text($0.explanation.memoryCause?.name ?? "")
            },
            .identity("disk_cause", "why the disk missed; empty if it was not asked, or had the image") {
                .text($0.explanation.diskCause?.name ?? "")
            },
            .metric("evicted_by", .count, .neutral, "index of the request that the image left the tier for") {
                $0.explanation.evictedBy.map(ColumnValue.integer) ?? .absent
            },
        ]
        + Wait.allCases.map { wait in
            .metric("wait_\(wait.name)_us", .microseconds, .lowerIsBetter, "blank time, waiting for: \(wait.title)") {
                .microseconds(Double($0.explanation.waits[wait.rawValue]))
            }
        }
}
