/// Rows as RFC 4180 text: fields with a comma, a quote or a line break are quoted, quotes are doubled.
///
/// Lines end in a line feed alone, which Unix tools expect and every CSV reader takes.
enum CSVText {
    static func render<Row>(_ columns: [Column<Row>], _ rows: [Row]) -> String {
        header(columns) + self.rows(columns, rows)
    }

    static func header<Row>(_ columns: [Column<Row>]) -> String { line(columns.map(\.name)) }

    static func rows<Row>(_ columns: [Column<Row>], _ rows: [Row]) -> String {
        rows.reduce(into: "") { text, row in text += line(columns.map { $0.written(row) }) }
    }

    static func line(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\n"
    }

    static func quoted(_ field: String) -> String {
        // Bytes, not characters: "\r\n" is one Character and would slip through.
        guard field.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
