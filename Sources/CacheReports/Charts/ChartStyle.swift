/// The colours, shapes and sizes of all charts.
enum ChartStyle {
    static let titleSize = 17

    // Okabe and Ito, "Color Universal Design" (2008): different with any kind of colour blindness. Their yellow is left
    // out, because thin yellow lines are invisible on white.
    static let black = "#000000"
    static let orange = "#E69F00"
    static let skyBlue = "#56B4E9"
    static let green = "#009E73"
    static let blue = "#0072B2"
    static let vermilion = "#D55E00"
    static let purple = "#CC79A7"
    /// The colours of missing parts, and of parts that came too late.
    static let grey = "#BBBBBB"
    static let paleGrey = "#E4E4E4"
    /// The colour of wrong pictures, in no other use.
    static let red = "#B00020"

    // Seven colours, five dashes and ten shapes: neighbours differ in both, and the first 35 lines in at least one.
    private static let colours = [blue, vermilion, green, purple, orange, skyBlue, black]
    private static let dashes = ["solid", "(9,5)", "(9,4,2,4)", "(3,3)", "(18,5)"]
    private static let shapes = [7, 5, 9, 11, 13, 15, 6, 4, 8, 10]

    static func colour(_ index: Int) -> String { colours[index % colours.count] }

    static func line(_ index: Int) -> String {
        "linewidth 2.5 linecolor rgb '\(colours[index % colours.count])' dashtype \(dashes[index % dashes.count])"
    }

    static func point(_ index: Int) -> String {
        "pointtype \(shapes[index % shapes.count]) linewidth 2 linecolor rgb '\(colours[index % colours.count])'"
    }

    /// Returns the point size with which the drivers draw points of the same size.
    static func pointSize(_ format: ChartFormat) -> String { format == .svg ? "0.9" : "1.6" }

    /// Returns the terminal of a format. With `noenhanced`, names are shown with their underscores and braces.
    static func terminal(_ format: ChartFormat, height: Int) -> String {
        switch format {
        case .svg:
            "svg size \(ChartContent.width),\(height) dynamic noenhanced font 'sans-serif,14' background 'white'"
        case .png: "pngcairo size \(ChartContent.width),\(height) noenhanced font 'sans,11' background 'white'"
        case .pdf:
            // 100 pixels to the inch, so that a page has the shape of the picture.
            """
            pdfcairo size \
            \(GnuplotText.number(Double(ChartContent.width) / 100))in,\(GnuplotText.number(Double(height) / 100))in \
            noenhanced font 'sans,11' background 'white'
            """
        }
    }
}
