import Basics
import TraceAnalysis

/// The charts of the working set: in each window, in the last ten windows, and since the start.
enum WorkingSetChart {
    static func objects(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        chart(
            analysis.workingSet, "Working set in objects · \(trace)",
            [\.objects, \.recentObjects, \.cumulativeObjects], yLabel: "distinct objects",
            column: "objects"
        ) { HumanText.count($0) }
    }

    static func bytes(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        guard !analysis.missing.contains("sizes") else { return nil }
        return chart(
            analysis.workingSet, "Working set in bytes · \(trace)", [\.bytes, \.recentBytes, \.cumulativeBytes],
            yLabel: "bytes of distinct objects",
            column: "bytes"
        ) { HumanText.bytes($0) }
    }

    private static func chart(
        _ set: WorkingSet, _ title: String, _ figures: [KeyPath<WorkingSet.Window, Int>], yLabel: String,
        column: String, label: (Double) -> String
    ) -> LineChart? {
        guard let last = set.windows.last, set.windows.count > 1 else { return nil }
        let end = Double(last.start + set.windowLength)
        let unit = set.isOfTime ? TimeUnit.fitting(seconds: end / 1e6) : TimeUnit(name: "requests", seconds: 1e-6)
        func points(_ figure: KeyPath<WorkingSet.Window, Int>) -> [(x: Double, y: Double)] {
            set.windows.map { (Double($0.start + set.windowLength) / 1e6 / unit.seconds, Double($0[keyPath: figure])) }
        }
        return LineChart(
            title: title, x: .linear(from: 0, to: end / 1e6 / unit.seconds, endsThere: true) { HumanText.count($0) },
            y: .linear(from: 0, to: Double(max(figures.map(set.peak).max() ?? 1, 1)), label: label),
            xLabel: set.isOfTime ? "trace time in \(unit.name)" : "requests since the start", yLabel: yLabel,
            columns: (set.isOfTime ? "time_\(unit.name)" : "request", column),
            curves: zip(
                figures,
                ["in the last \(set.windowName)", "in the last \(set.name(WorkingSet.recent))", "since the start"]
            )
            .enumerated().map { index, figure in
                LineChart.Curve(name: figure.1, points: [(0, 0)] + points(figure.0), style: index)
            })
    }
}
