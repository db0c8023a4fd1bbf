import Basics
import Testing

@testable import CacheReports
@testable import Runs

@Suite("RFC 4180 text")
struct CSVTests {
    @Test("fields are quoted only where they must be, and read back as they were")
    func roundTrip() throws {
        let fields = ["plain", "a,b", "say \"hi\"", "two\nlines", "windows\r\nlines", "", "写真 📷", " padded "]
        #expect(
            CSVText.line(fields)
                == "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"windows\r\nlines\",,写真 📷, padded \n")
        #expect(try CSVReader.records(of: CSVText.line(fields), file: "x").map(\.fields) == [fields])
    }

    @Test("CRLF, a byte-order mark, blank lines and a missing last line break are accepted")
    func leniency() throws {
        let records = try CSVReader.records(of: "\u{FEFF}a,b\r\n\r\n1,\r\n\"x\ny\",2", file: "x")
        #expect(
            records == [
                .init(line: 1, fields: ["a", "b"]), .init(line: 3, fields: ["1", ""]),
                .init(line: 4, fields: ["x\ny", "2"]),
            ])
    }

    @Test(
        "the message of a broken quote has its line",
        arguments: [("a,b\n1,\"open\n", 2), ("a,b\n1,2\n3,\"x\"y\n", 3), ("a,b\n1,x\"y\n", 2)])
    func brokenQuotes(text: String, line: Int) {
        let error = #expect(throws: ResultsError.self) { try CSVReader.records(of: text, file: "broken.csv") }
        #expect(error?.kind == .badData)
        #expect(error?.line == line)
        #expect(error?.description.hasPrefix("broken.csv:\(line): ") == true)
    }

    @Test(
        "a torn last record is dropped on request",
        arguments: ["x,1", "x", "\"x", "\"x\ny", "\"x\n", "\"x\"\"", "\"x\""])
    func tornRecord(end: String) throws {
        let records = try CSVReader.records(of: "a,b\n1,2\n" + end, file: "x", dropsTornRecord: true)
        #expect(records.map(\.fields) == [["a", "b"], ["1", "2"]])
    }
}
