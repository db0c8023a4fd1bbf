import Testing

@testable import CacheTraces
@testable import SessionModel

/// What the fuzzers found (`scripts/fuzz`), made as small as it goes.
@Suite("Found by fuzzing")
struct FuzzCaseTests {
    @Test("A row of no requests gives its key no number")
    func noRequests() throws {
        let text = "key,op,size,op_count,key_size\n9,GET,15,0,4\n8,GET,1,1,1\n"
        let trace = try Trace(TraceInput(bytes: Array(text.utf8), path: "kv"), format: .metaKeyValue)
        #expect(trace.objects.map(\.key) == ["8"])
        #expect(trace.events.count == 1)
    }

    @Test("An error that quotes a file's bytes stays one line and tells a terminal nothing")
    func controlCharacters() {
        var header = [UInt8](repeating: 0, count: 1024)
        for place in [0, 1016] {
            header.replaceSubrange(place..<place + 8, with: [0xF0, 0xDE, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12])
        }
        header.replaceSubrange(8..<12, with: Array("<I\n\u{1B}".utf8))
        let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: header, path: "a"), format: .lcs) }
        #expect(error?.description == "a: byte 10: the type '\\u{a}' is not known")
        #expect(TraceError(file: "a", "\u{1B}[2J\u{9B}\u{2028}é").message == "\\u{1b}[2J\\u{9b}\\u{2028}é")
    }
}
