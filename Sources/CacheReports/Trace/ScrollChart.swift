import Basics
import SessionModel
import TraceAnalysis

/// The charts of scroll speeds and of the position of the list.
enum ScrollChart {
    private static let mostStretches = 4_000

    static func speed(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        guard let scroll = analysis.scroll else { return nil }
        let phases = [ScrollPhase.dragged, .decelerating].filter { scroll.time($0) > 0 }
        let most = phases.compactMap { scroll.speed($0, quantile: 1) }.max() ?? 0
        guard most > 0 else { return nil }
        let axis = Axis.linear(from: 0, to: most) { HumanText.count($0) }
        return LineChart(
            title: "Scroll speed, cumulative · \(trace)", x: axis,
            y: .linear(from: 0, to: 1) { HumanText.wholeShare($0) },
            xLabel: "points per second", yLabel: "share of the phase's time not faster",
            columns: ("points_per_s", "share"),
            curves: phases.map { phase in
                let curve = scroll.curve(phase).map { (x: $0.speed, y: $0.share) }
                return LineChart.Curve(
                    name: "\(phase.title), \(HumanText.microseconds(Double(scroll.time(phase)))) in all",
                    points: curve.stairs(from: (0, 0)) + [(axis.high, 1)], style: style(phase))
            })
    }

    /// The position over time. A row of another phase interrupts a line, so that each part has the colour of its phase.
    static func path(_ analysis: TraceStatistics, trace: String) -> LineChart? {
        guard let scroll = analysis.scroll, let end = scroll.stretches.last?.end, end > 0 else { return nil }
        let offsets = scroll.stretches.flatMap { [$0.offset, $0.endOffset] }
        guard let low = offsets.min(), let high = offsets.max(), high > low else { return nil }
        let unit = TimeUnit.fitting(seconds: Double(end) / 1e6)
        func place(_ time: Int64) -> Double { Double(time) / 1e6 / unit.seconds }
        let shown = thinned(scroll.stretches)
        return LineChart(
            title: "Position of the list · \(trace)",
            x: .linear(from: 0, to: place(end), endsThere: true) { HumanText.count($0) },
            y: .linear(from: low, to: high) { HumanText.count($0) }, xLabel: "trace time in \(unit.name)",
            yLabel: "offset in points",
            columns: ("time_\(unit.name)", "offset_points"),
            curves: ScrollPhase.allCases.map { phase in
                var points: [(x: Double, y: Double)] = []
                var isOpen = false
                for stretch in shown {
                    guard stretch.phase == phase else {
                        // gnuplot interrupts a line at values that are not numbers.
                        if isOpen { points.append((.nan, .nan)) }
                        isOpen = false
                        continue
                    }
                    points += [(place(stretch.time), stretch.offset), (place(stretch.end), stretch.endOffset)]
                    isOpen = true
                }
                return LineChart.Curve(
                    name: "\(phase.title), \(HumanText.microseconds(Double(scroll.time(phase))))", points: points,
                    style: style(phase))
            })
    }

    private static func style(_ phase: ScrollPhase) -> Int {
        switch phase {
        case .dragged: 1
        case .decelerating: 0
        case .atRest: LineChart.Curve.reference
        }
    }

    /// Joins short neighbours of the same phase, to limit the size of files.
    private static func thinned(_ stretches: [ScrollSpeeds.Stretch]) -> [ScrollSpeeds.Stretch] {
        guard stretches.count > mostStretches else { return stretches }
        let shortest = ((stretches.last?.end ?? 0) - (stretches.first?.time ?? 0)) / Int64(mostStretches)
        var joined: [ScrollSpeeds.Stretch] = []
        for stretch in stretches {
            if let last = joined.last, last.phase == stretch.phase, last.end - last.time < shortest {
                joined[joined.count - 1].end = stretch.end
                joined[joined.count - 1].endOffset = stretch.endOffset
            } else {
                joined.append(stretch)
            }
        }
        return joined
    }
}
