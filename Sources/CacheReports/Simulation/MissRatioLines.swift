import Basics
import CachePolicies
import Runs

/// The chart of the miss ratio over time: a line for each policy, at one capacity.
enum MissRatioLines {
    /// The shortest trace whose horizontal axis has times, in microseconds. The axis of a shorter trace has requests.
    private static let shortest: Int64 = 10_000_000

    /// Returns the chart of a trace; nil if no line has two points. Of several capacities, the middle one is drawn. Of
    /// many policies, those with the fewest misses at this capacity are drawn.
    static func chart(_ series: SimulationSeries) -> LineChart? {
        let capacities = Set(series.parts.compactMap { $0.capacity?.value }).filter { $0 > 0 }.sorted()
        guard !capacities.isEmpty else { return nil }
        let capacity = Capacity(capacities[(capacities.count - 1) / 2], series.unit)
        let own = series.parts.filter { $0.capacity == capacity }
        let end = own.map(\.time).max() ?? 0
        let time: TimeUnit? = end >= shortest ? TimeUnit.fitting(seconds: Double(end) / 1e6) : nil
        let curves = curves(series, Dictionary(grouping: own, by: \.policy), time)
        guard curves.contains(where: { $0.points.count > 1 }) else { return nil }
        var (width, height) = (0.0, 0.01)
        for curve in curves {
            for point in curve.points {
                width = max(width, point.x)
                height = max(height, point.y)
            }
        }
        let xLabel = time.map { "trace time in \($0.name)" } ?? "requests before the part"
        let column = time?.name ?? "first_request"
        return LineChart(
            title: "Miss ratio over time at \(MissRatioFile.text(capacity)) · \(series.trace)\(series.sampling)",
            x: Axis.linear(from: 0, to: width) { HumanText.count($0) },
            y: Axis.linear(from: 0, to: height) { HumanText.wholeShare($0) }, xLabel: xLabel, yLabel: "miss ratio",
            columns: (x: column, y: "miss_ratio"), curves: curves)
    }

    private static func curves(
        _ series: SimulationSeries, _ parts: [String: [MissRatioPart]], _ time: TimeUnit?
    ) -> [LineChart.Curve] {
        var misses: [(name: String, count: Int)] = []
        for line in series.shown {
            guard let own = parts[line.policy.name] else { continue }
            misses.append((name: line.policy.name, count: own.reduce(0) { $0 + $1.misses }))
        }
        let best = misses.stableSorted { $0.count < $1.count }.prefix(ChartStyle.mostColoured).map { $0.name }
        var curves: [LineChart.Curve] = []
        for line in series.shown where best.contains(line.policy.name) {
            var points: [(x: Double, y: Double)] = []
            for part in parts[line.policy.name] ?? [] {
                let seconds = Double(part.time) / 1e6
                let x = time.map { seconds / $0.seconds } ?? Double(part.firstRequest)
                points.append((x: x, y: part.missRatio))
            }
            curves.append(LineChart.Curve(name: line.policy.name, points: points, style: line.place))
        }
        return curves
    }
}
