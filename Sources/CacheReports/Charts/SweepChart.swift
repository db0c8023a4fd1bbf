import Basics
import ReplayEngine
import Runs

/// The share of blank time, and below it the share of requests that are not shown, against a swept value: a line per
/// cache in each panel. A band covers what is within the tolerance of the best. Caches with equal lines share them.
enum SweepChart {
    /// One point of a line. `value` is nil for no limit.
    private struct Point: Equatable {
        var value: Double?
        var text: String
        var blank: Double
        var unshown: Double
    }

    /// A part of the plot with an axis of its own, from 0.
    private struct Panel {
        /// The lower edge, as a share of the plot's height.
        var base: Double
        /// The heading beside the axis, in two lines.
        var title: String
        var column: Int
        var least: Double
        var axis: Axis

        /// The height as a share of the plot's.
        static let height = 0.44

        init(base: Double, _ title: String, column: Int, _ figures: [Double]) {
            (self.base, self.title, self.column) = (base, title, column)
            least = figures.min() ?? 0
            let largest = figures.max() ?? 1
            axis = Axis.linear(from: 0, to: min(1, max(Tolerance.share * Tolerance.leastSpan, largest * 1.1))) {
                largest < 0.05 ? HumanText.share($0) : HumanText.wholeShare($0)
            }
        }

        private func place(_ share: Double) -> String {
            GnuplotText.number(base + Self.height * axis.fraction(min(share, axis.high)))
        }

        var expression: String {
            "(\(GnuplotText.number(base))+\(GnuplotText.number(Self.height))*$\(column)/\(GnuplotText.number(axis.high)))"
        }

        var tics: [String] {
            axis.tics.map { "\(GnuplotText.quoted($0.label.replacing("%", with: "%%"))) \(place($0.position))" }
        }

        /// The lines of both axes, and the heading.
        var frame: [String] {
            let (low, high) = (GnuplotText.number(base), GnuplotText.number(base + Self.height))
            let style = "nohead linewidth 1 linecolor rgb '#555555'"
            return [
                "set arrow from graph 0, graph \(low) to graph 0, graph \(high) \(style)",
                "set arrow from graph 0, graph \(low) to graph 1, graph \(low) \(style)",
                "set label \(GnuplotText.quoted(title)) center at screen 0.025, graph "
                    + "\(GnuplotText.number(base + Self.height / 2)) rotate by 90",
            ]
        }

        /// The band of the values within the tolerance of the best one.
        func band(_ tolerance: Tolerance) -> [String] {
            let end = least + tolerance.difference(from: least, .ratio)
            return [
                "set object rectangle from graph 0, graph \(place(least)) to graph 1, graph \(place(end)) behind "
                    + "fillcolor rgb '\(ChartStyle.grey)' fillstyle solid 1 border rgb '\(ChartStyle.grey)'",
                // At the left, most lines are higher.
                "set label 'within \(tolerance.text(.ratio)) of the best' left at graph 0.005, graph \(place(end)) "
                    + "offset 0, character 0.6 textcolor rgb '#777777'",
            ]
        }
    }

    /// Returns nil if nothing is swept.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let lines = lines(input)
        guard let parameter = input.caches.lazy.compactMap({ $0.runs[0].identity.swept?.first?.parameter }).first,
            let (axis, unlimited) = Self.axis(lines.flatMap(\.points))
        else { return nil }
        let points = lines.flatMap(\.points)
        let panels = [
            Panel(base: 0.56, "blank\nof visible time", column: 3, points.map(\.blank)),
            Panel(base: 0, "not shown\nof requests", column: 4, points.map(\.unshown)),
        ]
        let coloured = lines.prefix(ChartStyle.mostColoured)
        let legend = Legend(coloured.map(\.label), styles: coloured.map { ChartStyle.line($0.look) }, canvas: canvas)
        // The best lines are drawn last, above the others.
        let parts = panels.flatMap { panel in lines.indices.reversed().flatMap { plots(lines[$0], $0, panel) } }
        return ChartContent(
            title: "Blank time and images not shown, by \(parameter) · \(input.place)", height: legend.height,
            settings: axis.settings("x") + [
                "set xlabel \(GnuplotText.quoted(parameter + (axis.isLogarithmic ? " (logarithmic)" : "")))",
                "set yrange [0:1]",
                "set ytics (\(panels.flatMap(\.tics).joined(separator: ", ")))",
                "set border 1 linecolor rgb '#555555'",
                "set lmargin 13",
                "set rmargin 5",
            ] + panels.flatMap(\.frame) + panels.flatMap { $0.band(input.tolerance) } + legend.settings,
            plots: parts,
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

    /// Returns the axis of swept values, and the place of results without a limit, which stand apart at the right. nil
    /// without values.
    private static func axis(_ points: [Point]) -> (axis: Axis, unlimited: Double)? {
        let values = points.compactMap(\.value)
        let labels = Dictionary(
            points.compactMap { point in point.value.map { ($0, point.text) } },
            uniquingKeysWith: { first, _ in first })
        guard let least = values.min(), let most = values.max() else { return nil }
        let isLogarithmic = least > 0 && most >= 8 * least
        let hasUnlimited = points.contains { $0.value == nil }
        let unlimited = isLogarithmic ? most * 2 : most + max(1, most - least) * 0.2
        let axis = Axis(
            low: isLogarithmic ? least / 1.15 : least - max(1e-9, most - least) * 0.04,
            high: isLogarithmic
                ? unlimited / (hasUnlimited ? 0.87 : 1.75) : hasUnlimited ? unlimited * 1.02 : most * 1.04,
            isLogarithmic: isLogarithmic,
            tics: labels.sorted { $0.key < $1.key }.map { Axis.Tic(position: $0.key, label: $0.value) }
                + (hasUnlimited ? [Axis.Tic(position: unlimited, label: SweptValue.unlimited)] : []))
        return (axis, unlimited)
    }

    /// Returns the parts of the plot command for a line in a panel. The best lines have colours.
    private static func plots(_ line: Line, _ index: Int, _ panel: Panel) -> [String] {
        let isColoured = index < ChartStyle.mostColoured
        let grey = "linewidth 1.2 linecolor rgb '\(ChartStyle.greyLine)'"
        let data = "$data using ($1 == \(index + 1) ? $2 : NaN):\(panel.expression)"
        return [
            "\(data) with lines \(isColoured ? ChartStyle.line(line.look) : grey) notitle",
            "\(data) with points \(isColoured ? ChartStyle.point(line.look) : "pointtype 7 \(grey)") notitle",
        ]
    }

    private struct Line {
        var names: [String]
        var points: [Point]
        /// The number of its look: its place on the command line.
        var look: Int
        var label: String { ChartInput.label(names) }
        var least: Double { points.map(\.blank).min() ?? 1 }
    }

    /// Returns a line for each cache, and for each combination of the values of further sweeps, in the order of the
    /// least blank time of each.
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
                lines.append(Line(names: [name], points: [point], look: lines.count))
            }
        }
        for index in lines.indices {
            lines[index].points.sort { ($0.value ?? .infinity) < ($1.value ?? .infinity) }
        }
        let joined: [Line] = lines.reduce(into: []) { joined, line in
            if let place = joined.firstIndex(where: { $0.points == line.points }) {
                joined[place].names += line.names
            } else {
                joined.append(line)
            }
        }
        return input.order.ranked(joined, by: { $0.names[0] }, { $0.least })
    }
}
