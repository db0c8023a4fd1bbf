import Basics

/// The direction of a metric that is an improvement.
public enum Polarity: String, Sendable, Codable {
    case higherIsBetter = "higher"
    case lowerIsBetter = "lower"
    /// Neither direction. The metric explains others.
    case neutral
}

/// One column of a results file: its name, its meaning, and its value in a row.
///
/// A figure is described here once. The files, the JSON and its schema, the data dictionary, gates, and the tooltips of
/// tables follow from the lists of columns, so a new figure is one new entry. `scripts/goldens --update` writes the
/// tables of the page <doc:CSVColumns>, and a test checks them.
public struct Column<Row>: Sendable {
    public let name: String
    public let unit: Unit
    /// The direction of an improvement, or nil for a column that identifies the row.
    public let polarity: Polarity?
    /// Whether `compare` fails on the metric without an `--allow`.
    public let isGated: Bool
    /// The meaning in a phrase of one line.
    public let meaning: String
    @usableFromInline package let value: @Sendable (Row) -> ColumnValue

    /// Returns a column that identifies the row.
    package static func identity(
        _ name: String, _ meaning: String, unit: Unit = .text, value: @escaping @Sendable (Row) -> ColumnValue
    ) -> Column {
        Column(name: name, unit: unit, polarity: nil, isGated: false, meaning: meaning, value: value)
    }

    /// Returns a column that measures something.
    package static func metric(
        _ name: String, _ unit: Unit, _ polarity: Polarity, gated: Bool = false, _ meaning: String,
        value: @escaping @Sendable (Row) -> ColumnValue
    ) -> Column {
        Column(name: name, unit: unit, polarity: polarity, isGated: gated, meaning: meaning, value: value)
    }

    /// Returns a metric that is a whole number. It is absent where the number is nil.
    package static func amount<Number: BinaryInteger & SendableMetatype>(
        _ name: String, _ unit: Unit, _ polarity: Polarity, gated: Bool = false, _ meaning: String,
        _ number: @escaping @Sendable (Row) -> Number?
    ) -> Column {
        .metric(name, unit, polarity, gated: gated, meaning) { number($0).map { .integer(Int64($0)) } ?? .absent }
    }

    /// Returns a metric that is a part of a whole. It is absent where the whole is 0.
    package static func share<Number: BinaryInteger & SendableMetatype>(
        _ name: String, _ polarity: Polarity, gated: Bool = false, _ meaning: String,
        _ part: @escaping @Sendable (Row) -> Number, of whole: @escaping @Sendable (Row) -> Number
    ) -> Column {
        .metric(name, .ratio, polarity, gated: gated, meaning) { .share(Double(part($0)), of: Double(whole($0))) }
    }

    package var sentence: String { meaning.prefix(1).uppercased() + meaning.dropFirst() + "." }

    package func written(_ row: Row) -> String { unit.written(value(row)) }
}

extension Array {
    /// Returns a row as an object with a member for each of these columns.
    package func json<Row>(_ row: Row) -> JSONValue where Element == Column<Row> {
        .object(
            map { column in
                let value = column.value(row)
                if case .text(let text) = value { return (column.name, .string(text)) }
                return (column.name, .figure(value.number, column.unit))
            })
    }
}

extension CSVText {
    /// Returns the header and the rows of a file.
    package static func render<Row>(_ columns: [Column<Row>], _ rows: [Row], _ style: CSVStyle = .exact) -> String {
        header(columns) + self.rows(columns, rows, style)
    }

    package static func header<Row>(_ columns: [Column<Row>]) -> String { line(columns.map(\.name)) }

    /// Returns the rows of a file, without a header.
    ///
    /// Inlinable, so that each module compiles it for its own rows: types that are known only when the program runs
    /// take longer than the fields.
    @inlinable
    package static func rows<Row>(_ columns: [Column<Row>], _ rows: [Row], _ style: CSVStyle = .exact) -> String {
        var text = ""
        // In place: a copy of a column takes longer than most of its fields.
        columns.withUnsafeBufferPointer { columns in
            for row in rows {
                for index in columns.indices {
                    if index > 0 { text += "," }
                    columns[index].unit.append(columns[index].value(row), style, to: &text)
                }
                text += "\n"
            }
        }
        return text
    }
}
