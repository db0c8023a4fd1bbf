import Foundation

/// What a column's numbers count, and so how they are written.
public enum Unit: String, Sendable, Codable {
    case text
    case count
    case bytes
    case microseconds
    case seconds
    /// From 0 to 1.
    case ratio
    case perSecond = "per_second"

    /// Digits after the point, always all of them: a column reads evenly and equal figures are equal text.
    var places: Int {
        switch self {
        case .text, .count, .bytes: 0
        case .perSecond: 1
        case .microseconds: 3
        case .seconds, .ratio: 6
        }
    }

    /// A number as every machine-readable output writes it: no locale, no exponent; empty when there is no figure.
    func written(_ value: ColumnValue) -> String {
        switch value {
        case .absent: ""
        case .text(let text): text
        case .integer(let number): String(number)
        case .real(let number): number.isFinite ? String(format: "%.\(places)f", number) : ""
        }
    }
}

/// One field of a row before it becomes text.
public enum ColumnValue: Sendable, Equatable {
    case text(String)
    case integer(Int64)
    case real(Double)
    /// No figure: nothing was measured, or nothing happened that could be. Written as an empty field, never as 0.
    case absent

    static func integer(_ number: Int) -> ColumnValue { .integer(Int64(number)) }

    /// A share of a whole; absent when the whole is nothing.
    static func share(_ part: Double, of whole: Double) -> ColumnValue {
        whole > 0 ? .real(part / whole) : .absent
    }

    static func microseconds(_ nanoseconds: Double?) -> ColumnValue {
        nanoseconds.map { .real($0 / 1_000) } ?? .absent
    }

    static func seconds(_ nanoseconds: Int64) -> ColumnValue {
        .real(Double(nanoseconds) / 1_000_000_000)
    }
}
