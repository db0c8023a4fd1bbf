import Basics
import Foundation
import TraceAnalysis

/// The chart of requests by rank on logarithmic axes, with the fitted law.
enum PopularityChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        let counts = analysis.popularity.counts
        guard let most = counts.first, counts.count >= 2 else { return nil }
        let ranks = places(upTo: counts.count)
        var curves = [
            LineChart.Curve(name: "requests", points: ranks.map { (Double($0), Double(counts[$0 - 1])) }, style: 0)
        ]
        var lowest = 1.0
        var highest = Double(most)
        if let zipf = analysis.popularity.zipf {
            let law = zip(ranks, zipf.expectedRequests(atRanks: ranks)).map { (x: Double($0), y: $1) }
            lowest = max(0.01, min(lowest, law.last?.y ?? 1))
            highest = max(highest, law.first?.y ?? 1)
            curves.append(
                LineChart.Curve(
                    name:
                        """
                        Zipf's law, exponent \(TraceStatistics.exponent(zipf)), KS distance \
                        \(HumanText.decimals(zipf.distance, 3))
                        """,
                    points: law.filter { $0.y >= lowest }, style: LineChart.Curve.reference))
        }
        return LineChart(
            title: "Popularity · \(trace)",
            x: .logarithmic(from: 1, to: Double(counts.count)) { HumanText.count($0) },
            y: .logarithmic(from: lowest, to: highest) { $0 < 1 ? GnuplotText.number($0) : HumanText.count($0) },
            xLabel: "rank of the object (logarithmic)", yLabel: "requests (logarithmic)", columns: ("rank", "requests"),
            curves: curves)
    }

    /// Returns all ranks up to 50, and then 60 per decade, for a logarithmic axis.
    static func places(upTo count: Int) -> [Int] {
        var places = Array(1...min(50, count))
        var exponent = log10(50.0)
        while let last = places.last, last < count {
            exponent += 1.0 / 60
            let next = min(count, Int(pow(10, exponent)))
            if next > last { places.append(next) }
        }
        return places
    }
}

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

/// The chart of the working set: in each window, in the last ten windows, and since the start.
enum WorkingSetChart {
    static func chart(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        let set = analysis.workingSet
        guard let last = set.windows.last, set.windows.count > 1 else { return nil }
        let figures: [KeyPath<WorkingSet.Window, Int>] = [\.objects, \.recentObjects, \.cumulativeObjects]
        let names = ["in the last \(set.windowName)", "in the last \(set.name(WorkingSet.recent))", "since the start"]
        let end = Double(last.start + set.windowLength)
        let unit = set.isOfTime ? TimeUnit.fitting(seconds: end / 1e6) : TimeUnit(name: "requests", seconds: 1e-6)
        func points(_ figure: KeyPath<WorkingSet.Window, Int>) -> [(x: Double, y: Double)] {
            set.windows.map { (Double($0.start + set.windowLength) / 1e6 / unit.seconds, Double($0[keyPath: figure])) }
        }
        return LineChart(
            title: "Working set in objects · \(trace)",
            x: .linear(from: 0, to: end / 1e6 / unit.seconds, endsThere: true) { HumanText.count($0) },
            y: .linear(from: 0, to: Double(max(figures.map(set.peak).max() ?? 1, 1))) { HumanText.count($0) },
            xLabel: set.isOfTime ? "trace time in \(unit.name)" : "requests since the start",
            yLabel: "distinct objects", columns: (set.isOfTime ? "time_\(unit.name)" : "request", "objects"),
            curves: zip(figures, names).enumerated().map { index, figure in
                LineChart.Curve(name: figure.1, points: [(0, 0)] + points(figure.0), style: index)
            })
    }
}
