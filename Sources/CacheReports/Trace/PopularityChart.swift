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
