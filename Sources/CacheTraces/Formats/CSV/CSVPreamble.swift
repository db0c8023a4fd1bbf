/// Where the table of a CSV file begins: behind comments, a line `sep=;` of spreadsheet programs, and a title.
struct CSVPreamble {
    /// The place of the header, or of the first row.
    private(set) var start: Int
    /// The lines before it.
    private(set) var lineCount = 0
    /// The lines before it that are not blank.
    private(set) var skipped = 0
    /// The character of the line `sep=`.
    private(set) var delimiter: UInt8?

    /// A title is at most so many lines above the header.
    private static let longest = 20

    /// - Parameter delimiter: The character between fields; nil for the most frequent one of each line.
    init(_ bytes: UnsafeRawBufferPointer, from start: Int, delimiter: UInt8?) {
        self.start = start
        var place = start
        // What was found at the first line that is not a comment.
        var first: CSVPreamble?
        while place < bytes.count, lineCount < Self.longest || first == nil {
            let end = bytes.endOfLine(from: place)
            let line = bytes[place..<end].filter { $0 != 0x0D }
            let fields = CSVColumns.names(in: line, delimiter: delimiter ?? self.delimiter)
            let isHeader = fields.count > 1 && CSVColumns.isHeader(fields)
            let isComment = line.first == UInt8(ascii: "#")
            self.start = place
            if isHeader { return }
            if line.isEmpty {
                skipped -= 1
            } else if line.count == 5, String(decoding: line[..<4], as: UTF8.self).lowercased() == "sep=" {
                self.delimiter = line[4]
            } else if !isComment {
                if first == nil { first = self }
                // A table without the names of its columns.
                if fields.count > 1 { break }
            }
            skipped += 1
            lineCount += 1
            place = min(end + 1, bytes.count)
        }
        // No header follows, so what looked like a title is a row.
        if let first { self = first } else { self.start = place }
    }
}
