/// The parts of a text such as `300s` or `100MB`: a number and a unit.
public enum Quantity {
    /// Splits a text into its number and its unit, which a space may separate. Underscores group digits.
    ///
    /// - Parameter expected: What the text should be, for the error.
    public static func split(_ text: String, expected: String) throws(QuantityError) -> (number: Double, unit: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "_") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits.filter { $0 != "_" }), number.isFinite else {
            throw QuantityError("'\(text)' is not \(expected)")
        }
        return (number, String(unit))
    }

    /// Returns a whole number of at most 2^60. `text` is for the error.
    public static func whole(_ number: Double, of text: String) throws(QuantityError) -> Int {
        guard number.rounded() == number else { throw QuantityError("'\(text)' is not a whole number") }
        guard number <= 0x1p60 else { throw QuantityError("'\(text)' is beyond what can be counted") }
        return Int(number)
    }

    /// Returns the number as text, without the `.0` of a whole number.
    public static func plain(_ number: Double) -> String {
        let rounded = (number * 1e9).rounded() / 1e9
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}

/// A duration in the notation of options and specifications: `300s`, `250ms`, `7d`.
public enum TimeSpan {
    /// Returns the microseconds of a duration.
    ///
    /// - Throws: A ``QuantityError`` that lists the units if the unit is missing or unknown.
    public static func microseconds(_ text: String) throws(QuantityError) -> Int64 {
        let (number, unit) = try Quantity.split(text, expected: "a duration such as 300s, 4min or 7d")
        guard let factor = units.first(where: { $0.name == unit })?.factor else {
            throw QuantityError(
                unit.isEmpty
                    ? "'\(text)' has no unit: write \(text)s, \(text)min, \(text)h or \(text)d"
                    : "'\(unit)' is no unit of time: expected one of \(units.map(\.name).joined(separator: ", "))")
        }
        return Int64(try Quantity.whole((number * Double(factor)).rounded(), of: text))
    }

    /// Returns a duration in the largest unit that gives a whole number.
    public static func text(_ microseconds: Int64) -> String {
        let fitting = units.last { microseconds % $0.factor == 0 } ?? units[0]
        return microseconds == 0 ? "0s" : "\(microseconds / fitting.factor)\(fitting.name)"
    }

    private static let units: [(name: String, factor: Int64)] = [
        ("us", 1), ("ms", 1_000), ("s", 1_000_000), ("min", 60_000_000), ("h", 3_600_000_000), ("d", 86_400_000_000),
    ]
}

/// A mistake in a quantity: the wrong part, and the expected form.
public struct QuantityError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public init(_ message: String) { self.message = message }

    public var description: String { message }
}
