import Basics

/// The frame of a chart of lines, with a legend below the plot.
struct Legend {
    /// The characters that a line sample takes.
    private static let sample = 10
    private static let lineHeight = 21
    /// The heights in pixels of the plot, the axis below it, and the edge.
    private static let (plot, axis, bottom) = (430, 72, 16)

    private let names: [String]
    private let styles: [String]
    private let columns: Int
    let height: Int

    /// Creates a legend. Without `styles`, lines have the styles of ``ChartStyle`` in order.
    init(_ names: [String], styles: [String]? = nil, canvas: ChartCanvas = .standard) {
        let across = canvas.columns(Double(canvas.width))
        func columns(_ names: [String]) -> Int {
            min(4, max(1, across / ((names.map { TextGrid.width($0) }.max() ?? 0) + Self.sample)))
        }
        let styles = styles ?? names.indices.map(ChartStyle.line)
        func cut(_ most: Int) -> [String] {
            names.map { name in
                let name = VisibleText.printable(name)
                return TextGrid.width(name) > most ? TextGrid.prefix(name, width: most - 1) + "…" : name
            }
        }
        var kept = cut(across - Self.sample)
        let fixed = ChartStyle.top + Self.axis + Self.bottom
        if let height = canvas.height {
            // The plot has at least half of the space; names are cut, and then left out.
            let room = max(1, (height - fixed) / 2 / Self.lineHeight)
            for wanted in 1...4 where (kept.count + columns(kept) - 1) / columns(kept) > room {
                kept = cut(max(8, across / wanted - Self.sample))
            }
            if (kept.count + columns(kept) - 1) / columns(kept) > room {
                let left = kept.count - (room * columns(kept) - 1)
                kept = Array(kept.prefix(kept.count - left)) + ["… and \(left) more"]
            }
        }
        self.columns = columns(kept)
        self.styles = Array(styles.prefix(kept.count))
        self.names = kept
        let lines = (kept.count + self.columns - 1) / self.columns
        self.height = canvas.height ?? (fixed + Self.plot + lines * Self.lineHeight)
    }

    private var lines: Int { (names.count + columns - 1) / columns }
    private var legendHeight: Int { lines * Self.lineHeight }

    /// The places of the plot and the legend. By default, gnuplot draws the legend over the axis title.
    var settings: [String] {
        [
            "set tmargin at screen \(screen(height - ChartStyle.top))",
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
