import Basics
import ReplayEngine

/// A chart with one curve per cache over trace time. Each curve has the name of its cache at its right end.
///
/// The time axis ends with the session, or later at the last moment at which a curve of any trace changes.
struct TimeCurves {
    /// A value from a second of trace time on, or up to it.
    struct Point: Equatable {
        var second: Int
        var value: Double
    }

    let chart: CurveChart
    let time: TimeUnit
    /// The horizontal axis, in units of ``time``.
    let seconds: Axis
    let names: EndNames
    private let vertical: Axis
    /// The points by the places of their curves in ``CurveChart/groups``.
    private let curves: [[Point]]

    /// - Parameter curves: The points by the places of their curves in the groups of the chart, up to the end of the
    ///   axis.
    init(_ chart: CurveChart, _ curves: [[Point]], until end: Int, _ vertical: Axis, _ canvas: ChartCanvas) {
        let time = TimeUnit.fitting(seconds: Double(end))
        let seconds = Axis.linear(from: 0, to: Double(max(end, 1)) / time.seconds, endsThere: true) {
            HumanText.count($0)
        }
        var places: [(x: Double, y: Double)?] = []
        for curve in curves {
            guard let last = curve.last else {
                places.append(nil)
                continue
            }
            places.append((x: seconds.fraction(Double(last.second) / time.seconds), y: vertical.fraction(last.value)))
        }
        names = EndNames(chart.ends(at: places), canvas)
        (self.chart, self.curves, self.time, self.seconds, self.vertical) = (chart, curves, time, seconds, vertical)
    }

    /// Returns the end of the time axis in seconds: the end of the longest session of any trace, or the last moment
    /// after it at which a curve changes.
    static func end(_ series: [ChartInput.Series], _ points: (RunResult) -> [Point]) -> Int {
        var end = 0
        for cache in series {
            let run = cache.typical
            end = max(end, Int((Double(run.traceDuration) / 1e9).rounded(.up)))
            let curve = points(run)
            var last = curve.first?.second ?? 0
            for (one, next) in zip(curve, curve.dropFirst()) where next.value != one.value { last = next.second }
            end = max(end, last)
        }
        return end
    }

    /// Returns the points of a curve up to the end of the time axis, after which it does not change.
    static func cut(_ points: [Point], at end: Int) -> [Point] {
        var kept = points.filter { $0.second <= end }
        if kept.count < points.count, let last = kept.last, last.second < end {
            kept.append(Point(second: end, value: last.value))
        }
        return kept
    }

    /// - Parameters:
    ///   - axisTitle: The title of the vertical axis. It has no quotes.
    ///   - column: The name of the column of the values.
    ///   - written: Returns a value as text in the data.
    ///   - marks: The commands that draw limits and events.
    func content(
        _ title: String, axisTitle: String, column: String, marks: [String], written: (Double) -> String
    ) -> ChartContent {
        var rows: [[String]] = []
        for (index, curve) in curves.enumerated() {
            let name = VisibleText.printable(chart.groups[index].label)
            for point in curve { rows.append(["\(index + 1)", "\(point.second)", written(point.value), name]) }
        }
        return ChartContent(
            title: title, height: names.frame.height,
            settings: names.frame.settings(extra: 0) + seconds.settings("x") + vertical.settings("y") + [
                "set xlabel 'trace time in \(time.name)'",
                "set ylabel '\(axisTitle)' offset -1.5",
                "unset key",
            ] + names.settings + marks,
            plots: chart.order.filter { !curves[$0].isEmpty }.map { index in
                "$data using ($1 == \(index + 1) ? $2/\(GnuplotText.number(time.seconds)) : NaN):3 "
                    + "with lines \(chart.style(index)) notitle"
            },
            columns: ["series", "second", column, "cache"], rows: rows)
    }
}

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
