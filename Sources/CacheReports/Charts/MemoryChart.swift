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
        let curves = runs.map { thinned(held($0.timeline)) }
        let timelines = input.all.map(\.typical.timeline)
        let last = timelines.compactMap(\.last?.second).max() ?? 0
        let most = timelines.joined().map(\.memoryBytes).max() ?? 0
        let time = TimeUnit.fitting(seconds: Double(last))
        let bytes = Axis.linear(from: 0, to: max(Double(most), 1_000) * 1.08) { HumanText.bytes($0) }
        let plots = chart.order.filter { !curves[$0].isEmpty }.map { index in
            "$data using ($1 == \(index + 1) ? $2/\(GnuplotText.number(time.seconds)) : NaN):3 "
                + "with lines \(chart.style(index)) notitle"
        }
        let seconds = Axis.linear(from: 0, to: max(Double(last), 1) / time.seconds, endsThere: true) {
            HumanText.count($0)
        }
        let ends = curves.map { curve in
            curve.last.map { end in
                (x: seconds.fraction(Double(end.second) / time.seconds), y: bytes.fraction(Double(end.memoryBytes)))
            }
        }
        let names = EndNames(chart.ends(at: ends), canvas)
        return ChartContent(
            title: "Memory held over trace time · \(input.place)", height: names.frame.height,
            settings: names.frame.settings(extra: 0) + seconds.settings("x") + bytes.settings("y") + [
                "set xlabel 'trace time in \(time.name)'",
                "set ylabel 'held by the memory tier' offset -1.5",
                "unset key",
            ] + names.settings + limits(chart, runs, bytes, columns: names.plotColumns) + marks(runs, time, seconds),
            plots: plots,
            columns: ["series", "second", "memory_bytes", "cache"],
            rows: curves.indices.flatMap { index in
                curves[index].map {
                    [
                        "\(index + 1)", "\($0.second)", "\($0.memoryBytes)",
                        VisibleText.printable(chart.groups[index].label),
                    ]
                }
            })
    }

    /// Returns a thin line at each limit of a coloured curve, if it is within the picture, with the names of its
    /// caches. The names are at the left, where memory is not yet full.
    ///
    /// - Parameter columns: The width of the plot.
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
                "set label \(GnuplotText.quoted(short)) left at graph 0.01, \(place) offset 0, character 0.5 textcolor rgb '#777777'",
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

    /// Adds a row before each gap's end, so that a line keeps its level until it changes.
    private static func held(_ timeline: [TimelineSecond]) -> [TimelineSecond] {
        var rows: [TimelineSecond] = []
        for row in timeline {
            if var end = rows.last, end.second + 1 < row.second {
                end.second = row.second - 1
                rows.append(end)
            }
            rows.append(row)
        }
        return rows
    }

    private static func thinned(_ timeline: [TimelineSecond]) -> [TimelineSecond] {
        let size = (timeline.count + mostPoints - 1) / mostPoints
        guard size > 1 else { return timeline }
        return stride(from: 0, to: timeline.count, by: size).compactMap { start in
            timeline[start..<min(start + size, timeline.count)].max { $0.memoryBytes < $1.memoryBytes }
        }
    }
}

/// The unit of a time axis.
struct TimeUnit {
    var name: String
    var seconds: Double

    static func fitting(seconds: Double) -> TimeUnit {
        switch seconds {
        case ..<300: TimeUnit(name: "seconds", seconds: 1)
        case ..<10_800: TimeUnit(name: "minutes", seconds: 60)
        case ..<259_200: TimeUnit(name: "hours", seconds: 3_600)
        default: TimeUnit(name: "days", seconds: 86_400)
        }
    }
}
