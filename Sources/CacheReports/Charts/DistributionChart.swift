import Basics
import ReplayEngine

/// The share of requests whose image was shown within a time: one rising line per cache. Further left and up is better.
enum DistributionChart {
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let chart = CurveChart(input, canvas) { cache in
            curve(cache.typical).flatMap { ["\($0.latency)", Unit.ratio.written(.real($0.fraction))] }
        }
        let caches = chart.groups.map { input.caches[$0.members[0]] }
        let curves = caches.map { curve($0.typical) }
        // Runs without a timeline keep no distribution over all requests.
        guard caches.contains(where: { $0.typical.counts.shown == 0 }) || curves.contains(where: { !$0.isEmpty }) else {
            return nil
        }
        let axis = Axis.latency(input.all.flatMap { curve($0.typical) }.map { Double($0.latency) / 1_000 })
        let shares = Axis.linear(from: 0, to: 1) { HumanText.wholeShare($0) }
        let plots = chart.order.filter { !curves[$0].isEmpty }.map { index in
            "$data using ($1 == \(index + 1) ? $2 : NaN):3 with lines \(chart.style(index)) notitle"
        }
        return ChartContent(
            title: "Time to image, cumulative · \(input.place)", height: chart.legend.height,
            settings: axis.settings("x") + shares.settings("y") + [
                "set xlabel 'time to image (logarithmic)'",
                "set ylabel 'share of all requests'",
                "set lmargin 11",
                chart.rightMargin,
            ] + chart.legend.settings + chart.names(at: curves.map(\.last?.fraction), shares),
            plots: plots,
            columns: ["series", "latency_us", "share", "cache"],
            rows: curves.indices.flatMap { rows($0, curves[$0], axis, name: chart.groups[$0].label) })
    }

    /// Returns the distribution over all requests. It ends at the share of requests that were shown.
    private static func curve(_ result: RunResult) -> [LatencySummary.Point] {
        let share = Double(result.counts.shown) / Double(max(1, result.counts.requests))
        return (result.delivered(.all)?.distribution ?? []).map {
            LatencySummary.Point(latency: $0.latency, fraction: $0.fraction * share)
        }
    }

    /// Returns the corners of the stairs, from 0 at the left edge to the last share at the right one. gnuplot's own
    /// steps would restart the dashes at every corner.
    private static func rows(_ index: Int, _ curve: [LatencySummary.Point], _ axis: Axis, name: String) -> [[String]] {
        guard !curve.isEmpty else { return [] }
        var corners = [(axis.low, 0.0)]
        for point in curve {
            let latency = max(Double(point.latency) / 1_000, axis.low)
            corners += [(latency, corners[corners.count - 1].1), (latency, point.fraction)]
        }
        corners.append((axis.high, corners[corners.count - 1].1))
        return corners.map { latency, share in
            [
                "\(index + 1)", Unit.microseconds.written(.real(latency)), Unit.ratio.written(.real(share)),
                VisibleText.printable(name),
            ]
        }
    }
}
