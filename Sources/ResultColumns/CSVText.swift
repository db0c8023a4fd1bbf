/// Writes RFC 4180 text: fields with a comma, a quote or a line break are quoted, and quotes are doubled.
///
/// Lines end in a line feed alone, which Unix tools expect and every CSV reader accepts.
package enum CSVText {
    package static func render<Row>(_ columns: [Column<Row>], _ rows: [Row], _ style: CSVStyle = .exact) -> String {
        header(columns) + self.rows(columns, rows, style)
    }

    package static func header<Row>(_ columns: [Column<Row>]) -> String { line(columns.map(\.name)) }

    package static func rows<Row>(_ columns: [Column<Row>], _ rows: [Row], _ style: CSVStyle = .exact) -> String {
        var text = ""
        for row in rows {
            for index in columns.indices {
                if index > 0 { text += "," }
                text += quoted(columns[index].field(row, style))
            }
            text += "\n"
        }
        return text
    }

    package static func line(_ fields: [String]) -> String {
        fields.map(quoted).joined(separator: ",") + "\n"
    }

    package static func quoted(_ field: String) -> String {
        // Bytes, not characters: "\r\n" is one Character and would slip through.
        guard field.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
