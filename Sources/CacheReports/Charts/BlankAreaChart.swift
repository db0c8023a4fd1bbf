import Basics
import ReplayEngine

/// The blank time of all cells up to each moment of the trace, which is the area below the number of blank cells. The
/// line of a cache climbs while cells are blank, and has the name of the cache at its right end.
enum BlankAreaChart {
    /// The most points of a line, about as many as pixels.
    private static let mostPoints = 1_000

    /// Returns nil if no cell was blank, or without timelines.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        guard input.caches.contains(where: { $0.typical.timeline.contains { $0.blankCells > 0 } }) else { return nil }
        let chart = CurveChart(input, canvas) { cache in
            points(cache.typical).flatMap { ["\($0.second)", written($0.value)] }
        }
        let runs = chart.groups.map { input.caches[$0.members[0]].typical }
        let end = TimeCurves.end(input.all, points)
        let curves = runs.map { thinned(TimeCurves.cut(points($0), at: end)) }
        let most = input.all.compactMap { points($0.typical).last?.value }.max() ?? 0
        let blank = Axis.linear(from: 0, to: max(most, 0.001) * 1.08) { HumanText.microseconds($0 * 1e6) }
        let drawn = TimeCurves(chart, curves, until: end, blank, canvas)
        return drawn.content(
            "Blank time so far over trace time · \(input.place)", axisTitle: "blank time of all cells so far",
            column: "blank_s", marks: MemoryChart.marks(runs, drawn.time, drawn.seconds), written: written)
    }

    private static func written(_ blank: Double) -> String { HumanText.decimals(blank, 3) }

    /// Returns the blank time in seconds before the first second of a timeline, before each next row, and at the end of
    /// the trace. A level of blank cells holds until the next row.
    private static func points(_ run: RunResult) -> [TimeCurves.Point] {
        guard let first = run.timeline.first, let last = run.timeline.last else { return [] }
        let end = max(last.second + 1, Int((Double(run.traceDuration) / 1e9).rounded(.up)))
        var points = [TimeCurves.Point(second: first.second, value: 0)]
        var sum = 0.0
        for (row, next) in zip(run.timeline, run.timeline.dropFirst().map(\.second) + [end]) {
            sum += row.blankCells * Double(next - row.second)
            points.append(TimeCurves.Point(second: next, value: sum))
        }
        return points
    }

    private static func thinned(_ points: [TimeCurves.Point]) -> [TimeCurves.Point] {
        let size = (points.count + mostPoints - 1) / mostPoints
        guard size > 1, let last = points.last else { return points }
        return stride(from: 0, to: points.count - 1, by: size).map { points[$0] } + [last]
    }
}
