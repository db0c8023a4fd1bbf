import Basics

/// The names of areas below the picture, in as many lines as they need. gnuplot's own legend has columns of equal
/// width, and cuts off names that do not fit.
struct FillLegend {
    /// A part with the left edge of its sample in units.
    typealias Entry = (text: String, fill: Fill, left: Double)

    let lines: [[Entry]]
    private let width: Double

    private static let characterWidth = 8.7
    /// The size of a sample, and the spaces behind it and behind the text, in units.
    private static let (sample, gap, space) = (16.0, 7.0, 24.0)
    private static let lineHeight = 21

    var height: Int { 20 + lines.count * Self.lineHeight }

    init(_ parts: [StackedBars.Part], _ canvas: ChartCanvas) {
        width = Double(canvas.width)
        let most = width * 0.96
        var lines: [(entries: [Entry], width: Double)] = []
        for part in parts {
            let columns = max(8, Int((most - Self.sample - Self.gap - Self.space) / Self.characterWidth))
            let text =
                TextGrid.width(part.title) > columns
                ? TextGrid.prefix(part.title, width: columns - 1) + "…" : part.title
            let length = Self.sample + Self.gap + Double(TextGrid.width(text)) * Self.characterWidth + Self.space
            if lines.isEmpty || lines[lines.count - 1].width + length > most { lines.append(([], 0)) }
            let left = lines[lines.count - 1].width
            lines[lines.count - 1].entries.append((text, part.fill, left))
            lines[lines.count - 1].width = left + length
        }
        self.lines = lines.map { [width] line in
            let margin = (width - line.width + Self.space) / 2
            return line.entries.map { ($0.text, $0.fill, $0.left + margin) }
        }
    }

    func settings(_ height: Int) -> [String] {
        func x(_ units: Double) -> String { "screen \(GnuplotText.number(units / width))" }
        func y(_ units: Double) -> String { "screen \(GnuplotText.number(units / Double(height)))" }
        return lines.enumerated().flatMap { place, entries in
            let middle = Double(20 + (lines.count - 1 - place) * Self.lineHeight)
            return entries.flatMap { entry in
                [
                    "set object rectangle from \(x(entry.left)), \(y(middle - Self.sample / 2)) "
                        + "to \(x(entry.left + Self.sample)), \(y(middle + Self.sample / 2)) front "
                        + "fillcolor rgb '\(entry.fill.colour)' fillstyle solid 1 noborder",
                    "set label \(GnuplotText.quoted(entry.text)) left at "
                        + "\(x(entry.left + Self.sample + Self.gap)), \(y(middle))",
                ]
            }
        }
    }
}
