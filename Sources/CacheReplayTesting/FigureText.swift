import Basics
import Foundation
import ResultColumns

/// Figures in words, such as `5 GB`, `80.2 %` and `351 ms`.
enum FigureText {
    /// Returns a figure with three significant digits, or with as many more as `suffices` needs.
    ///
    /// - Parameter suffices: Whether a rounded figure says what the exact one says.
    static func text(_ value: Double, _ unit: ResultColumns.Unit, suffices: (Double) -> Bool) -> String {
        text(value, unit, digits: digits { suffices(rounded(value, $0)) })
    }

    /// Returns the lowest number of digits, from three on, with which a rounded figure suffices.
    static func digits(_ suffices: (Int) -> Bool) -> Int { (3..<17).first(where: suffices) ?? 17 }

    static func rounded(_ value: Double, _ digits: Int) -> Double {
        Double(String(format: "%.\(digits - 1)e", value)) ?? value
    }

    /// - Parameter value: In the unit of the column, at least 0.
    static func text(_ value: Double, _ unit: ResultColumns.Unit, digits: Int) -> String {
        let value = rounded(value, digits)
        switch unit {
        case .bytes: return scaled(value, [(1, "bytes"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB")], digits)
        case .microseconds: return scaled(value, [(1, "µs"), (1e3, "ms"), (1e6, "s")], digits)
        case .seconds: return scaled(value, [(1, "s")], digits)
        case .ratio: return scaled(value, [(0.01, "%")], digits)
        case .perSecond: return scaled(value, [(1, "per second")], digits)
        case .count, .meanCount, .text: return number(value, digits)
        }
    }

    /// Returns the figure in the largest unit that it has at least once.
    private static func scaled(_ value: Double, _ units: [(factor: Double, name: String)], _ digits: Int) -> String {
        let unit = units.last { value >= $0.factor } ?? units[0]
        return "\(number(value / unit.factor, digits)) \(unit.name)"
    }

    /// Returns a number without an exponent, and without zeros at its end.
    private static func number(_ value: Double, _ digits: Int) -> String {
        let magnitude = value == 0 ? 0 : Int(log10(value.magnitude).rounded(.down))
        let text = value.fixed(min(9, max(0, digits - 1 - magnitude)))
        guard text.contains(".") else { return text }
        let trimmed = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(trimmed.reversed())
    }
}
