/// Left-aligned columns, two spaces apart, without trailing spaces.
package func alignedColumns(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
        let line = row.enumerated().map { column, cell in
            cell + String(repeating: " ", count: widths[column] - cell.count + 2)
        }.joined()
        return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
}
