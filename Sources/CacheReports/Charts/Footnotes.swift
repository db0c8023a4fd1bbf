import Basics

/// The full names of cut labels, below the chart.
struct Footnotes {
    private let lines: [String]
    /// The size of the font as a share of the usual one.
    private let font: Double
    /// Pixels per unit.
    private let scale: Double

    init(_ texts: [String], _ canvas: ChartCanvas, font: Double = 1) {
        let columns = canvas.columns(Double(canvas.width) * 0.93 / font)
        lines = texts.flatMap { text in
            NameRows.wrap(text, at: columns, mostLines: 200).enumerated().map { $0 == 0 ? $1 : "      " + $1 }
        }
        (self.font, scale) = (font, canvas.scale)
    }

    private var lineHeight: Double { 20 * font }
    /// In units.
    var height: Int { lines.isEmpty ? 0 : Int((Double(lines.count) * lineHeight).rounded(.up)) + 12 }

    func settings(_ total: Int) -> [String] {
        let size = GnuplotText.number(ChartCanvas.fontSize * 0.8 * font * scale)
        return lines.enumerated().map { index, line in
            let y = (Double(height) - Double(index) * lineHeight - 12) / Double(total)
            let label = "set label \(GnuplotText.quoted(line)) left at screen 0.03, screen \(GnuplotText.number(y))"
            return font == 1 ? label : "\(label) font ',\(size)'"
        }
    }
}
