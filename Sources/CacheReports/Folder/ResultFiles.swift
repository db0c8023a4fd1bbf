import Basics
import ReplayEngine

/// The CSV files of a results folder, each a pure function of its runs.
enum ResultFiles {
    static func summary(_ results: [RunResult]) -> String { Rows.whole(results).summary }

    static func latency(_ results: [RunResult]) -> String { Rows.whole(results).latency }

    static func timeline(_ results: [RunResult]) -> String { Rows.whole(results).timeline }

    /// Rows of the three files.
    struct Rows: Sendable {
        var summary: String
        var latency: String
        var timeline: String

        static let header = Rows(
            summary: CSVText.header(SummaryColumns.all), latency: CSVText.header(LatencyColumns.all),
            timeline: CSVText.header(TimelineColumns.all))

        /// Creates the rows of one run.
        init(_ result: RunResult, _ style: CSVStyle) {
            summary = CSVText.rows(SummaryColumns.all, [result], style)
            latency = CSVText.rows(LatencyColumns.all, LatencyColumns.rows(result), style)
            timeline = CSVText.rows(TimelineColumns.all, TimelineColumns.rows(result), style)
        }

        private init(summary: String, latency: String, timeline: String) {
            (self.summary, self.latency, self.timeline) = (summary, latency, timeline)
        }

        /// Returns the whole files, headers included.
        static func whole(_ results: [RunResult], _ style: CSVStyle = .exact) -> Rows {
            results.reduce(into: header) { whole, result in
                let rows = Rows(result, style)
                whole.summary += rows.summary
                whole.latency += rows.latency
                whole.timeline += rows.timeline
            }
        }

        /// The files by name. `summary.csv` is last: when a reader finds a run there, the other files have it too.
        var files: [(name: String, text: String)] {
            [("latency.csv", latency), ("timeline.csv", timeline), ("summary.csv", summary)]
        }
    }
}
