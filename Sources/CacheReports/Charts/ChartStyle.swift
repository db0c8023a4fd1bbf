/// The colours of lines, the shapes and the sizes of all charts. ``Fill`` has the colours of areas, and
/// ``PageColours`` hands both to pages.
enum ChartStyle {
    static let titleSize = 17
    /// The height in units above the plot: two lines of the title, the source line, and the headings of figures.
    static let top = 92

    // Okabe and Ito, "Color Universal Design" (2008): different with any kind of colour blindness. Their yellow is left
    // out, because thin yellow lines are invisible on white.
    static let black = "#000000"
    static let orange = "#E69F00"
    static let skyBlue = "#56B4E9"
    static let green = "#009E73"
    static let blue = "#0072B2"
    static let vermilion = "#D55E00"
    static let purple = "#CC79A7"
    static let grey = "#BBBBBB"
    static let paleGrey = "#E4E4E4"
    /// The colour of lines beyond the ``mostColoured`` ones.
    static let greyLine = "#AAAAAA"
    static let mostColoured = 8

    // Seven colours, five dashes and ten shapes: neighbours differ in both, and the first 35 lines in at least one.
    static let colours = [blue, vermilion, green, purple, orange, skyBlue, black]
    static let dashes = ["solid", "(9,5)", "(9,4,2,4)", "(3,3)", "(18,5)"]
    private static let shapes = [7, 5, 9, 11, 13, 15, 6, 4, 8, 10]

    static func colour(_ index: Int) -> String { colours[index % colours.count] }

    static func line(_ index: Int) -> String {
        "linewidth 2.5 linecolor rgb '\(colour(index))' dashtype \(dashes[index % dashes.count])"
    }

    static func point(_ index: Int) -> String {
        "pointtype \(shapes[index % shapes.count]) linewidth 2 linecolor rgb '\(colour(index))'"
    }

    /// Returns the point size with which the drivers draw points of the same size.
    static func pointSize(_ format: ChartFormat, _ canvas: ChartCanvas) -> String {
        canvas.scale == 1
            ? format == .svg ? "0.9" : "1.6" : GnuplotText.number((format == .svg ? 0.9 : 1.6) * canvas.scale)
    }

    /// Returns the terminal of a format. With `noenhanced`, names are shown with their underscores and braces.
    static func terminal(_ format: ChartFormat, _ canvas: ChartCanvas, height: Int) -> String {
        let (width, height) = canvas.pixels(height: height)
        func font(_ family: String, _ size: Double) -> String {
            "font " + GnuplotText.quoted("\(canvas.fontFamily ?? family),\(GnuplotText.number(size * canvas.scale))")
        }
        let lines = canvas.scale == 1 ? "" : " linewidth \(GnuplotText.number(canvas.scale))"
        let paper = canvas.isDark ? darkPaper : "white"
        return switch format {
        case .svg:
            """
            svg size \(width),\(height) dynamic noenhanced \(font("sans-serif", 14))\(lines) background '\(paper)'
            """
        case .png: "pngcairo size \(width),\(height) noenhanced \(font("sans", 11))\(lines) background '\(paper)'"
        case .pdf:
            // 100 pixels to the inch, so that a page has the shape of the picture.
            """
            pdfcairo size \(GnuplotText.number(Double(width) / 100))in,\(GnuplotText.number(Double(height) / 100))in \
            noenhanced \(font("sans", 11))\(lines) background '\(paper)'
            """
        }
    }

    private static let darkPaper = "#17181C"
    private static let darkInk = "#E6E6E6"

    /// The colours on dark paper that differ from those on white.
    private static let darkColours = [
        black: "#FFFFFF", blue: "#2E86C9", "#555555": "#9A9AA2", "#dddddd": "#3A3B42",
        grey: "#63646C", paleGrey: "#8B8C94", "#bbbbbb": "#63646C", "#999999": "#85868E", "#777777": "#9A9AA2",
        greyLine: "#6E6F77", "#eeeeee": "#26272C",
    ]

    /// Returns the colour on dark paper of one on white.
    static func onDark(_ colour: String) -> String { darkColours[colour] ?? colour }

    /// Returns a line of a script with the colours of dark paper.
    static func dark(_ line: String) -> String {
        var line = line
        for (light, dark) in darkColours.sorted(by: { $0.key < $1.key }) {
            line = line.replacing("rgb '\(light)'", with: "rgb '\(dark)'")
        }
        let texts = ["set label ", "set title ", "set xlabel ", "set ylabel ", "set xtics ", "set ytics ", "set key "]
        // A quoted text has no quote before a number sign, so that no title is taken for a colour.
        if texts.contains(where: line.hasPrefix), !line.contains("textcolor rgb '#"), !line.hasSuffix("\\") {
            line += " textcolor rgb '\(darkInk)'"
        }
        return line
    }
}
