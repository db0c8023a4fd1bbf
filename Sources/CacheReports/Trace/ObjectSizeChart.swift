import Basics
import TraceAnalysis

/// The chart of the sizes of objects by variant.
enum ObjectSizeChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        let known = analysis.sizes.filter { $0.sorted.contains { $0 > 0 } }
        let values = known.flatMap { [$0.sorted.first { $0 > 0 } ?? 1, $0.sorted.last ?? 1] }.map(Double.init)
        guard let least = values.min(), let most = values.max() else { return nil }
        let axis = Axis.logarithmic(from: least, to: most) { HumanText.bytes($0) }
        return LineChart(
            title: "Sizes of objects, cumulative · \(trace)", x: axis,
            y: .linear(from: 0, to: 1) { HumanText.wholeShare($0) },
            xLabel: "encoded size (logarithmic)", yLabel: "share of objects not larger",
            columns: ("size_bytes", "share"),
            curves: known.map { sizes in
                let points = sizes.sorted.enumerated().map { index, bytes in
                    (x: max(Double(bytes), axis.low), y: Double(index + 1) / Double(sizes.sorted.count))
                }
                let median = sizes.quantile(0.5).map { ", half of them up to \(HumanText.bytes(Double($0)))" } ?? ""
                return LineChart.Curve(
                    name: "\(sizes.variant): \(HumanText.count(Double(sizes.sorted.count))) objects\(median)",
                    points: points.thinned(to: 400).stairs(from: (axis.low, 0)) + [(axis.high, 1)],
                    style: Int(sizes.variant.rawValue))
            })
    }
}
