import Basics

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

    /// The margins, and the axis title beside the plot, in units.
    private static let margins = 160.0

    func content(_ canvas: ChartCanvas) -> ChartContent {
        let legend = Legend(curves.map(\.name), styles: curves.map { Self.line($0.style) }, canvas: canvas)
        let x = x.labelled(within: Double(canvas.width) - Self.margins)
        let plots = curves.indices.filter { !curves[$0].points.isEmpty }.map { index in
            "$data using ($1 == \(index + 1) ? $2 : NaN):3 with lines \(Self.line(curves[index].style)) notitle"
        }
        return ChartContent(
            title: title, height: legend.height,
            settings: x.settings("x") + y.settings("y") + [
                "set xlabel \(GnuplotText.quoted(xLabel))",
                "set ylabel \(GnuplotText.quoted(canvas.fitted(yLabel, Double(legend.height) * 0.75)))",
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

// MARK: As JSON

extension LineChart: Codable {
    private enum Key: String, CodingKey {
        case title, x, y, curves
        case xLabel = "x_label"
        case yLabel = "y_label"
        case xColumn = "x_column"
        case yColumn = "y_column"
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(title, forKey: .title)
        try values.encode(x, forKey: .x)
        try values.encode(y, forKey: .y)
        try values.encode(xLabel, forKey: .xLabel)
        try values.encode(yLabel, forKey: .yLabel)
        try values.encode(columns.x, forKey: .xColumn)
        try values.encode(columns.y, forKey: .yColumn)
        try values.encode(curves, forKey: .curves)
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            title: try values.decode(String.self, forKey: .title), x: try values.decode(Axis.self, forKey: .x),
            y: try values.decode(Axis.self, forKey: .y), xLabel: try values.decode(String.self, forKey: .xLabel),
            yLabel: try values.decode(String.self, forKey: .yLabel),
            columns: (
                try values.decode(String.self, forKey: .xColumn), try values.decode(String.self, forKey: .yColumn)
            ), curves: try values.decode([Curve].self, forKey: .curves))
    }
}

extension LineChart.Curve: Codable {
    private enum Key: String, CodingKey { case name, style, x, y }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(style, forKey: .style)
        try values.encode(points.map(\.x), forKey: .x)
        try values.encode(points.map(\.y), forKey: .y)
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let style = try values.decode(Int.self, forKey: .style)
        guard style >= Self.reference else {
            throw DecodingError.dataCorruptedError(forKey: .style, in: values, debugDescription: "no style \(style)")
        }
        let x = try values.decode([Double].self, forKey: .x)
        let y = try values.decode([Double].self, forKey: .y)
        self.init(
            name: try values.decode(String.self, forKey: .name), points: zip(x, y).map { (x: $0, y: $1) }, style: style)
    }
}
