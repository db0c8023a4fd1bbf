import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@Suite("Opening files")
struct TraceInputTests {
    static let text =
        #"{"cachereplay_trace":1}"# + "\n"
        + (0..<2000).map { #"{"t":\#($0),"e":"appear","key":"\#($0 * 7919)"}"# }.joined(separator: "\n") + "\n"

    /// Compresses with the system's tool; nil where it is missing.
    static func compress(_ path: String, with tool: String) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool, "-k", "-q", path]
        process.standardError = nil
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        let endings = ["gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"]
        return process.terminationStatus == 0 ? path + (endings[tool] ?? "") : nil
    }

    @Test(
        "Compressed traces read like plain ones, and a cut stream is refused",
        arguments: ["gzip", "bzip2", "xz", "zstd"])
    func compression(tool: String) throws {
        let folder = try TemporaryFolder()
        let plain = try folder.file("feed.jsonl", Self.text)
        // gzip is everywhere; the others are tried where their tool is installed.
        guard let packed = Self.compress(plain, with: tool) else {
            try #require(tool != "gzip")
            return
        }
        let input = try TraceInput(path: packed)
        #expect(input.compression?.rawValue == tool)
        #expect(input.name == "feed.jsonl")
        #expect(try Trace(contentsOf: packed) == Trace(contentsOf: plain))

        let bytes = try Data(contentsOf: URL(fileURLWithPath: packed))
        for length in Array(stride(from: 6, to: bytes.count, by: 211)) + (1...12).map({ bytes.count - $0 }) {
            let cut = try folder.file("cut", bytes.prefix(length))
            let error = #expect(throws: TraceError.self) { try TraceInput(path: cut) }
            #expect(error?.kind == .badData)
            #expect(error?.message.contains("damaged or incomplete") == true)
        }
    }

    @Test("A flipped bit in a compressed trace never gives another trace", arguments: ["gz", "bz2", "xz"])
    func flippedBits(ending: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/feed.jsonl." + ending
        let trace = try Trace(TraceInput(bytes: Array(Self.text.utf8), path: "feed.jsonl"))
        try trace.write(to: path)
        let good = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        for index in stride(from: 10, to: good.count, by: 307) {
            var bad = good
            bad[index] ^= 1 << (index % 8)
            // A bit that carries nothing, such as in a reserved field, may be read over.
            if let read = try? Trace(contentsOf: try folder.file("bad", bad)) {
                let isSame = read == trace
                #expect(isSame, "byte \(index)")
            }
        }
    }

    @Test("A gzip file of several members reads as one")
    func members() throws {
        let folder = try TemporaryFolder()
        let parts = try ["a\n", "bb\n", ""].enumerated().map { index, text in
            Array(
                try Data(
                    contentsOf: URL(
                        fileURLWithPath: #require(Self.compress(try folder.file("part\(index)", text), with: "gzip")))))
        }
        for order in [[0, 1], [1, 0], [0, 2], [2, 0]] {
            let path = try folder.file("all.gz", order.flatMap { parts[$0] })
            let expected = order.map { ["a\n", "bb\n", ""][$0] }.joined()
            #expect(try TraceInput(path: path).withBytes { Array($0) } == Array(expected.utf8))
        }
    }

    @Test("Errors distinguish a missing file, a folder and an empty file")
    func noFile() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: TraceError.self) { try Trace(contentsOf: folder.path + "/none.har") }
        #expect(missing?.kind == .notFound)
        let directory = #expect(throws: TraceError.self) { try Trace(contentsOf: folder.path) }
        #expect(directory?.kind == .unreadable)
        #expect(directory?.message.contains("is a folder") == true)
        let empty = try folder.file("empty.har", "")
        for format in [nil] + TraceFormat.all.map(Optional.some) {
            let error = #expect(throws: TraceError.self) { try Trace(contentsOf: empty, format: format) }
            #expect(error?.kind == .badData)
        }
    }

    @Test("A compressed empty file is an empty file")
    func compressedEmpty() throws {
        let folder = try TemporaryFolder()
        let packed = try #require(Self.compress(try folder.file("empty", ""), with: "gzip"))
        #expect(try TraceInput(path: packed).count == 0)
        #expect(throws: TraceError.self) { try Trace(contentsOf: packed) }
    }

    @Test("An unrecognised file says what was tried and names --format")
    func unrecognised() {
        for bytes in [Array("hello\nworld\n".utf8), [0xFF, 0x00, 0x13], Array("{\"a\":1}".utf8)] {
            let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: bytes, path: "what")) }
            #expect(error?.message.contains("tried compiled, jsonl, har, oracleGeneralOpNS, oracleGeneral, ") == true)
            #expect(error?.message.contains("--format") == true)
        }
        let utf16 = #expect(throws: TraceError.self) {
            try Trace(TraceInput(bytes: [0xFF, 0xFE, 0x7B, 0x00], path: "a.har"))
        }
        #expect(utf16?.message.contains("UTF-16") == true)
    }

    @Test("An unknown format name gets the nearest one and the list")
    func unknownFormat() {
        let error = #expect(throws: UnknownFormat.self) { try TraceFormat.named("oraclegenral") }
        #expect(
            error?.description.contains(
                "Did you mean 'oracleGeneral'? Formats: compiled, jsonl, har, oracleGeneralOpNS, oracleGeneral, ")
                == true)
        #expect(throws: Never.self) { try TraceFormat.named("HAR") }
    }

    @Test("Noise in any format ends in an error or a trace, never in a crash", arguments: 0..<200)
    func noise(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        var bytes = (0..<Int.random(in: 1...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        if seed.isMultiple(of: 2) {
            // Damage to a good file goes deeper than noise.
            let good = [
                Array(Self.text.utf8.prefix(400)),
                Array(
                    #"{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":1e9,"request":{"url":"a.png"},"response":{"status":200,"content":{"size":5,"mimeType":"image/png"},"headers":[{"name":"age","value":"\ud83d\ude00"}]},"timings":{"wait":1.5}}]}}"#
                        .utf8),
                OracleGeneralFormatTests.aba, Array("time,key,size\n1,\"a\"\"b\",3\n".utf8),
            ]
            bytes = good[seed / 2 % good.count]
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
        for format in TraceFormat.all {
            do {
                let trace = try Trace(TraceInput(bytes: bytes, path: "noise"), format: format)
                #expect(zip(trace.events, trace.events.dropFirst()).allSatisfy { $0.time <= $1.time })
                _ = TraceSummary(trace)
            } catch {
                #expect(error is TraceError)
            }
        }
    }
}

/// Steele, Lea, Flood 2014: a small generator, so that a failing seed can be run again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
