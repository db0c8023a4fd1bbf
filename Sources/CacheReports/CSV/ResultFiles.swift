import ReplayEngine

/// The CSV files of a results folder, each a pure function of its runs.
public enum ResultFiles {
    public static func summary(_ results: [RunResult]) -> String {
        CSVText.render(SummaryColumns.all, results)
    }

    public static func latency(_ results: [RunResult]) -> String {
        CSVText.render(LatencyColumns.all, results.lazy.flatMap(LatencyColumns.rows))
    }

    public static func timeline(_ results: [RunResult]) -> String {
        CSVText.render(TimelineColumns.all, results.lazy.flatMap(TimelineColumns.rows))
    }
}
