import Basics

/// The frame of a chart with one row per cache, with the wrapped names left of the rows.
struct NameRows {
    private static let lineLength = 40
    private static let lineHeight = 19
    private static let mostLines = 4
    /// The width in pixels of a character of a label, estimated generously.
    private static let characterWidth = 8.3

    private let wrapped: [[String]]
    private let width: Int
    /// The size of the font of the names in a picture that is too low for them, as a share of the usual one.
    private let shrink: Double
    let height: Int
    /// The height in units below the rows, for the axis and the legend.
    private let bottom: Int

    init(_ names: [String], canvas: ChartCanvas = .standard, legendLines: Int = 1) {
        width = canvas.width
        bottom = 84 + max(1, legendLines) * 21
        let length = min(Self.lineLength, max(10, Int(Double(canvas.width) * 0.3 / Self.characterWidth)))
        let rows = max(names.count, 1)
        guard let height = canvas.height else {
            wrapped = names.map { Self.wrap($0, at: length) }
            let lines = wrapped.map(\.count).max() ?? 1
            // A single row has the height of a chart too.
            let rowHeight = max(names.count < 3 ? 90 : 46, lines * Self.lineHeight + 14)
            self.height = rows * rowHeight + ChartStyle.top + bottom
            shrink = 1
            return
        }
        self.height = height
        let room = Double(max(1, height - ChartStyle.top - bottom)) / Double(rows)
        let lines = min(Self.mostLines, max(1, Int(room / Double(Self.lineHeight))))
        wrapped = names.map { Self.wrap($0, at: length, mostLines: lines) }
        shrink = min(1, max(0.4, room / Double(Self.lineHeight)))
    }

    private var keyRows: Int { width < 900 ? 2 : 1 }

    /// The axis from the first row at the top to the last, and the names beside it.
    var settings: [String] {
        let longest = wrapped.joined().map { TextGrid.width($0) }.max() ?? 0
        let margin = (Double(longest) * Self.characterWidth + 30) / Double(width)
        let font = shrink == 1 ? "" : " font ',\(GnuplotText.number(ChartCanvas.fontSize * 0.8 * shrink))'"
        let labels = wrapped.enumerated().map { index, lines in
            // gnuplot sets the first line at the given height, so the text is raised by its other lines.
            let lift = Double(lines.count - 1) * 0.5
            return
                "set label \(GnuplotText.quoted(lines.joined(separator: "\n"))) right at graph 0, first \(index + 1) "
                + "offset character -1, character \(GnuplotText.number(lift))" + font
        }
        return [
            "set lmargin at screen \(GnuplotText.number(margin))",
            "set tmargin at screen \(screen(height - ChartStyle.top))",
            "set bmargin at screen \(screen(bottom))", "set yrange [\(Double(wrapped.count) + 0.6):0.4]",
            "unset ytics",
            """
            set key at screen 0.5, screen \(screen(30)) center center vertical maxrows \(keyRows) Left reverse \
            samplen 2
            """,
        ] + labels
    }

    /// Returns a height in pixels from the bottom as gnuplot's share of the picture.
    private func screen(_ pixels: Int) -> String { GnuplotText.number(Double(pixels) / Double(height)) }

    /// Returns the lines of a text, broken after blanks if possible. A text that does not fit ends in an ellipsis.
    static func wrap(_ name: String, at length: Int = lineLength, mostLines: Int = mostLines) -> [String] {
        var lines: [String] = [""]
        // More than fits is not looked at, so that the longest names cost no time.
        for word in VisibleText.printable(name).prefix(length * (mostLines + 2)).split(separator: " ") {
            var rest = Substring(word)
            let separator = lines[lines.count - 1].isEmpty ? "" : " "
            if lines[lines.count - 1].count + separator.count + rest.count <= length {
                lines[lines.count - 1] += separator + rest
                continue
            }
            if !separator.isEmpty { lines.append("") }
            while rest.count > length {
                lines[lines.count - 1] = String(rest.prefix(length))
                lines.append("")
                rest = rest.dropFirst(length)
            }
            lines[lines.count - 1] = String(rest)
        }
        guard lines.count > mostLines else { return lines }
        guard mostLines > 1 else { return [lines[0].prefix(length - 1) + "…"] }
        return lines.prefix(mostLines - 1) + [lines[mostLines - 1].prefix(length - 1) + "…"]
    }
}
