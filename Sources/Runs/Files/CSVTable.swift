import Basics
import CachePolicies

/// A CSV file of results, read by column name.
struct CSVTable {
    struct Row {
        let file: String
        let line: Int
        let fields: [String: String]

        /// The text of a field; empty if the file has no such column.
        subscript(name: String) -> String { fields[name] ?? "" }

        func integer(_ name: String) throws -> Int {
            guard let number = Int(self[name]), (0...1 << 53).contains(number) else {
                throw problem(name, "a whole number that is not negative")
            }
            return number
        }

        func real(_ name: String) throws -> Double {
            guard let number = Double(self[name]), number.isFinite else { throw problem(name, "a number") }
            return number
        }

        func unit(_ name: String) throws -> CapacityUnit {
            guard let unit = CapacityUnit(rawValue: self[name]) else { throw problem(name, "bytes or objects") }
            return unit
        }

        func problem(_ name: String, _ expected: String) -> ResultsError {
            ResultsError(
                .badData, file: file, line: line,
                "\(name) is '\(self[name])', expected \(expected); run without --resume to start again")
        }
    }

    let rows: [Row]

    /// Reads a text that was written in a style. A torn last record, as a killed process leaves it, is dropped.
    /// - Throws: ``ResultsError`` of kind `badData`, with the line.
    init(_ text: String, file: String, needs names: [String], _ style: CSVStyle) throws {
        let records = try CSVReader.records(of: text, file: file, dropsTornRecord: true)
        let header = records.first?.fields ?? []
        for name in names where !header.contains(name) {
            throw ResultsError(
                .badData, file: file, line: 1, "the column \(name) is missing; run without --resume to start again")
        }
        rows = try records.dropFirst().map { record in
            guard record.fields.count == header.count else {
                throw ResultsError(
                    .badData, file: file, line: record.line,
                    "\(record.fields.count) fields, expected \(header.count); run without --resume to start again")
            }
            return Row(
                file: file, line: record.line, fields: Dictionary(zip(header, record.fields.map(style.read))) { $1 })
        }
    }

    func map<Value>(_ make: (Row) throws -> Value) rethrows -> [Value] { try rows.map(make) }
}

/// Reads the CSV files of results. A leading byte-order mark is skipped.
package enum CSVReader {
    package struct Record: Equatable {
        /// The line on which the record starts, counted from 1.
        package var line: Int
        package var fields: [String]
    }

    /// Returns the records of a text, without blank lines.
    /// - Parameter dropsTornRecord: Whether a last record without a line break is dropped, as a killed process leaves
    ///   it. By default such a record counts.
    /// - Throws: ``ResultsError`` of kind `badData`, with the line, for a quote that is never closed or is in the
    ///   middle of a field.
    package static func records(of text: String, file: String, dropsTornRecord: Bool = false) throws -> [Record] {
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
