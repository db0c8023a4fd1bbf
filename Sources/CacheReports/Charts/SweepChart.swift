import Basics
import ReplayEngine
import Runs

/// The share of blank time, and the share of requests that are not shown, against a swept value: two lines per cache.
/// Caches with equal lines share them.
enum SweepChart {
    /// One point of a line. `value` is nil for no limit.
    private struct Point: Equatable {
        var value: Double?
        var text: String
        var blank: Double
        var unshown: Double
    }

    /// Returns nil if nothing is swept.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let lines = lines(input)
        guard let parameter = input.caches.lazy.compactMap({ $0.runs[0].identity.swept?.first?.parameter }).first,
            !lines.isEmpty
        else { return nil }
        let values = lines.flatMap(\.points).compactMap(\.value)
        let labels = Dictionary(
            lines.flatMap(\.points).compactMap { point in point.value.map { ($0, point.text) } },
            uniquingKeysWith: { first, _ in first })
        guard let least = values.min(), let most = values.max() else { return nil }
        let isLogarithmic = least > 0 && most >= 8 * least
        // Results without a limit stand apart, at the right.
        let hasUnlimited = lines.contains { $0.points.contains { $0.value == nil } }
        let unlimited = isLogarithmic ? most * 2 : most + max(1, most - least) * 0.2
        let axis = Axis(
            low: isLogarithmic ? least / 1.15 : least - max(1e-9, most - least) * 0.04,
            high: isLogarithmic
                ? unlimited / (hasUnlimited ? 0.87 : 1.75) : hasUnlimited ? unlimited * 1.02 : most * 1.04,
            isLogarithmic: isLogarithmic,
            tics: labels.sorted { $0.key < $1.key }.map { Axis.Tic(position: $0.key, label: $0.value) }
                + (hasUnlimited ? [Axis.Tic(position: unlimited, label: SweptValue.unlimited)] : []))
        let coloured = lines.indices.sorted { (lines[$0].least, $0) < (lines[$1].least, $1) }
            .prefix(ChartStyle.mostColoured).sorted()
        let legend = Legend(
            coloured.map { "\(lines[$0].label): blank" } + ["dotted, the same colour: not shown"],
            styles: coloured.indices.map { ChartStyle.line($0) }
                + ["linewidth 1.6 linecolor rgb '\(ChartStyle.black)' dashtype (1,4)"], canvas: canvas)
        let order = lines.indices.filter { !coloured.contains($0) } + coloured
        let largest = lines.flatMap(\.points).map { max($0.blank, $0.unshown) }.max() ?? 1
        let shares = Axis.linear(from: 0, to: min(1, max(Tolerance.share * Tolerance.leastSpan, largest * 1.1))) {
            largest < 0.05 ? HumanText.share($0) : HumanText.wholeShare($0)
        }
        let plots = order.flatMap { line -> [String] in
            let place = coloured.firstIndex(of: line)
            let style = place.map(ChartStyle.line) ?? "linewidth 1.2 linecolor rgb '\(ChartStyle.greyLine)'"
            let dotted = style.split(separator: " dashtype ")[0] + " dashtype (1,4)"
            let shape = place.map(ChartStyle.point) ?? "pointtype 7 linecolor rgb '\(ChartStyle.greyLine)'"
            return [
                "$data using ($1 == \(line + 1) ? $2 : NaN):4 with lines \(dotted) notitle",
                "$data using ($1 == \(line + 1) ? $2 : NaN):3 with lines \(style) notitle",
                "$data using ($1 == \(line + 1) ? $2 : NaN):3 with points \(shape) notitle",
            ]
        }
        return ChartContent(
            title: "Blank time and images not shown, by \(parameter) · \(input.place)", height: legend.height,
            settings: axis.settings("x") + shares.settings("y") + [
                "set xlabel \(GnuplotText.quoted(parameter + (isLogarithmic ? " (logarithmic)" : "")))",
                "set ylabel 'share of time or requests'",
                "set lmargin 11",
                "set rmargin 5",
            ] + legend.settings,
            plots: plots,
            columns: ["series", "value", "blank_ratio", "unshown_ratio", "swept", "cache"],
            rows: lines.enumerated().flatMap { index, line in
                line.points.map { point in
                    [
                        "\(index + 1)", GnuplotText.number(point.value ?? unlimited),
                        Unit.ratio.written(.real(point.blank)), Unit.ratio.written(.real(point.unshown)), point.text,
                        VisibleText.printable(line.label),
                    ]
                }
            })
    }

    private struct Line {
        var names: [String]
        var points: [Point]
        var label: String { ChartInput.label(names) }
        var least: Double { points.map(\.blank).min() ?? 1 }
    }

    /// Returns a line for each cache, and for each combination of the values of further sweeps.
    private static func lines(_ input: ChartInput) -> [Line] {
        var lines: [Line] = []
        for cache in input.caches {
            let identity = cache.runs[0].identity
            guard let swept = identity.swept, let first = swept.first, let blank = cache.blank, let shown = cache.shown,
                first.number != nil || first.value == SweptValue.unlimited
            else { continue }
            let name = ([identity.base ?? cache.name] + swept.dropFirst().map(\.text)).joined(separator: "; ")
            let point = Point(value: first.number, text: first.value, blank: blank, unshown: 1 - shown)
            if let place = lines.firstIndex(where: { $0.names == [name] }) {
                lines[place].points.append(point)
            } else {
                lines.append(Line(names: [name], points: [point]))
            }
        }
        for index in lines.indices {
            lines[index].points.sort { ($0.value ?? .infinity) < ($1.value ?? .infinity) }
        }
        return lines.reduce(into: []) { joined, line in
            if let place = joined.firstIndex(where: { $0.points == line.points }) {
                joined[place].names += line.names
            } else {
                joined.append(line)
            }
        }
    }
}
