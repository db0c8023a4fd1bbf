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
