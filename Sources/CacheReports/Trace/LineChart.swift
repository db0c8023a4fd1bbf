import Basics

/// A chart of lines over two axes.
struct LineChart {
    struct Curve {
        var name: String
        /// The points in the units of the axes.
        var points: [(x: Double, y: Double)]
        /// The number of the colour and dashes; ``reference`` for a line of reference.
        var style: Int

        static let reference = -1
    }

    var title: String
    var x: Axis
    var y: Axis
    var xLabel: String
    var yLabel: String
    /// The names of the columns of the data, with their units.
    var columns: (x: String, y: String)
    var curves: [Curve]

    func content() -> ChartContent {
        let legend = Legend(curves.map(\.name), styles: curves.map { Self.line($0.style) })
        let plots = curves.indices.filter { !curves[$0].points.isEmpty }.map { index in
            "$data using ($1 == \(index + 1) ? $2 : NaN):3 with lines \(Self.line(curves[index].style)) notitle"
        }
        return ChartContent(
            title: title, height: legend.height,
            settings: x.settings("x") + y.settings("y") + [
                "set xlabel \(GnuplotText.quoted(xLabel))", "set ylabel \(GnuplotText.quoted(yLabel))",
                "set lmargin 13",
                "set rmargin 5",
            ] + legend.settings,
            plots: plots, columns: ["series", columns.x, columns.y, "name"],
            rows: curves.enumerated().flatMap { index, curve in
                curve.points.map { point in
                    [
                        "\(index + 1)", GnuplotText.number(point.x), GnuplotText.number(point.y),
                        VisibleText.printable(curve.name),
                    ]
                }
            })
    }

    private static func line(_ style: Int) -> String {
        style == Curve.reference ? "linewidth 2 linecolor rgb '#777777' dashtype (9,5)" : ChartStyle.line(style)
    }
}

extension Array where Element == (x: Double, y: Double) {
    /// Returns the points of a step function that is constant until the next value.
    func stairs(from start: (x: Double, y: Double)) -> [(x: Double, y: Double)] {
        var corners = [start]
        for point in self {
            corners.append((point.x, corners[corners.count - 1].y))
            corners.append(point)
        }
        return corners
    }

    /// Returns at most `most` points at even distances, with the first and the last.
    func thinned(to most: Int) -> [(x: Double, y: Double)] {
        guard count > most, most > 1, let last else { return self }
        return (0..<most - 1).map { self[$0 * (count - 1) / (most - 1)] } + [last]
    }
}
