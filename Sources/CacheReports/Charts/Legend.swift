/// The frame of a chart of lines, with a legend below the plot.
struct Legend {
    /// The number of characters that fit across the picture, and of those that a line sample takes.
    private static let across = 128
    private static let sample = 10
    private static let lineHeight = 21
    /// The heights in pixels of the title, the plot, the axis below it, and the edge.
    private static let (top, plot, axis, bottom) = (60, 430, 72, 16)

    private let names: [String]
    /// The gnuplot style of each line.
    private let styles: [String]
    private let columns: Int

    /// Creates a legend. Without `styles`, lines have the styles of ``ChartStyle`` in order.
    init(_ names: [String], styles: [String]? = nil) {
        self.styles = styles ?? names.indices.map(ChartStyle.line)
        self.names = names.map { name in
            let name = ShortNames.printable(name)
            return name.count > Self.across - Self.sample ? name.prefix(Self.across - Self.sample - 1) + "…" : name
        }
        let longest = self.names.map { TextGrid.width($0) }.max() ?? 0
        columns = min(4, max(1, Self.across / (longest + Self.sample)))
    }

    private var lines: Int { (names.count + columns - 1) / columns }
    private var legendHeight: Int { lines * Self.lineHeight }

    /// The height of the whole picture in pixels.
    var height: Int { Self.top + Self.plot + Self.axis + legendHeight + Self.bottom }

    /// The places of the plot and the legend. By default, gnuplot draws the legend over the axis title.
    var settings: [String] {
        [
            "set tmargin at screen \(screen(height - Self.top))",
            "set bmargin at screen \(screen(Self.bottom + legendHeight + Self.axis))",
            "unset key",
        ] + names.indices.flatMap(entry)
    }

    /// Returns a sample of the line and its name. gnuplot's own key starts another column when it has more lines than
    /// the plot is high, and cuts off columns that do not fit.
    private func entry(_ index: Int) -> [String] {
        let left = 0.03 + 0.95 * Double(index / lines) / Double(columns)
        let y = screen(Self.bottom + legendHeight - (index % lines) * Self.lineHeight - Self.lineHeight / 2)
        let (start, end, text) = (
            GnuplotText.number(left), GnuplotText.number(left + 0.04), GnuplotText.number(left + 0.05)
        )
        return [
            "set arrow from screen \(start), screen \(y) to screen \(end), screen \(y) nohead \(styles[index])",
            "set label \(GnuplotText.quoted(names[index])) left at screen \(text), screen \(y)",
        ]
    }

    /// Returns a height in pixels from the bottom as gnuplot's share of the picture.
    private func screen(_ pixels: Int) -> String { GnuplotText.number(Double(pixels) / Double(height)) }
}
