import Foundation
import TestSupport
import Testing

@testable import CacheTraces
@testable import SessionModel

@Suite("HARs read through a window")
struct HARStreamTests {
    /// Entries with bodies of `bodyLength` characters; every third is no image.
    static func har(_ count: Int, bodyLength: Int) -> [UInt8] {
        let body = String(repeating: "QUJD", count: bodyLength / 4)
        let entries = (0..<count).map { number in
            #"{"startedDateTime":"2026-01-01T10:00:00.\#(100 + number % 900)Z","#
                + #""request":{"url":"https://e.x/é\#(number)"},"#
                + "\n"
                + #""response":{"status":200,"content":{"mimeType":"\#(number % 3 == 2 ? "video/mp4" : "image/png")","#
                + #""text":"\#(body)","encoding":"base64"}}}"#
        }
        return Array(
            (#"{"log":{"creator":{"name":"T"},"pages":[{"id":"p","title":"P"}],"entries":["#
                + entries.joined(separator: ",\n") + "]}}\n").utf8)
    }

    /// Everything that a reader could find in a recording, or the error.
    static func outcome(_ window: () throws -> ByteWindow) -> String {
        do {
            let recording = try HARRecording(window())
            return "\(recording.summary.facts) \(recording.pages) \(recording.images)"
        } catch { return "\(error)" }
    }

    @Test("Any width of the window gives the same recording", arguments: [1, 2, 7, 48, 333, 5000, 1 << 20])
    func widths(capacity: Int) throws {
        let bytes = [0xEF, 0xBB, 0xBF] + Self.har(12, bodyLength: 400)
        let narrow = Self.outcome { try ByteWindow(TraceStream(contents: bytes, path: "a"), capacity: capacity) }
        #expect(narrow == Self.outcome { ByteWindow(TraceInput(bytes: bytes, path: "a")) })
        #expect(narrow.hasPrefix("[CacheTraces.ReadingNotes.Fact(name: \"entries\", value: 12)"))
    }

    @Test("A file cut anywhere, or with a wrong byte, is refused at the same place for the same reason")
    func errors() throws {
        let bytes = Self.har(2, bodyLength: 8)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] = UInt8(ascii: "\u{1}")
            for content in [Array(bytes.prefix(place)), damaged] {
                let narrow = Self.outcome { try ByteWindow(TraceStream(contents: content, path: "a"), capacity: 16) }
                #expect(narrow == Self.outcome { ByteWindow(TraceInput(bytes: content, path: "a")) })
            }
        }
    }

    @Test("An error behind many windows tells byte, line and column of the whole file")
    func place() throws {
        let good = Self.har(50, bodyLength: 100)
        let bytes = good.dropLast(4) + Array(" x".utf8)
        let error = #expect(throws: TraceError.self) {
            try HARRecording(ByteWindow(TraceStream(contents: Array(bytes), path: "a"), capacity: 64))
        }
        #expect(error?.place == .byte(bytes.count - 1))
        // Two lines for each entry; the last line ends in `}}} x`.
        let lastLine = bytes.count - 1 - (bytes.lastIndex(of: 0x0A) ?? 0)
        #expect(error?.message == "line 100, column \(lastLine): expected ',' or ']', found 'x'")
    }

    @Test("The window stays as wide as a few entries, whatever the file's length")
    func bounded() throws {
        let bytes = Self.har(400, bodyLength: 10_000)
        let window = try ByteWindow(TraceStream(contents: bytes, path: "a"), capacity: 16_384)
        #expect(try HARRecording(window).summary.entries == 400)
        #expect(bytes.count > 4_000_000)
        #expect(window.capacity <= 32_768)
    }

    @Test("A value wider than the window widens it to a few times its own size")
    func oversized() throws {
        let bytes = Self.har(3, bodyLength: 1_000_000)
        let window = try ByteWindow(TraceStream(contents: bytes, path: "a"), capacity: 4096)
        #expect(try HARRecording(window).summary.imageEntries == 2)
        #expect((1_000_000...4_200_000).contains(window.capacity))
    }

    @Test("Compressed recordings come through the same window", arguments: Compression.allCases)
    func compressed(compression: Compression) throws {
        let bytes = [0xEF, 0xBB, 0xBF] + Self.har(300, bodyLength: 2000)
        let packed = try compression.compress(bytes, file: "a.har")
        let stream = try TraceStream(contents: packed, path: "a.har")
        #expect(stream.compression == compression)
        let window = try ByteWindow(stream, capacity: 8192)
        let outcome = Self.outcome { window }
        #expect(outcome == Self.outcome { ByteWindow(TraceInput(bytes: bytes, path: "a.har")) })
        #expect(window.capacity == 8192)
        // Cut, it is refused where the stream breaks off.
        let cut = Self.outcome {
            try ByteWindow(TraceStream(contents: packed.dropLast(9), path: "a.har"), capacity: 8192)
        }
        #expect(cut.contains("damaged or incomplete"), "\(cut.prefix(200))")
    }

    @Test("A file is recognised from its beginning and read as a stream")
    func recognised() throws {
        let folder = try TemporaryFolder()
        for (name, bytes) in [
            ("a.bin", Self.har(3, bodyLength: 8)), ("b", Array(" {\n \"log\" : {\"entries\":[]}}".utf8)),
        ] {
            let stream = try TraceStream(path: folder.file(name, bytes))
            #expect(TraceFormat.sniffed(stream)?.name == "har")
        }
        // What a container's runtime writes of a log line is no HAR.
        let docker = try TraceStream(contents: Array(#"{"log":"GET / HTTP/1.1\n","stream":"stdout"}"#.utf8), path: "c")
        #expect(TraceFormat.sniffed(docker) == nil)
    }

    @Test("A pipe is read like a file")
    func pipe() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let bytes = Self.har(100, bodyLength: 4000)
        let writer = Thread { try? FileHandle(forWritingAtPath: path)?.write(contentsOf: Data(bytes)) }
        writer.start()
        #expect(try TraceReading(contentsOf: path).trace.events.count == 134)
    }
}
