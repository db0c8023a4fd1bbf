import Basics
import Foundation

/// A range with its labelled tics.
///
/// The tics are not left to gnuplot, so that labels have fitting units and the places on the picture are known before
/// it is drawn.
struct Axis: Codable {
    struct Tic: Codable {
        var position: Double
        var label: String
    }

    var low: Double
    var high: Double
    var isLogarithmic: Bool
    var tics: [Tic]
    var minorTics: [Double] = []

    /// Returns an axis from `low` or below to `high` or above, in steps of 1, 2 or 5 times a power of ten.
    /// - Parameter endsThere: Whether the axis ends exactly at `high`.
    static func linear(from low: Double, to high: Double, endsThere: Bool = false, label: (Double) -> String) -> Axis {
        let span = high > low ? high - low : max(abs(high), 1)
        let rough = span / 6
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? rough
        let first = floor(low / step + 1e-9)
        let last = max(ceil(high / step - 1e-9), first + 1)
        let end = endsThere && high > low ? high : last * step
        let tics = stride(from: first, through: last, by: 1).map { Tic(position: $0 * step, label: label($0 * step)) }
        return Axis(
            low: first * step, high: end, isLogarithmic: false, tics: tics.filter { $0.position <= end * (1 + 1e-9) })
    }

    /// Returns a logarithmic axis around positive values, with labels at each power of ten, on short ranges also at 2
    /// and 5. Both ends have a label.
    static func logarithmic(from low: Double, to high: Double, label: (Double) -> String) -> Axis {
        let first = floor(log10(low) + 1e-9)
        let last = max(ceil(log10(high) - 1e-9), first + 1)
        let labelled: Set<Int> = last - first <= 3 ? [1, 2, 5] : [1]
        let all = stride(from: first, through: last, by: 1).flatMap { exponent in
            (1...9).map { (digit: $0, position: Double($0) * pow(10, exponent)) }
        }
        let ends = all.filter { labelled.contains($0.digit) }.map(\.position)
        let start = ends.last { $0 <= low * (1 + 1e-9) } ?? low
        let end = ends.first { $0 >= high * (1 - 1e-9) && $0 > start } ?? high
        let inside = all.filter { $0.position >= start && $0.position <= end }
        return Axis(
            low: start, high: end, isLogarithmic: true,
            tics: inside.filter { labelled.contains($0.digit) }.map {
                Tic(position: $0.position, label: label($0.position))
            },
            minorTics: inside.filter { !labelled.contains($0.digit) }.map(\.position))
    }

    /// Returns the axis with as many labels as fit beside each other: every second one has none while they do not.
    /// - Parameter width: The length of the axis in units.
    func labelled(within width: Double) -> Axis {
        var axis = self
        while axis.tics.count > 2, axis.tics.reduce(0, { $0 + Double(TextGrid.width($1.label) + 1) * 8.3 }) > width {
            axis.minorTics += axis.tics.enumerated().filter { $0.offset % 2 == 1 }.map(\.element.position)
            axis.tics = axis.tics.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        }
        return axis
    }

    /// Returns gnuplot's settings of the axis.
    /// - Parameter name: `x` or `y`.
    func settings(_ name: String) -> [String] {
        // gnuplot reads a label as a format, so its per cent signs are doubled.
        let major = tics.map { tic in
            "\(GnuplotText.quoted(tic.label.replacing("%", with: "%%"))) \(GnuplotText.number(tic.position))"
        }
        let minor = minorTics.map { "'' \(GnuplotText.number($0)) 1" }
        // The range is slightly wider, because rounding in gnuplot can lose the tics at the ends.
        let margin = isLogarithmic ? 1e-6 : 0
        return [
            isLogarithmic ? "set logscale \(name)" : "unset logscale \(name)",
            "set \(name)range [\(GnuplotText.number(low * (1 - margin))):\(GnuplotText.number(high * (1 + margin)))]",
            "set \(name)tics (\((major + minor).joined(separator: ", ")))",
        ]
    }

    /// Returns the place of a value between `low` (0) and `high` (1).
    func fraction(_ value: Double) -> Double {
        guard isLogarithmic else { return (value - low) / (high - low) }
        return log(max(value, low) / low) / log(high / low)
    }
}

extension Axis {
    /// Returns a logarithmic axis for times to image in microseconds. Zero is drawn at its low end.
    static func latency(_ microseconds: [Double]) -> Axis {
        let positive = microseconds.filter { $0 > 0 }
        guard let least = positive.min(), let most = positive.max() else {
            return .logarithmic(from: 1, to: 1_000, label: HumanText.microseconds)
        }
        // Over more than twelve decades, labels would overlap.
        return .logarithmic(from: max(least, most / 1e12), to: most, label: HumanText.microseconds)
    }
}

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
