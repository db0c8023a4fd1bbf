import Basics

/// The names of curves in a column at the right of the plot, each with a line to the end of its curve.
struct EndNames {
    struct End {
        var name: String
        var colour: String
        /// The end of the curve in the plot: from 0 to 1, from left to right and from below.
        var x: Double
        var y: Double
    }

    let frame: PlotFrame
    private let ends: [End]
    private let texts: [String]
    private let footnotes: Footnotes

    private static let (left, bottom, plot) = (110.0, 76.0, 430.0)
    private static let lineHeight = 19.0
    private static let characterWidth = 8.7
    private static let joint = 34.0

    /// Names that are too long are cut, and explained below the plot. In a picture of a given height, they are only cut
    /// if the explanations would take a third of it.
    init(_ ends: [End], _ canvas: ChartCanvas) {
        let limit = min(34, max(10, Int(Double(canvas.width) * 0.24 / Self.characterWidth)))
        let names = ShortNames(ends.map(\.name), limit: limit)
        let all = Footnotes(names.explanations, canvas)
        let isExplained = canvas.height.map { all.height * 3 < $0 } ?? true
        let texts = ends.map { end in
            let name = VisibleText.printable(end.name)
            guard !isExplained, TextGrid.width(name) > limit else { return names[end.name] }
            return TextGrid.prefix(name, width: limit - 1) + "…"
        }
        footnotes = isExplained ? all : Footnotes([], canvas)
        let longest = texts.map { TextGrid.width($0) }.max() ?? 0
        let below = Double(footnotes.height)
        let top = Double(ChartStyle.top)
        frame = PlotFrame(
            left: Self.left, right: Double(longest) * Self.characterWidth + Self.joint + 20, top: top,
            bottom: Self.bottom + below, width: canvas.width,
            height: canvas.height ?? Int(top + Self.plot + Self.bottom + below))
        (self.ends, self.texts) = (ends, texts)
    }

    /// The columns of text that fit into the width of the plot.
    var plotColumns: Int { max(8, Int((Double(frame.width) - frame.left - frame.right) / Self.characterWidth)) }

    var settings: [String] {
        let places = ends.map { frame.place($0.x, $0.y) }
        let order = ends.indices.sorted { (places[$0].y, $0) < (places[$1].y, $1) }
        let heights = LabelHeights.apart(
            order.map { places[$0].y }, gap: Self.lineHeight, from: frame.top, to: Double(frame.height) - frame.bottom)
        let edge = Double(frame.width) - frame.right
        return zip(order, heights).flatMap { index, height -> [String] in
            let colour = ends[index].colour
            let bend = frame.screen(edge + 8, places[index].y, extra: 0)
            return [
                "set arrow from \(frame.screen(places[index].x, places[index].y, extra: 0)) to \(bend) nohead "
                    + "linewidth 0.8 linecolor rgb '\(colour)' dashtype (2,3)",
                "set arrow from \(bend) to \(frame.screen(edge + Self.joint - 4, height, extra: 0)) nohead "
                    + "linewidth 0.8 linecolor rgb '\(colour)' dashtype solid",
                "set label \(GnuplotText.quoted(texts[index])) left at "
                    + "\(frame.screen(edge + Self.joint, height, extra: 0)) textcolor rgb '\(colour)'",
            ]
        } + footnotes.settings(frame.height)
    }
}

enum LabelHeights {
    /// Moves rising heights apart by as little as possible. Heights that are too near form a group around their mean.
    static func apart(_ heights: [Double], gap: Double, from top: Double, to bottom: Double) -> [Double] {
        struct Group {
            var sum: Double
            var count: Int
            func start(_ gap: Double, _ top: Double, _ bottom: Double) -> Double {
                let length = Double(count - 1) * gap
                return max(top, min(sum / Double(count) - length / 2, bottom - length))
            }
        }
        var groups: [Group] = []
        for height in heights {
            groups.append(Group(sum: height, count: 1))
            while groups.count > 1 {
                let (one, other) = (groups[groups.count - 2], groups[groups.count - 1])
                let end = one.start(gap, top, bottom) + Double(one.count) * gap
                guard other.start(gap, top, bottom) < end else { break }
                groups.removeLast(2)
                groups.append(Group(sum: one.sum + other.sum, count: one.count + other.count))
            }
        }
        return groups.flatMap { group in
            (0..<group.count).map { group.start(gap, top, bottom) + Double($0) * gap }
        }
    }
}

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
