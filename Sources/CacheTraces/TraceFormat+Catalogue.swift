extension TraceFormat {
    /// Every format as a table of name, what can be done, file endings and summary.
    public static func catalogue() -> String {
        table(
            [["format", "use", "endings", "what it is"]]
                + all.map {
                    [$0.name, $0.canWrite ? "read, write" : "read", $0.fileEndings.joined(separator: " "), $0.summary]
                })
    }

    public static func catalogueJSON() -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for format in all {
            writer.beginObject()
            writer.key("name")
            writer.string(format.name)
            writer.key("summary")
            writer.string(format.summary)
            writer.key("file_endings")
            writer.beginArray()
            for ending in format.fileEndings { writer.string(ending) }
            writer.endArray()
            writer.key("can_write")
            writer.boolean(format.canWrite)
            writer.endObject()
        }
        writer.endArray()
        return writer.text
    }
}

/// Left-aligned columns, two spaces apart, without trailing spaces.
func table(_ rows: [[String]]) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
        let line = row.enumerated().map { column, cell in
            cell + String(repeating: " ", count: widths[column] - cell.count + 2)
        }.joined()
        return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
}
