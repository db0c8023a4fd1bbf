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
    /// The names as they are shown.
    private let texts: [String]
    private let footnotes: Footnotes

    private static let (left, bottom, plot) = (110.0, 76.0, 430.0)
    private static let lineHeight = 19.0
    private static let characterWidth = 8.7
    /// The width of the lines to the names.
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
