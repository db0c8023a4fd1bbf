import Basics
import TraceAnalysis

/// The chart of reuse distances, which is the hit ratio of LRU by the number of objects.
enum ReuseDistanceChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        let reuse = analysis.reuse
        let requests = Double(reuse.firstUses + reuse.reuses)
        guard reuse.reuses > 0 else { return nil }
        let capacities = PopularityChart.places(upTo: max(2, reuse.counts.count))
        var hits = 0
        var distance = 0
        let curve = capacities.map { capacity in
            while distance < min(capacity, reuse.counts.count) {
                (hits, distance) = (hits + reuse.counts[distance], distance + 1)
            }
            return (x: Double(capacity), y: Double(hits) / requests)
        }
        let axis = Axis.logarithmic(from: 1, to: Double(capacities.last ?? 2)) { HumanText.count($0) }
        let most = Double(reuse.reuses) / requests
        return LineChart(
            title: "Reuse distance, cumulative: the hit ratio of LRU · \(trace)", x: axis,
            y: .linear(from: 0, to: 1) { HumanText.wholeShare($0) },
            xLabel: "objects that the cache holds (logarithmic)",
            yLabel: "share of requests with a shorter reuse distance",
            columns: ("capacity_objects", "share"),
            curves: [
                LineChart.Curve(name: "LRU", points: curve + [(axis.high, most)], style: 0),
                LineChart.Curve(
                    name: "all but first uses: \(HumanText.share(most))",
                    points: [(axis.low, most), (axis.high, most)],
                    style: LineChart.Curve.reference),
            ])
    }
}
