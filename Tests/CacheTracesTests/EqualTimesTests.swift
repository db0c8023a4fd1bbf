import CacheTraces
import SessionModel
import Testing

@Suite("Events of one time")
struct EqualTimesTests {
    /// The keys of the requests of a file, which all have one time.
    private func keys(_ text: [UInt8], _ file: String) throws -> String {
        let reading = try TraceReading(TraceInput(bytes: text, path: file))
        #expect(Set(reading.trace.events.map(\.time)).count == 1)
        var keys = ""
        for event in reading.trace.events {
            guard case .appear(let object, _) = event.action else { continue }
            keys += reading.trace.objects[Int(object)].key.filter { "wxyz".contains($0) }
        }
        return keys
    }

    @Test("Readers keep the order of the file")
    func readers() throws {
        var csv = "time,key\n"
        var log = ""
        var entries: [String] = []
        var builder = TraceBuilder()
        for key in "zwyx" {
            csv += "5,\(key)\n"
            log += "10.0.0.1 - - [10/Oct/2025:13:55:36 +0000] \"GET /\(key).png HTTP/1.1\" 200 10 \"-\" \"-\"\n"
            let content = #""content":{"size":1,"mimeType":"image/png"}"#
            let response = #""response":{"status":200,\#(content)}"#
            let request = #""request":{"url":"\#(key)"}"#
            entries.append(#"{"startedDateTime":"2026-01-01T10:00:00Z",\#(request),\#(response)}"#)
            builder.append(TraceEvent(time: 5, .appear(builder.object(String(key)), .full)))
        }
        let har = #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
        var encoder = JSONLinesEncoder()
        encoder.append(builder.finish())
        #expect(try keys(Array(csv.utf8), "a.csv") == "zwyx")
        #expect(try keys(Array(log.utf8), "a.log") == "zwyx")
        #expect(try keys(Array(har.utf8), "a.har") == "zwyx")
        #expect(try keys(encoder.bytes, "a.jsonl") == "zwyx")
    }

    @Test("Recorders write events when they end; sorting keeps the order of events of one time")
    func sorting() {
        var builder = TraceBuilder()
        for (time, key) in [(9, "a"), (5, "b"), (9, "c"), (5, "d"), (5, "a"), (1, "e"), (9, "b")] {
            builder.append(TraceEvent(time: Int64(time), .appear(builder.object(key), .full)))
        }
        let trace = builder.finish()
        let keys = trace.events.compactMap { $0.action.object.map { trace.objects[Int($0)].key } }
        #expect(keys == ["e", "b", "d", "a", "a", "c", "b"])
    }
}
