/// The plot's rectangle in the picture, in pixels from the top left.
struct PlotFrame {
    var left: Double
    var right: Double
    var top: Double
    var bottom: Double
    var width: Int
    var height: Int

    struct Place {
        var x: Double
        var y: Double

        func distance(to other: Place) -> Double {
            ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
        }
    }

    func place(_ x: Double, _ y: Double) -> Place {
        let across = Double(width) - left - right
        let down = Double(height) - top - bottom
        return Place(x: left + x * across, y: top + (1 - y) * down)
    }

    /// Returns gnuplot's coordinates of a pixel.
    /// - Parameter extra: The pixels by which the picture is higher than the frame, at its bottom.
    func screen(_ x: Double, _ y: Double, extra: Int) -> String {
        let total = Double(height + extra)
        return "screen \(GnuplotText.number(x / Double(width))), screen \(GnuplotText.number((total - y) / total))"
    }

    func settings(extra: Int) -> [String] {
        let total = Double(height + extra)
        return [
            "set lmargin at screen \(GnuplotText.number(left / Double(width)))",
            "set rmargin at screen \(GnuplotText.number(1 - right / Double(width)))",
            "set tmargin at screen \(GnuplotText.number(1 - top / total))",
            "set bmargin at screen \(GnuplotText.number((bottom + Double(extra)) / total))",
        ]
    }
}
