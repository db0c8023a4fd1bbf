import Foundation
import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// Text that is decompressed as it is read.
@Suite("Texts in windows")
struct StreamedTextTests {
    private static let quoted = #"""
        time_us,key,size
        0,"a, b",10
        1,plain,20
        2,"two
        lines",30
        3,"doubled ""quotes""",40
        1000,plain,20
        2000000,"a, b",11
        3000000,12345678,7

        """#

    /// The requests of all windows, as text.
    private static func requests(_ windows: [DenseTrace]) -> [String] {
        windows.flatMap { window in
            window.objects.indices.map { "\(window.objects[$0]) \(window.time(of: $0)) \(window.size(ofAccess: $0))" }
        }
    }

    private static func streamed(_ text: String, _ format: TraceFormat, capacity: Int) throws -> [String] {
        let stream = try TraceStream(contents: Array(text.utf8), path: "a")
        var windows: [String] = []
        let receiver = RequestWindows(path: "a", .init(varying: .insertion, window: 2)) { window in
            windows += requests([window])
            return true
        }
        var notes = ReadingNotes()
        let read = try #require(format.requests)
        var input = TraceInput(headOf: stream, try ByteWindow(stream, capacity: capacity))
        input.windows = receiver
        var rest = try read(input, &notes)
        rest.deliverWindow()
        try receiver.finish()
        return windows
    }

    private static func whole(_ text: String, _ format: TraceFormat) throws -> [String] {
        var notes = ReadingNotes()
        let input = TraceInput(bytes: Array(text.utf8), path: "a")
        return requests([try DenseTrace(input, .init(format: format, varying: .insertion), &notes)])
    }

    @Test("CSV is the same through a window of any size", arguments: [8, 9, 16, 23, 40, 64, 100, 1000])
    func csv(capacity: Int) throws {
        let windows = Self.quoted.replacingOccurrences(of: "\n", with: "\r\n")
        for text in [Self.quoted, String(Self.quoted.dropLast()), windows] {
            #expect(try Self.streamed(text, .csv, capacity: capacity) == Self.whole(text, .csv))
        }
        #expect(try Self.whole(Self.quoted, .csv).count == 7)
    }

    @Test("Lines are the same through a window of any size", arguments: [8, 9, 16, 40, 1000])
    func lines(capacity: Int) throws {
        let text = (0..<40).map { "\($0 * 7) \($0 * $0 % 11) \(100 + $0)\n" }.joined()
        #expect(try Self.streamed(text, .webCacheSim, capacity: capacity) == Self.whole(text, .webCacheSim))
        let rows = (0..<40).map { "\($0 % 3),\($0 * $0 % 11),\(100 + $0),r,\($0).5\n" }.joined()
        let spc = try TraceFormat.named("spc")
        #expect(try Self.streamed(rows, spc, capacity: capacity) == Self.whole(rows, spc))
    }

    @Test("An error in a later window names its line")
    func line() {
        let text = Self.quoted + "4000000,c,many\n"
        #expect {
            try Self.streamed(text, .csv, capacity: 16)
        } throws: { "\($0)".contains("a:10:") && "\($0)".contains("'many'") }
    }

    /// A file that is unpacked first gives no window at all.
    @Test("Windows come before the end of a compressed file is read", arguments: ["a.csv.gz", "a.csv.zst"])
    func early(name: String) throws {
        let folder = try TemporaryFolder()
        var random = SystemRandomNumberGenerator()
        var text = "time_us,key,size\n"
        for index in 0..<400_000 { text += "\(index),\(UInt32.random(in: 0 ... .max, using: &random)),1\n" }
        let compression = try #require(Compression(fileName: name))
        let bytes = try compression.compress(Array(text.utf8), file: name)
        let path = try folder.file(name, bytes.dropLast(bytes.count / 4))
        var received = 0
        var notes = ReadingNotes()
        #expect {
            try DenseTrace.forEachWindow(of: path, .init(window: 1000), &notes) { window in
                received += window.objects.count
                return true
            }
        } throws: { "\($0)".contains("damaged or incomplete") }
        #expect(received > 1000)
    }
}
