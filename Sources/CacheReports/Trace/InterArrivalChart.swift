import Basics
import TraceAnalysis

/// The chart of the times to the next request and to the next request of the same object.
enum InterArrivalChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        guard !analysis.missing.contains("times") else { return nil }
        let gaps = [
            ("to the next request of any object", analysis.interArrivals.byRequest),
            ("to the next request of the same object", analysis.interArrivals.byObject),
        ]
        let values = gaps.flatMap { $0.1.curve.map { Double($0.value) } }
        guard let most = values.max(), most > 0, let least = values.filter({ $0 > 0 }).min() else { return nil }
        let axis = Axis.logarithmic(from: max(least, most / 1e12), to: most) { text($0) }
        return LineChart(
            title: "Time between requests, cumulative · \(trace)", x: axis,
            y: .linear(from: 0, to: 1) { HumanText.wholeShare($0) },
            xLabel: "time (logarithmic)", yLabel: "share of gaps not longer", columns: ("gap_us", "share"),
            curves: gaps.enumerated().map { index, gap in
                let curve = gap.1.curve.map { (x: max(Double($0.value), axis.low), y: $0.share) }
                let stairs = curve.isEmpty ? [] : curve.stairs(from: (axis.low, 0)) + [(axis.high, 1)]
                return LineChart.Curve(name: gap.0, points: stairs, style: index)
            })
    }

    /// Returns the label of a time. Times from 1,000 s have a thousands separator.
    private static func text(_ microseconds: Double) -> String {
        microseconds < 999e6 ? HumanText.microseconds(microseconds) : "\(HumanText.count(microseconds / 1e6)) s"
    }
}
