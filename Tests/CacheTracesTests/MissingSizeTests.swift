import Foundation
import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// `--missing-size`: the size of objects without a recorded one.
@Suite("Sizes that are not recorded")
struct MissingSizeTests {
    private func told(_ text: String, _ name: String, missing: Int?) throws -> (sizes: [Int?], dense: [Int], String) {
        let input = TraceInput(bytes: Array(text.utf8), path: name)
        let options = ReadingOptions(missingSize: missing)
        let reading = try TraceReading(input, options: options)
        var notes = ReadingNotes()
        let dense = try DenseTrace(input, Self.options(options), &notes)
        #expect(dense.requestBytes == (0..<dense.objects.count).reduce(0) { $0 + dense.size(ofAccess: $1) })
        #expect(notes.warnings == reading.warnings || reading.warnings.isEmpty)
        return (
            reading.trace.objects.map(\.bytes), (0..<dense.objectCount).map { dense.size(of: UInt32($0)) },
            notes.warnings.joined(separator: "|")
        )
    }

    private static func options(_ reading: ReadingOptions) -> DenseTrace.Options {
        var options = DenseTrace.Options()
        options.reading = reading
        return options
    }

    private static let csv = "time,key,size\n1,a,10\n2,b,\n3,c,30\n4,d,70\n5,b,\n6,e,\n7,e,5\n"

    @Test("Requests")
    func requests() throws {
        let median = try told(Self.csv, "a.csv", missing: nil)
        #expect(median.sizes == [10, nil, 30, 70, 5])
        #expect(median.dense == [10, 30, 30, 70, 5])
        #expect(median.2 == "1 of 5 objects have no size; each counts as the median of the others, 30 bytes")
        let given = try told(Self.csv, "a.csv", missing: 400)
        #expect(given.sizes == [10, 400, 30, 70, 5])
        #expect(given.dense == [10, 400, 30, 70, 5])
        #expect(given.2 == "1 of 5 objects have no recorded size; each counts as 400 bytes (--missing-size)")
        #expect(try told("a\nb\na\n", "a.txt", missing: 7).dense == [7, 7])
    }

    @Test("Sessions")
    func sessions() throws {
        let session = """
            {"cachereplay_trace":1}
            {"e":"object","o":0,"key":"a","bytes":10}
            {"e":"object","o":1,"key":"b"}
            {"t":0,"e":"appear","o":0,"variant":"full"}
            {"t":1,"e":"appear","o":1,"variant":"full"}

            """
        let given = try told(session, "a.jsonl", missing: 9)
        #expect(given.sizes == [10, 9])
        #expect(given.dense == [10, 9])
    }

    @Test("A log, whole and in windows: a body that is not there has no size to assume")
    func log() throws {
        let lines = [("a", 200, "10"), ("b", 304, "-"), ("c", 204, "-"), ("d", 200, "30"), ("b", 304, "-")]
        let text = lines.map {
            #"10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /\#($0.0).jpg HTTP/1.1" \#($0.1) \#($0.2)"# + "\n"
        }.joined()
        #expect(try told(text, "a.log", missing: nil).dense == [10, 10, 0, 30])
        let given = try told(text, "a.log", missing: 7)
        #expect(given.dense == [10, 7, 0, 30])
        let folder = try TemporaryFolder()
        let path = folder.url("a.log").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var sizes: [Int] = []
        var notes = ReadingNotes()
        var options = Self.options(ReadingOptions(missingSize: 7))
        options.window = 1
        try DenseTrace.forEachWindow(of: path, options, &notes) { window in
            sizes = (0..<window.objectCount).map { window.size(of: UInt32($0)) }
            return true
        }
        #expect(sizes == [10, 7, 0, 30])
        let warning = "1 of 4 objects have no recorded size; each counts as 7 bytes (--missing-size)"
        #expect(notes.warnings.contains(warning) && given.2.contains(warning))
    }

    @Test("A compiled trace names the command that can")
    func compiled() throws {
        let input = TraceInput(bytes: Array(Self.csv.utf8), path: "a.csv")
        let error = #expect(throws: TraceError.self) {
            try TraceFormat.compiled.applying(ReadingOptions(missingSize: 3), file: input.path)
        }
        #expect(error?.message.contains("trace compile") == true)
    }
}
