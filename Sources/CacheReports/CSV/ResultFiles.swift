import ReplayEngine

/// The CSV files of a results folder, each a pure function of its runs.
public enum ResultFiles {
    public static func summary(_ results: [RunResult]) -> String { whole(results).summary }

    public static func latency(_ results: [RunResult]) -> String { whole(results).latency }

    public static func timeline(_ results: [RunResult]) -> String { whole(results).timeline }

    private static func whole(_ results: [RunResult]) -> Rows {
        results.reduce(into: .header) { $0.append(Rows($1)) }
    }

    /// What one run adds to each file.
    struct Rows: Sendable {
        var summary: String
        var latency: String
        var timeline: String

        static let header = Rows(
            summary: CSVText.header(SummaryColumns.all), latency: CSVText.header(LatencyColumns.all),
            timeline: CSVText.header(TimelineColumns.all))

        mutating func append(_ other: Rows) {
            summary += other.summary
            latency += other.latency
            timeline += other.timeline
        }
    }
}

extension ResultFiles.Rows {
    init(_ result: RunResult) {
        summary = CSVText.rows(SummaryColumns.all, [result])
        latency = CSVText.rows(LatencyColumns.all, LatencyColumns.rows(result))
        timeline = CSVText.rows(TimelineColumns.all, TimelineColumns.rows(result))
    }
}
