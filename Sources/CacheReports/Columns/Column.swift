/// Which direction of a metric is an improvement.
public enum Polarity: String, Sendable, Codable {
    case higherIsBetter = "higher"
    case lowerIsBetter = "lower"
    /// Neither: it explains other metrics, but judges nothing by itself.
    case neutral
}

/// One column of a results file: its name, what it measures, and how to take it from a row.
///
/// The files, the terminal table, `compare` and the documentation all read the same list of columns,
/// so a new figure is one new entry.
public struct Column<Row>: Sendable {
    public let name: String
    public let unit: Unit
    /// nil for a column that names the run instead of measuring it.
    public let polarity: Polarity?
    /// Whether `compare` fails on it without being asked.
    public let isGated: Bool
    /// One line for people.
    public let meaning: String
    let value: @Sendable (Row) -> ColumnValue

    /// A column that says which run the row is about.
    static func identity(
        _ name: String, _ meaning: String, unit: Unit = .text, value: @escaping @Sendable (Row) -> ColumnValue
    ) -> Column {
        Column(name: name, unit: unit, polarity: nil, isGated: false, meaning: meaning, value: value)
    }

    static func metric(
        _ name: String, _ unit: Unit, _ polarity: Polarity, gated: Bool = false, _ meaning: String,
        value: @escaping @Sendable (Row) -> ColumnValue
    ) -> Column {
        Column(name: name, unit: unit, polarity: polarity, isGated: gated, meaning: meaning, value: value)
    }

    func written(_ row: Row) -> String { unit.written(value(row)) }
}
