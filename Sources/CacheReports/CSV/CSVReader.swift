/// Reads RFC 4180 text: quoted fields, doubled quotes, line breaks inside quotes; LF or CRLF; a leading BOM is skipped.
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
    ///   middle
    ///   of a field.
    static func records(of text: String, file: String, dropsTornRecord: Bool = false) throws -> [Record] {
        var parser = Parser(bytes: Array(text.utf8), file: file)
        return try parser.records(dropsTornRecord: dropsTornRecord)
    }

    private struct Parser {
        let bytes: [UInt8]
        let file: String
        var position = 0
        var line = 1

        init(bytes: [UInt8], file: String) {
            self.bytes = bytes
            self.file = file
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        }

        mutating func records(dropsTornRecord: Bool) throws -> [Record] {
            var records: [Record] = []
            while position < bytes.count {
                let start = line
                let fields: [String]
                do { fields = try record() } catch {
                    if dropsTornRecord, position == bytes.count { return records }
                    throw error
                }
                if dropsTornRecord, bytes.last != 0x0A, position == bytes.count { return records }
                if fields != [""] { records.append(Record(line: start, fields: fields)) }
            }
            return records
        }

        private mutating func record() throws -> [String] {
            var fields: [String] = []
            while true {
                fields.append(try field())
                guard position < bytes.count else { return fields }
                if bytes[position] == 0x2C {
                    position += 1
                    continue
                }
                skipLineBreak()
                return fields
            }
        }

        private mutating func skipLineBreak() {
            if bytes[position] == 0x0D { position += 1 }
            if position < bytes.count, bytes[position] == 0x0A { position += 1 }
            line += 1
        }

        private mutating func field() throws -> String {
            guard position < bytes.count, bytes[position] == 0x22 else { return try plainField() }
            let opening = line
            position += 1
            var content: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == 0x22 {
                    guard position < bytes.count, bytes[position] == 0x22 else { return try closed(content) }
                    position += 1
                }
                if byte == 0x0A { line += 1 }
                content.append(byte)
            }
            throw ResultsError(
                .badData, file: file, line: opening, "this quoted field has no end; add the closing \"")
        }

        /// After a closing quote only a comma or the end of the line may follow.
        private func closed(_ content: [UInt8]) throws -> String {
            if position < bytes.count, ![0x2C, 0x0A, 0x0D].contains(bytes[position]) {
                throw ResultsError(
                    .badData, file: file, line: line,
                    """
                    after a closing quote a comma or the end of the line is expected; write a quote inside a field twice
                    """
                )
            }
            return String(decoding: content, as: UTF8.self)
        }

        private mutating func plainField() throws -> String {
            let start = position
            while position < bytes.count, ![0x2C, 0x0A, 0x0D].contains(bytes[position]) {
                if bytes[position] == 0x22 {
                    throw ResultsError(
                        .badData, file: file, line: line,
                        """
                        a quote in the middle of a field; put the whole field in quotes and write the inner quote twice
                        """
                    )
                }
                position += 1
            }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
    }
}
