import Basics

/// The parts of a script that differ between charts. All charts share the other parts.
struct ChartContent {
    /// The subject of the chart. It is the title where there is no finding.
    var title: String
    var height: Int
    /// The `set` commands: axes, labels, margins.
    var settings: [String]
    /// The parts of the plot command. A part that begins with `$data` draws the chart's data file. It is empty when
    /// there is no figure.
    var plots: [String]
    var columns: [String]
    var rows: [[String]]
    var canvas = ChartCanvas.standard
    /// The findings of the figures, in sentences, for the title. Those that do not fit are left out.
    var finding: String?
    /// The basis of the figures, in phrases, for the line below the title.
    var source: [String] = []

    /// The columns of a line of the title, whose font is larger than the font of other texts.
    private var titleColumns: Int {
        canvas.columns(Double(canvas.width) * 0.93 * ChartCanvas.fontSize / Double(ChartStyle.titleSize))
    }

    /// The title in at most two lines.
    private var titleLines: [String] {
        func lines(_ text: String, most: Int = 2) -> [String] {
            NameRows.wrap(text, at: titleColumns, mostLines: most)
        }
        guard canvas.title == nil, let finding else { return lines(canvas.title ?? title) }
        let sentences = finding.split(separator: ". ").map(String.init)
        let texts = sentences.indices.map { last in
            sentences[...last].joined(separator: ". ") + (last == sentences.count - 1 ? "" : ".")
        }
        return lines(texts.last { lines($0, most: 3).count <= 2 } ?? texts.first ?? title)
    }

    /// The line below the title; empty for none.
    private var sourceLine: String {
        let parts = (finding == nil && canvas.title == nil ? [] : [title]) + source
        return canvas.fitted(VisibleText.printable(parts.joined(separator: " · ")), Double(canvas.width) * 0.93)
    }

    /// The subject as a comment. A backslash at its end would continue the comment on the next line.
    private var comment: String {
        let short = TextGrid.cut(VisibleText.printable(canvas.title ?? title), width: titleColumns)
        return short.utf8.last == UInt8(ascii: "\\") ? short + " ." : short
    }

    /// The heights in units, from the top of the picture, of the middles of two lines of the title and of the source
    /// line. A title of one line has the second place.
    private static let headingPlaces = (title: [18.0, 43.0], source: 67.0)

    /// The title and the line below it, as labels above the plot.
    ///
    /// Each line has a place of its own in the picture: the terminals of gnuplot have lines and characters of different
    /// heights.
    private var heading: [String] {
        let lines = titleLines
        let places = Self.headingPlaces.title.suffix(lines.count)
        let font = " font ',\(GnuplotText.number(titleSize))'"
        var labels = zip(lines, places).map { line, place in headingLabel(line, at: place) + font }
        if !sourceLine.isEmpty {
            labels.append(headingLabel(sourceLine, at: Self.headingPlaces.source) + " textcolor rgb '#777777'")
        }
        return labels
    }

    /// Returns a label in the middle of the picture, at a height in units from the top.
    private func headingLabel(_ text: String, at place: Double) -> String {
        let whole = Double(canvas.height ?? height)
        let share = GnuplotText.number((whole - place) / whole)
        return "set label \(GnuplotText.quoted(text)) at screen 0.5, screen \(share) center"
    }

    /// The rows as CSV. Names are safe in spreadsheet programs, because gnuplot reads only the numbers.
    var data: String {
        CSVText.line(columns) + rows.map { CSVText.line($0.map(CSVStyle.safe.written)) }.joined()
    }

    private var titleSize: Double { Double(ChartStyle.titleSize) * canvas.scale }

    func script(name: ChartName, formats: [ChartFormat]) -> String {
        let plots = plots.isEmpty ? ["NaN notitle"] : plots
        var lines = [
            "# \(comment)",
            "# Draws this chart again: gnuplot \(name).gp",
            "set encoding utf8",
            "set datafile separator comma",
            // The title is centred on the picture, not on the plot, where it could lack room.
            "set title ' ' font ',\(GnuplotText.number(titleSize))'",
        ]
        lines += heading
        lines += [
            "set border 3 linecolor rgb '#555555'",
            "set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1",
            "set tics nomirror",
        ]
        lines += settings
        if self.plots.isEmpty {
            lines.append("set label 'nothing to draw: no request was delivered' at graph 0.5, graph 0.5 center")
        }
        // The first format plots, the others replot.
        for (index, format) in formats.enumerated() {
            lines.append("set terminal \(ChartStyle.terminal(format, canvas, height: height))")
            lines.append("set pointsize \(ChartStyle.pointSize(format, canvas))")
            lines.append("set output \(GnuplotText.file(name, format.rawValue))")
            if index > 0 {
                lines.append("replot")
            } else {
                let parts = plots.map { Self.part($0, of: name) }
                lines.append("plot " + parts.joined(separator: ", \\\n     "))
            }
        }
        lines.append("set output")
        if canvas.isDark { lines = lines.map(ChartStyle.dark) }
        let script = lines.joined(separator: "\n") + "\n"
        return script + EditedScript.mark(of: script)
    }

    /// Returns a part of the plot command with the chart's data file. Only the beginning is replaced: a text of the
    /// part can contain `$data` too, and a file name within its quotes would end them.
    private static func part(_ plot: String, of name: ChartName) -> String {
        let mark = "$data "
        guard plot.hasPrefix(mark) else { return plot }
        return "\(GnuplotText.file(name, "csv")) skip 1 \(plot.dropFirst(mark.count))"
    }
}
