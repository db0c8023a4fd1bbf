import Basics
import Testing

@Suite("Rows of CSV text")
struct CSVRowsTests {
    private func read(_ text: String, _ strictness: CSVRows.Strictness) throws -> [[String]] {
        var text = text
        return try text.withUTF8 { bytes in
            var rows = CSVRows(UnsafeRawBufferPointer(bytes), from: 0, strictness)
            var read: [[String]] = []
            while try rows.next() { read.append(rows.fields.map { rows.text($0) ?? "?" }) }
            return read
        }
    }

    @Test("Text of RFC 4180 is read alike", arguments: [CSVRows.Strictness.lenient, .strict])
    func wellFormed(_ strictness: CSVRows.Strictness) throws {
        let rows = try read("a,\"b,\"\"c\"\"\"\r\n\r\n,\n\"x\ny\",2", strictness)
        #expect(rows == [["a", "b,\"c\""], ["", ""], ["x\ny", "2"]])
    }

    @Test("A carriage return alone ends a line only if strict, and a quote in a field is text only if lenient")
    func strictness() throws {
        #expect(try read("a\rb\n", .lenient) == [["a\rb"]])
        #expect(try read("a\rb\n", .strict) == [["a"], ["b"]])
        #expect(try read("a\"b\n", .lenient) == [["a\"b"]])
        let error = #expect(throws: CSVRows.Malformed.self) { try read("1\n2,a\"b\n", .strict) }
        #expect(error?.problem == .quoteInField && error?.line == 2)
    }

    @Test("The error of an open quote has the lines of its row and of its field")
    func openQuote() throws {
        let error = #expect(throws: CSVRows.Malformed.self) { try read("1\n\"2\n\",\"x\ny", .lenient) }
        #expect(error?.problem == .openQuote && error?.row == 2 && error?.line == 3)
    }
}
