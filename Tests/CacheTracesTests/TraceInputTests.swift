import Basics
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
        "A device without end is refused, and /dev/null is empty",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func devices() {
        for path in ["/dev/zero", "/dev/full", "/dev/urandom"] {
            let error = #expect(throws: TraceError.self) { try TraceReading(contentsOf: path) }
            #expect(error?.file == path && error?.message.contains("a device whose content has no end") == true)
        }
        let error = #expect(throws: TraceError.self) { try TraceReading(contentsOf: "/dev/null") }
        #expect(error?.message.contains("device") == false)
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

    @Test("pictures are recognised, alone and as the only files of a folder")
    func pictures() throws {
        let folder = try TemporaryFolder()
        let starts: [(String, [UInt8])] = [
            ("a.jpg", [0xFF, 0xD8, 0xFF, 0xE0]), ("b.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]),
            ("c.webp", Array("RIFF....WEBP".utf8)), ("d.gif", Array("GIF89a".utf8)),
        ]
        for (name, bytes) in starts {
            let file = try folder.file(name, bytes)
            let error = #expect(throws: TraceError.self) { try TraceReading(contentsOf: file) }
            #expect(error?.message.contains("is a picture") == true, "\(name)")
        }
        let whole = #expect(throws: TraceError.self) { try TraceReading(contentsOf: folder.path) }
        #expect(whole?.message.contains("record gallery \(folder.path)") == true)
        try folder.file("e.jsonl", "{}")
        let mixed = #expect(throws: TraceError.self) { try TraceReading(contentsOf: folder.path) }
        #expect(mixed?.message == "is a folder; a trace file is needed")
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

    /// 64 records of `length` bytes, of which `fill` sets some.
    private static func records(_ length: Int, _ fill: (Int, inout [UInt8]) -> Void) -> [UInt8] {
        (0..<64).flatMap { index in
            var record = [UInt8](repeating: 0, count: length)
            fill(index, &record)
            return record
        }
    }

    @Test("The binary formats whose records fit a nameless file are listed, the most specific first")
    func candidates() {
        func message(_ bytes: [UInt8]) -> String {
            let error = #expect(throws: TraceError.self) { try TraceReading(TraceInput(bytes: bytes, path: "blob")) }
            return error?.message ?? ""
        }
        // Seconds 0 to 15, ids, the operation 1 in the last byte.
        let twitter = message(
            Self.records(20) { index, record in
                (record[0], record[4], record[13], record[19]) = (UInt8(index / 4), UInt8(index * 37 % 251), 9, 1)
            })
        #expect(
            twitter.hasPrefix(
                """
                the format is not recognised by content or file ending; the size of the file and its first records fit \
                twr
                """), "\(twitter)")
        #expect(twitter.hasSuffix("Name the format, for example with --format twr"), "\(twitter)")
        // Ids, sizes, an operation, and the next request 3 further on.
        let named = message(
            Self.records(27) { index, record in
                (record[4], record[13], record[16], record[19]) = (UInt8(index % 3), 9, 1, UInt8(index + 4))
            })
        #expect(named.hasSuffix("fit oracleGeneralOpNS. Name the format, for example with --format oracleGeneralOpNS"))
        // 64-bit keys that come again, and 32-bit keys in order.
        let corda = message(
            Self.records(8) { index, record in
                for place in 0..<8 { record[place] = UInt8((index % 40 * 89 + place * 31) % 256) }
            })
        #expect(corda.contains("fit corda"), "\(corda)")
        let cache2k = message(Self.records(4) { index, record in (record[1], record[3]) = (7, UInt8(index * 2)) })
        #expect(cache2k.contains("cache2k"), "\(cache2k)")
        // A picture's header and noise fit nothing; text is no binary format.
        var generator: UInt64 = 1
        let noise = (0..<64 * 22).map { _ -> UInt8 in
            generator = generator &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(generator >> 56)
        }
        #expect(message([0x89, 0x50, 0x4E, 0x47, 0, 1] + noise).contains("; tried compiled, "))
        #expect(message(Array("what is this?\nno trace at all\n".utf8)).contains("; tried compiled, "))
    }

    @Test("Traces of others whose names say nothing are among the candidates", .enabled(if: SharedData.isPresent))
    func realCandidates() throws {
        for (file, format) in [
            ("cache2k_web07.trace.xz", "cache2k"), ("cache2k_orm-night.trace.xz", "cache2k"),
            ("corda_trace_vaultservice.gz", "corda"),
        ] {
            let bytes = try TraceInput(path: SharedData.path("traces/" + file)).withBytes { [UInt8]($0) }
            let error = #expect(throws: TraceError.self, "\(file)") {
                try TraceReading(TraceInput(bytes: bytes, path: "blob"))
            }
            #expect(error?.message.contains("records fit") == true, "\(file): \(error?.message ?? "")")
            #expect(error?.message.contains(format) == true, "\(file): \(error?.message ?? "")")
        }
    }

    @Test("An unrecognised file says what was tried and names --format")
    func unrecognised() {
        for bytes in [Array("hello\nworld\n".utf8), [0xFF, 0x00, 0x13], Array("{\"a\":1}".utf8)] {
            let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: bytes, path: "what")) }
            #expect(error?.message.contains("tried compiled, jsonl, har, charles, oracleGeneralOpNS, ") == true)
            #expect(error?.message.contains("--format") == true)
        }
    }

    @Test(
        "A file of another kind is named, with the remedy, whatever its name",
        arguments: ["a.har", "a.csv", "a.jsonl", "a.log", "a.zip", "blob"])
    func foreign(name: String) {
        let text = "time,key,size\n1,a,10\n2,b,20\n"
        var tar = [UInt8](repeating: 0, count: 1024)
        tar.replaceSubrange(0..<5, with: "a.csv".utf8)
        tar.replaceSubrange(257..<262, with: "ustar".utf8)
        let files: [(bytes: [UInt8], words: String)] = [
            ([0xFF, 0xFE, 0x7B, 0x00], "UTF-16"), (text.utf16.flatMap { [UInt8($0), 0] }, "iconv -f UTF-16LE"),
            (text.utf16.flatMap { [0, UInt8($0)] }, "iconv -f UTF-16BE"),
            ([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 60), "zip"),
            (tar, "tar archive"), (Array("PAR1\u{15}".utf8), "Parquet"),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "picture"), (Array("a\rb\rc".utf8), "carriage return"),
        ]
        for (bytes, words) in files {
            let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: bytes, path: name)) }
            #expect(error?.message.contains(words) == true, "\(words): \(error?.message ?? "read")")
        }
        // Records whose numbers have a zero byte in each pair are no text.
        let small: [UInt8] = (0..<32).map { $0.isMultiple(of: 2) ? UInt8($0 / 2) : 0 }
        let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: small, path: "blob")) }
        #expect(error?.message.contains("UTF-16") == false)
    }

    @Test(
        "A session replay is named as one, whatever its name, and others are not",
        arguments: [
            (#"[{"type":4,"timestamp":9,"data":{"href":"F","width":9,"height":9}}]"#, "a.json", true),
            (#"{"type":5,"timestamp":1,"data":{"tag":"cachereplay","payload":{"v":1}}}"#, "a.jsonl", true),
            (#"{"has_full_snapshot":true,"records":[{"type":4,"timestamp":9,"data":{}}]}"#, "a", true),
            ("[\"packed\"]", "a.rrweb.json", true), (#"[{"type":4,"timestamp":9,"data":{}}]"#, "a.json", false),
            ("hello", "a.rrweb.json", false),
        ])
    func sessionReplays(text: String, name: String, isOne: Bool) {
        let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: Array(text.utf8), path: name)) }
        #expect(error?.message.contains("`scripts/convert-replay FILE") == isOne, "\(error?.message ?? "")")
        #expect(error?.kind == .unrecognised)
    }

    @Test("A trace with the words of a session replay in it stays one")
    func wordsOfSessionReplays() throws {
        let words = #","title":"x","type":0,"timestamp":0,"data":{"source":0}}"# + "\n" + #"{"t":1,"e":"terminate"}"#
        let trace = try Trace(
            TraceInput(bytes: Array((#"{"cachereplay_trace":1"# + words).utf8), path: "a.rrweb.json"))
        #expect(trace.events.count == 1)
    }

    @Test("An unknown format name gets the nearest one and the list")
    func unknownFormat() {
        let error = #expect(throws: UnknownFormat.self) { try TraceFormat.named("oraclegenral") }
        #expect(
            error?.description.contains(
                "Did you mean 'oracleGeneral'? Formats: compiled, jsonl, har, charles, oracleGeneralOpNS, ")
                == true)
        #expect(throws: Never.self) { try TraceFormat.named("HAR") }
    }

    @Test("Noise in any format ends in an error or a trace, never in a crash", arguments: 0..<200)
    func noise(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var bytes = (0..<Int.random(in: 1...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        if seed.isMultiple(of: 2) {
            // Damage to a good file goes deeper than noise.
            let har =
                #"{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":1e9,"#
                + #""request":{"url":"a.png"},"response":{"status":200,"#
                + #""content":{"size":5,"mimeType":"image/png"},"#
                + #""headers":[{"name":"age","value":"\ud83d\ude00"}]},"timings":{"wait":1.5}}]}}"#
            let good = [
                Array(Self.text.utf8.prefix(400)),
                Array(har.utf8),
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
