import ReplayEngine

/// Bytes in memory over trace time, which shows the effect of memory warnings.
enum MemoryChart {
    /// The most points of a curve, about as many as pixels. A point has the highest value of the seconds it stands for.
    private static let mostPoints = 1_000

    static func content(_ input: ChartInput) -> ChartContent {
        let legend = Legend(input.caches.map(\.name))
        let curves = input.caches.map { thinned(held($0.typical.timeline)) }
        let last = curves.compactMap(\.last?.second).max() ?? 0
        let most = curves.joined().map(\.memoryBytes).max() ?? 0
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
                ] + legend.settings,
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
