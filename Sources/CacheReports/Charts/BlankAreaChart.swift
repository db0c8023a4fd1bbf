import Basics
import ReplayEngine

/// The blank time of all cells up to each moment of the trace, which is the area below the number of blank cells. The
/// line of a cache climbs while cells are blank, and has the name of the cache at its right end.
enum BlankAreaChart {
    /// The most points of a line, about as many as pixels.
    private static let mostPoints = 1_000

    /// The blank time of all cells before a second, in seconds.
    private struct Point {
        var second: Int
        var blank: Double
        var text: String { HumanText.decimals(blank, 3) }
    }

    /// Returns nil if no cell was blank, or without timelines.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        guard input.caches.contains(where: { $0.typical.timeline.contains { $0.blankCells > 0 } }) else { return nil }
        let chart = CurveChart(input, canvas) { cache in
            points(cache.typical).flatMap { ["\($0.second)", $0.text] }
        }
        let runs = chart.groups.map { input.caches[$0.members[0]].typical }
        let curves = runs.map { thinned(points($0)) }
        let last = input.all.compactMap { points($0.typical).last }
        let end = Double(last.map(\.second).max() ?? 0)
        let time = TimeUnit.fitting(seconds: end)
        let seconds = Axis.linear(from: 0, to: max(end, 1) / time.seconds, endsThere: true) { HumanText.count($0) }
        let blank = Axis.linear(from: 0, to: max(last.map(\.blank).max() ?? 0, 0.001) * 1.08) {
            HumanText.microseconds($0 * 1e6)
        }
        let ends = curves.map { curve in
            curve.last.map { end in
                (x: seconds.fraction(Double(end.second) / time.seconds), y: blank.fraction(end.blank))
            }
        }
        let names = EndNames(chart.ends(at: ends), canvas)
        return ChartContent(
            title: "Blank time so far over trace time · \(input.place)", height: names.frame.height,
            settings: names.frame.settings(extra: 0) + seconds.settings("x") + blank.settings("y") + [
                "set xlabel 'trace time in \(time.name)'",
                "set ylabel 'blank time of all cells so far' offset -1.5",
                "unset key",
            ] + names.settings + MemoryChart.marks(runs, time, seconds),
            plots: chart.order.filter { !curves[$0].isEmpty }.map { index in
                "$data using ($1 == \(index + 1) ? $2/\(GnuplotText.number(time.seconds)) : NaN):3 "
                    + "with lines \(chart.style(index)) notitle"
            },
            columns: ["series", "second", "blank_s", "cache"],
            rows: curves.indices.flatMap { index in
                curves[index].map { point in
                    [
                        "\(index + 1)", "\(point.second)", point.text,
                        VisibleText.printable(chart.groups[index].label),
                    ]
                }
            })
    }

    /// Returns the blank time before the first second of a timeline, before each next row, and at the end of the trace.
    /// A level holds until the next row.
    private static func points(_ run: RunResult) -> [Point] {
        guard let first = run.timeline.first, let last = run.timeline.last else { return [] }
        let end = max(last.second + 1, Int((Double(run.traceDuration) / 1e9).rounded(.up)))
        var points = [Point(second: first.second, blank: 0)]
        var sum = 0.0
        for (row, next) in zip(run.timeline, run.timeline.dropFirst().map(\.second) + [end]) {
            sum += row.blankCells * Double(next - row.second)
            points.append(Point(second: next, blank: sum))
        }
        return points
    }

    private static func thinned(_ points: [Point]) -> [Point] {
        let size = (points.count + mostPoints - 1) / mostPoints
        guard size > 1, let last = points.last else { return points }
        return stride(from: 0, to: points.count - 1, by: size).map { points[$0] } + [last]
    }
}
