import Foundation
import Testing

/// `replay --cache own=PROGRAM`: a program of the user's is the memory of a cache.
@Suite("Programs as caches")
struct OwnCacheCommandTests {
    private static let trace = "Traces/gallery-flicks.jsonl"
    static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func replay(_ folder: URL, _ caches: [String], trace: String = Self.trace) throws -> Binary.Outcome {
        try Binary.run(
            ["replay", trace, "--timing", "modelled", "--no-charts", "--output", folder.path + "/results"]
                + caches.flatMap { ["--cache", $0] })
    }

    /// The rows of summary.csv, by column.
    private func rows(_ folder: URL) throws -> [[String: String]] {
        let lines = try String(contentsOfFile: folder.path + "/results/summary.csv", encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
    }

    @Test("The LRU in Python has the figures of the engine's own", .enabled(if: python != nil, "needs Python"))
    func lru() throws {
        try withTemporaryFolder { folder in
            let program = "own: \(try #require(Self.python)) Sources/Examples/OwnProgram/lru.py 20000000"
            let made = try replay(
                folder, ["mine=\(program); disk: lru(3MB)", "memory: lru(20000000B); disk: lru(3MB)"])
            #expect(made.status == 0, "\(made.errors)")
            let rows = try rows(folder)
            // A replay does not know these of a program.
            let unknown = [
                "cache", "base_cache", "memory_evictions", "memory_expirations", "image_memory_peak_bytes",
            ]
            for (column, value) in try #require(rows.last) where !unknown.contains(column) {
                #expect(rows[0][column] == value, "\(column)")
            }
            #expect(rows[0]["memory_evictions"] == "" && rows[0]["memory_peak_bytes"] == rows[1]["memory_peak_bytes"])
        }
    }

    /// A program that answers in Python; `body` handles `call` and `fields`.
    private func run(_ body: String, _ check: (Binary.Outcome, [String: String]?) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let source = """
                import os, sys, time
                count = 0
                for line in sys.stdin:
                    count += 1
                    call, *fields = line.rstrip("\\n").split("\\t")
                    answer = "miss" if call == "get" else "ok"
                    \(body.replacingOccurrences(of: "\n", with: "\n    "))
                    print(answer, flush=True)
                """
            let file = folder.appendingPathComponent("cache.py")
            try Data(source.utf8).write(to: file)
            let made = try replay(folder, ["own=\(try #require(Self.python)) \(file.path)"])
            try check(made, made.status == 0 ? rows(folder).first : nil)
        }
    }

    @Test("Defects of programs are named, counted and survived", .enabled(if: python != nil, "needs Python"))
    func defects() throws {
        try run("if call == 'get': answer = 'hit\\t1'") { made, row in
            #expect(made.status == 0 && Int(row?["wrong"] ?? "") ?? 0 > 1_000, "\(made.errors)")
            #expect((made.output + made.errors).contains("returned the image of another key"), "\(made.output)")
        }
        try run("if call == 'get': answer = 'perhaps'") { made, row in
            #expect(made.status == 0 && row?["memory_hits"] == "0" && row?["wrong"] == "0", "\(made.errors)")
            #expect(
                (made.output + made.errors).contains("gave an answer that the protocol does not have"), "\(made.output)"
            )
        }
        try run("if count == 100: os._exit(3)") { made, row in
            #expect(made.status == 0 && row?["requests"] == "1641", "\(made.errors)")
            #expect((made.output + made.errors).contains("the program ended with exit code 3"), "\(made.output)")
        }
        try run("if count == 50: print('by the way')") { made, row in
            #expect(made.status == 0 && row?["requests"] == "1641", "\(made.errors)")
        }
    }

    @Test("What is no program of the protocol ends the replay before it begins")
    func noProgram() throws {
        try withTemporaryFolder { folder in
            let missing = try replay(folder, ["own=./no-such-cache"])
            #expect(
                missing.status != 0 && missing.errors.contains("did not answer the first line"), "\(missing.errors)")
            let echo = try replay(folder, ["own=/bin/cat"])
            #expect(echo.status != 0 && echo.errors.contains("expected is \"ok\""), "\(echo.errors)")
            let measured = try Binary.run("replay", Self.trace, "--cache", "own=/bin/cat")
            #expect(measured.status == 64 && measured.errors.contains("needs --timing modelled"), "\(measured.errors)")
            let both = try replay(folder, ["own: /bin/cat; memory: lru(1MB)"])
            #expect(both.status == 64 && both.errors.contains("leave one of them out"), "\(both.errors)")
        }
    }
}
