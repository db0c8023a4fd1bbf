/// Left-aligned columns, two spaces apart, without trailing spaces. Each row is one line without hidden characters.
package func alignedColumns(_ rows: [[String]]) -> String {
    let rows = rows.map { $0.map(VisibleText.line) }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
        let line = row.enumerated().map { column, cell in
            cell + String(repeating: " ", count: widths[column] - cell.count + 2)
        }.joined()
        return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
}
