import Basics

/// Reads the CSV files of results. A leading byte-order mark is skipped.
enum CSVReader {
    struct Record: Equatable {
        /// The line on which the record starts, counted from 1.
        var line: Int
        var fields: [String]
    }

    /// Returns the records of a text, without blank lines.
    /// - Parameter dropsTornRecord: Whether a last record without a line break is dropped, as a killed process leaves
    ///   it. By default such a record counts.
    /// - Throws: ``ResultsError`` of kind `badData`, with the line, for a quote that is never closed or is in the
    ///   middle of a field.
    static func records(of text: String, file: String, dropsTornRecord: Bool = false) throws -> [Record] {
        var text = text
        return try text.withUTF8 { try records(of: UnsafeRawBufferPointer($0), file: file, dropsTornRecord) }
    }

    private static func records(
        of bytes: UnsafeRawBufferPointer, file: String, _ dropsTornRecord: Bool
    ) throws -> [Record] {
        var rows = CSVRows(bytes, from: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, .strict)
        var records: [Record] = []
        do {
            while try rows.next() {
                if dropsTornRecord, bytes.last != 0x0A, rows.position == bytes.count { break }
                records.append(Record(line: rows.line, fields: rows.fields.map { rows.text($0) ?? "" }))
            }
        } catch {
            if dropsTornRecord, error.problem == .openQuote { return records }
            throw ResultsError(.badData, file: file, line: error.line, message(error.problem))
        }
        return records
    }

    private static func message(_ problem: CSVRows.Malformed.Problem) -> String {
        switch problem {
        case .openQuote: "this quoted field has no end; add the closing \""
        case .textAfterQuote:
            "after a closing quote a comma or the end of the line is expected; write a quote inside a field twice"
        case .quoteInField:
            "a quote in the middle of a field; put the whole field in quotes and write the inner quote twice"
        }
    }
}
