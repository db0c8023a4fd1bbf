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
        let units: [(factor: Double, name: String)] =
            switch unit {
            case .bytes: [(1, "bytes")] + HumanText.byteUnits[1...3]
            case .microseconds: HumanText.timeUnits
            case .seconds: [(1, "s")]
            case .ratio: [(0.01, "%")]
            case .perSecond: [(1, "per second")]
            case .millisecondsPerSecond: [(1, "ms/s")]
            case .count, .meanCount, .text: []
            }
        guard !units.isEmpty else { return number(value, digits) }
        return HumanText.scaled(value, units[...]) { number($0, digits) }
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
