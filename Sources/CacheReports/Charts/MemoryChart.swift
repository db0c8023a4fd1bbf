import ReplayEngine

/// Bytes in memory over trace time, which shows the effect of memory warnings.
enum MemoryChart {
    /// The most points of a curve, about as many as pixels. A point has the highest value of the seconds it stands for.
    private static let mostPoints = 1_000

    static func content(_ input: ChartInput) -> ChartContent {
        let legend = Legend(input.caches.map(\.name))
        let curves = input.caches.map { thinned(held($0.typical.timeline)) }
        let last = curves.compactMap(\.last?.second).max() ?? 0
        let limits = limits(input)
        let most = max(curves.joined().map(\.memoryBytes).max() ?? 0, limits.map(\.bytes).max() ?? 0)
        let time = TimeUnit.fitting(seconds: Double(last))
        let plots = input.caches.indices.filter { !curves[$0].isEmpty }.map { index in
            "$data using ($1 == \(index + 1) ? $2/\(GnuplotText.number(time.seconds)) : NaN):3 "
                + "with lines \(ChartStyle.line(index)) notitle"
        }
        return ChartContent(
            title: "Memory held over trace time · \(input.trace)", height: legend.height,
            settings: Axis.linear(from: 0, to: max(Double(last), 1) / time.seconds, endsThere: true) {
                HumanText.count($0)
            }.settings("x")
                + Axis.linear(from: 0, to: max(Double(most), 1_000)) { HumanText.bytes($0) }.settings("y") + [
                    "set xlabel 'trace time in \(time.name)'",
                    "set ylabel 'held by the memory tier'",
                    "set lmargin 13",
                    "set rmargin 5",
                ] + limits.flatMap(\.settings) + events(input, last: last, time) + legend.settings,
            plots: plots,
            columns: ["series", "second", "memory_bytes", "cache"],
            rows: zip(input.caches.indices, curves).flatMap { index, curve in
                curve.map {
                    [
                        "\(index + 1)", "\($0.second)", "\($0.memoryBytes)",
                        ShortNames.printable(input.caches[index].name),
                    ]
                }
            })
    }

    /// Returns the limits of the caches, at most four, as thin lines with their sizes.
    private static func limits(_ input: ChartInput) -> [(bytes: Int64, settings: [String])] {
        let peak = input.caches.flatMap { $0.typical.timeline.map(\.memoryBytes) }.max() ?? 0
        // A limit far above all curves would press them to the axis.
        let limits = Set(input.caches.compactMap(\.typical.memoryLimit)).filter { $0 > 0 && $0 <= 2 * max(peak, 1) }
        return limits.sorted().suffix(4).map { bytes in
            let level = GnuplotText.number(Double(bytes))
            return (
                Int64(bytes),
                [
                    "set arrow from graph 0, first \(level) to graph 1, first \(level) nohead linewidth 1 "
                        + "linecolor rgb '\(ChartStyle.red)' dashtype (4,4)",
                    "set label \(GnuplotText.quoted("limit \(HumanText.bytes(Double(bytes)))")) right "
                        + "at graph 0.975, first \(level) offset 0, character 0.5 "
                        + "textcolor rgb '\(ChartStyle.red)'",
                ]
            )
        }
    }

    /// Returns the events of the system as thin upright lines. Each kind is named once, at its first event.
    private static func events(_ input: ChartInput, last: Int, _ time: TimeUnit) -> [String] {
        let names: [SessionMark.Kind: String] = [
            .memoryWarning: "memory warning", .background: "background", .relaunch: "relaunch",
        ]
        let marks = (input.caches.first?.typical.marks ?? []).filter {
            names[$0.kind] != nil && Double($0.time) / 1e9 <= Double(max(last, 1))
        }
        var named: [SessionMark.Kind] = []
        return marks.prefix(100).flatMap { mark -> [String] in
            let place = GnuplotText.number(Double(mark.time) / 1e9 / time.seconds)
            let line =
                "set arrow from first \(place), graph 0 to first \(place), graph 1 nohead back linewidth 1 "
                + "linecolor rgb '#999999'"
            guard !named.contains(mark.kind), let name = names[mark.kind] else { return [line] }
            named.append(mark.kind)
            // Late events have their names to the left, so that no name leaves the plot.
            let isLate = Double(mark.time) / 1e9 > 0.8 * Double(max(last, 1))
            return [
                line,
                "set label '\(name)' \(isLate ? "right" : "left") at first \(place), graph 0.97 "
                    + "offset character \(isLate ? "-0.5" : "0.5"), character \(-(named.count - 1)) "
                    + "textcolor rgb '#555555'",
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
