import Basics
import ReplayEngine

/// Bytes in memory over trace time, with the limits of the caches and the events of the system. Each curve has its name
/// at its right end.
enum MemoryChart {
    /// The most points of a curve, about as many as pixels. A point has the highest value of the seconds it stands for.
    private static let mostPoints = 1_000

    /// Returns nil if no cache held anything, or without timelines.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        guard input.caches.contains(where: { $0.typical.timeline.contains { $0.memoryBytes > 0 } }) else { return nil }
        let chart = CurveChart(input, canvas) { cache in
            let run = cache.typical
            return run.timeline.flatMap { ["\($0.second)", "\($0.memoryBytes)"] } + ["\(run.memoryLimit ?? -1)"]
        }
        let runs = chart.groups.map { input.caches[$0.members[0]].typical }
        let end = TimeCurves.end(input.all) { held($0.timeline) }
        let curves = runs.map { thinned(TimeCurves.cut(held($0.timeline), at: end)) }
        let most = input.all.flatMap { $0.typical.timeline.map(\.memoryBytes) }.max() ?? 0
        let bytes = Axis.linear(from: 0, to: max(Double(most), 1_000) * 1.08) { HumanText.bytes($0) }
        let drawn = TimeCurves(chart, curves, until: end, bytes, canvas)
        let limits = limits(chart, runs, bytes, columns: drawn.names.plotColumns)
        return drawn.content(
            "Memory held over trace time · \(input.place)", axisTitle: "held by the memory tier",
            column: "memory_bytes", marks: limits + marks(runs, drawn.time, drawn.seconds)
        ) { "\(Int64($0))" }
    }

    /// Returns a thin line at each limit of a coloured curve, if it is within the picture, with the names of its
    /// caches. The names are at the left, where memory is not yet full.
    private static func limits(
        _ chart: CurveChart, _ runs: [RunResult], _ axis: Axis, columns: Int
    ) -> [String] {
        let limits = chart.coloured.compactMap { runs[$0].memoryLimit }.unique().filter { Double($0) <= axis.high }
        var labelled: [Double] = []
        return limits.flatMap { limit -> [String] in
            let place = "first \(limit)"
            let line =
                "set arrow from graph 0, \(place) to graph 1, \(place) nohead linewidth 1 linecolor rgb '#777777' "
                + "dashtype (2,4) back"
            let height = axis.fraction(Double(limit))
            guard labelled.allSatisfy({ abs($0 - height) > 0.05 }) else { return [line] }
            labelled.append(height)
            let names = chart.groups.indices.filter { runs[$0].memoryLimit == limit }.map { chart.groups[$0].label }
            let text = "limit of \(HumanText.bytes(Double(limit))): \(NameList.text(names))"
            let short = TextGrid.width(text) > columns ? TextGrid.prefix(text, width: columns - 1) + "…" : text
            return [
                line,
                "set label \(GnuplotText.quoted(short)) left at graph 0.01, \(place) offset 0, character 0.5 "
                    + "textcolor rgb '#777777'",
            ]
        }
    }

    /// The most events of the system that are drawn.
    private static let mostMarks = 24

    /// Returns a line for each event of the system, with its name if there is room.
    static func marks(_ runs: [RunResult], _ time: TimeUnit, _ axis: Axis) -> [String] {
        let names: [SessionMark.Kind: String] = [
            .memoryWarning: "memory warning", .background: "background", .relaunch: "relaunch",
        ]
        let marks = (runs.first?.marks ?? []).filter { names[$0.kind] != nil }.prefix(mostMarks)
        var lastLabel = -1.0
        return marks.flatMap { mark -> [String] in
            let position = Double(mark.time) / 1e9 / time.seconds
            let place = GnuplotText.number(position)
            let colour = mark.kind == .memoryWarning ? ChartStyle.vermilion : "#999999"
            let line =
                "set arrow from first \(place), graph 0 to first \(place), graph 1 nohead linewidth 1 linecolor rgb "
                + "'\(colour)' dashtype (6,4) back"
            let fraction = axis.fraction(position)
            guard fraction - lastLabel > 0.03 else { return [line] }
            lastLabel = fraction
            let text = GnuplotText.quoted(names[mark.kind] ?? "")
            return [
                line,
                "set label \(text) right at first \(place), graph 0.98 offset -0.3, 0 rotate by 90 "
                    + "textcolor rgb '\(colour)'",
            ]
        }
    }

    /// Returns the bytes of each row, and those before each gap's end, so that a line keeps its level until it changes.
    private static func held(_ timeline: [TimelineSecond]) -> [TimeCurves.Point] {
        var points: [TimeCurves.Point] = []
        for row in timeline {
            if let last = points.last, last.second + 1 < row.second {
                points.append(TimeCurves.Point(second: row.second - 1, value: last.value))
            }
            points.append(TimeCurves.Point(second: row.second, value: Double(row.memoryBytes)))
        }
        return points
    }

    private static func thinned(_ points: [TimeCurves.Point]) -> [TimeCurves.Point] {
        let size = (points.count + mostPoints - 1) / mostPoints
        guard size > 1 else { return points }
        return stride(from: 0, to: points.count, by: size).compactMap { start in
            points[start..<min(start + size, points.count)].max { $0.value < $1.value }
        }
    }
}
