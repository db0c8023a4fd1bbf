import Basics
import Foundation

/// The unit of a column's numbers. It decides how they are written.
public enum Unit: String, Sendable, Codable {
    case text
    case count
    /// A count that is a mean over time.
    case meanCount = "mean_count"
    case bytes
    case microseconds
    case seconds
    /// A share from 0 to 1.
    case ratio
    case perSecond = "per_second"
    case millisecondsPerSecond = "ms_per_second"

    /// The number of digits after the point. All of them are always written, so that equal figures are equal text.
    package var places: Int {
        switch self {
        case .text, .count, .bytes: 0
        case .perSecond: 1
        case .microseconds, .millisecondsPerSecond: 3
        case .meanCount, .seconds, .ratio: 6
        }
    }

    @usableFromInline
    func append(_ value: ColumnValue, _ style: CSVStyle, to file: inout String) {
        // Numbers need no quotes.
        if case .text(let text) = value {
            file += CSVText.field(style.written(text))
        } else {
            file += written(value)
        }
    }

    /// Returns a value as CSV text, without locale and exponent. The text is empty when there is no figure.
    package func written(_ value: ColumnValue) -> String {
        switch value {
        case .absent: ""
        case .text(let text): text
        case .integer(let number): String(number)
        case .real(let number): number.isFinite ? number.fixed(places) : ""
        }
    }
}

/// One field of a row.
public enum ColumnValue: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case real(Double)
    /// No figure, because nothing was measured or there was nothing to measure. It is an empty field, never 0.
    case absent

    /// The value as a number, or nil for texts, absent values and values that are not finite.
    package var number: Double? {
        switch self {
        case .absent, .text: nil
        case .integer(let number): Double(number)
        case .real(let number): number.isFinite ? number : nil
        }
    }

    package static func integer(_ number: Int) -> ColumnValue { .integer(Int64(number)) }

    package static func integer(_ number: Int?) -> ColumnValue { number.map { .integer(Int64($0)) } ?? .absent }

    package static func real(_ number: Double?) -> ColumnValue { number.map { .real($0) } ?? .absent }

    /// Returns a share of a whole, or ``absent`` when the whole is 0.
    package static func share(_ part: Double, of whole: Double) -> ColumnValue {
        whole > 0 ? .real(part / whole) : .absent
    }

    package static func microseconds(_ nanoseconds: Double?) -> ColumnValue {
        nanoseconds.map { .real($0 / 1_000) } ?? .absent
    }

    package static func seconds(_ nanoseconds: Int64) -> ColumnValue {
        .real(Double(nanoseconds) / 1_000_000_000)
    }
}

extension HumanText {
    /// Returns a figure with three significant digits and a unit that fits: `12.3 MB`, `80.20%`.
    package static func figure(_ value: Double, _ unit: Unit) -> String {
        switch unit {
        case .text, .count: count(value)
        case .meanCount: trimmed(value)
        case .bytes: bytes(value)
        case .microseconds: microseconds(value)
        case .seconds: microseconds(value * 1e6)
        case .ratio: "\(decimals(value * 100, 2))%"
        case .perSecond: "\(count(value.rounded()))/s"
        case .millisecondsPerSecond: "\(trimmed(value)) ms/s"
        }
    }

    /// Returns a figure in its base unit with a fixed number of digits after the point: `12.0001%`, `1234567.00 B`.
    package static func exact(_ value: Double, _ unit: Unit, _ places: Int) -> String {
        switch unit {
        case .text, .count, .meanCount: decimals(value, places)
        case .bytes: "\(decimals(value, places - 2)) B"
        case .microseconds: "\(decimals(value, places - 2)) µs"
        case .seconds: "\(decimals(value, places)) s"
        case .ratio: "\(decimals(value * 100, places))%"
        case .perSecond: "\(decimals(value, places))/s"
        case .millisecondsPerSecond: "\(decimals(value, places)) ms/s"
        }
    }
}

extension JSONValue {
    /// Returns a figure as a number with the digits of its unit, or null when there is none.
    package static func figure(_ value: Double?, _ unit: Unit) -> JSONValue {
        guard let value, value.isFinite else { return .null }
        // The median of an even number of counts can end in .5.
        let isWhole = unit.places == 0 && value == value.rounded()
        return .number(isWhole ? Unit.count.written(.real(value)) : Unit.ratio.written(.real(value)))
    }
}
