import CacheTraces

/// The working set over time: within each window, and since the beginning.
enum WorkingSetChart {
    static func objects(_ analysis: TraceAnalysis, trace: String) -> LineChart? {
        chart(
            analysis.workingSet, "Working set in objects · \(trace)", \.objects, \.cumulativeObjects, yLabel: "distinct objects",
            column: "objects") { HumanText.count($0) }
    }

    static func bytes(_ analysis: TraceAnalysis, trace: String) -> LineChart? {
        guard !analysis.missing.contains("sizes") else { return nil }
        return chart(
            analysis.workingSet, "Working set in bytes · \(trace)", \.bytes, \.cumulativeBytes, yLabel: "bytes of distinct objects",
            column: "bytes") { HumanText.bytes($0) }
    }

    private static func chart(
        _ set: WorkingSet, _ title: String, _ within: KeyPath<WorkingSet.Window, Int>, _ sofar: KeyPath<WorkingSet.Window, Int>,
        yLabel: String, column: String, label: (Double) -> String
    ) -> LineChart? {
        guard let last = set.windows.last, set.windows.count > 1 else { return nil }
        let end = Double(last.start + set.windowLength)
        let unit = set.isOfTime ? TimeUnit.fitting(seconds: end / 1e6) : TimeUnit(name: "requests", seconds: 1e-6)
        func points(_ figure: KeyPath<WorkingSet.Window, Int>) -> [(x: Double, y: Double)] {
            set.windows.map { (Double($0.start + set.windowLength) / 1e6 / unit.seconds, Double($0[keyPath: figure])) }
        }
        return LineChart(
            title: title, x: .linear(from: 0, to: end / 1e6 / unit.seconds, endsThere: true) { HumanText.count($0) },
            y: .linear(from: 0, to: Double(max(set.peak(sofar), 1)), label: label),
            xLabel: set.isOfTime ? "trace time in \(unit.name)" : "requests since the beginning", yLabel: yLabel,
            columns: (set.isOfTime ? "time_\(unit.name)" : "request", column),
            curves: [
                LineChart.Curve(name: "within the last \(set.windowName)", points: points(within), style: 0),
                LineChart.Curve(name: "since the beginning", points: [(0, 0)] + points(sofar), style: 1),
            ])
    }
}
