import Basics
import TraceAnalysis

/// The chart of fetches in flight over time.
enum InFlightChart {
    private static let mostBins = 1_200

    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        guard let concurrency = analysis.concurrency, let end = concurrency.steps.last?.time, end > 0 else {
            return nil
        }
        let unit = TimeUnit.fitting(seconds: Double(end) / 1e6)
        let curve = highest(concurrency.steps, end: end).map {
            (x: Double($0.time) / 1e6 / unit.seconds, y: Double($0.inFlight))
        }
        let mean = concurrency.mean
        return LineChart(
            title: "Fetches in flight · \(trace)",
            x: .linear(from: 0, to: Double(end) / 1e6 / unit.seconds, endsThere: true) { HumanText.count($0) },
            y: .linear(from: 0, to: Double(max(concurrency.peak, 5))) { HumanText.count($0) },
            xLabel: "trace time in \(unit.name)", yLabel: "fetches", columns: ("time_\(unit.name)", "fetches"),
            curves: [
                LineChart.Curve(
                    name: "in flight, peak \(concurrency.peak)", points: curve.stairs(from: (0, 0)), style: 0),
                LineChart.Curve(
                    name: "mean \(HumanText.decimals(mean, 2))",
                    points: [(0, mean), (Double(end) / 1e6 / unit.seconds, mean)],
                    style: LineChart.Curve.reference),
            ])
    }

    /// Returns the highest number of each bin of time, to limit the size of files.
    private static func highest(_ steps: [FetchConcurrency.Step], end: Int64) -> [FetchConcurrency.Step] {
        guard steps.count > mostBins else { return steps }
        let width = end / Int64(mostBins) + 1
        var bins: [FetchConcurrency.Step] = []
        var (index, held) = (0, 0)
        for start in stride(from: 0, through: end, by: Int64.Stride(width)) {
            var most = held
            while index < steps.count, steps[index].time < start + width {
                most = max(most, steps[index].inFlight)
                held = steps[index].inFlight
                index += 1
            }
            bins.append(FetchConcurrency.Step(time: start, inFlight: most))
        }
        return bins
    }
}
