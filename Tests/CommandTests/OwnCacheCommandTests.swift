import Foundation
import Testing

/// `replay --cache own=PROGRAM`: a program of the user's is the memory of a cache.
@Suite("Programs as caches", .namesCommands)
struct OwnCacheCommandTests {
    private static let trace = "Traces/stress-flicks.jsonl"
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
        CommandTests.rows(try folder.text("results/summary.csv"))
    }

    @Test("The LRU in Python has the figures of the engine's own", .enabled(if: python != nil, "needs Python"))
    func lru() throws {
        try withTemporaryFolder { folder in
            let program = "own: \(try #require(Self.python)) Examples/OwnProgram/lru.py 20000000"
            let made = try replay(
                folder, ["mine=\(program); disk: lru(3MB)", "memory: lru(20000000B); disk: lru(3MB)"])
            #expect(made.status == 0, "\(made.errors)")
            let rows = try rows(folder)
            // A replay does not know these of a program.
            let unknown = [
                "cache", "base_cache", "memory_evictions", "memory_expirations", "image_memory_peak_bytes",
                "cache_faults",
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
            try check(made, [0, 70].contains(made.status.code) ? rows(folder).first : nil)
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
            // Its figures are written, and the exit code says that they are not those of the cache.
            #expect(made.status == 70 && row?["requests"] == "1641", "\(made.errors)")
            #expect(made.errors.contains("the program ended with exit code 3"), "\(made.errors)")
            #expect(Int(row?["cache_faults"] ?? "") ?? 0 > 1_000)
        }
        try run("") { made, row in
            #expect(made.status == 0 && row?["cache_faults"] == "0", "\(made.errors)")
        }
        try run("if count == 50: print('by the way')") { made, row in
            #expect(made.status == 0 && row?["requests"] == "1641", "\(made.errors)")
        }
    }

    /// Answers the greeting, and then runs a script.
    private func program(_ script: String, in folder: URL) throws -> String {
        try folder.writeProgram("#!/bin/sh\nread line; echo ok\n\(script)\n", to: "cache")
    }

    @Test("A cache that dies has an exit code, a sentence also with --quiet, and again with --resume; a gate fails")
    func death() throws {
        try withTemporaryFolder { folder in
            let cache = try program("exit 3", in: folder)
            let arguments = [
                "replay", Self.trace, "--timing", "instant", "--no-charts", "--quiet", "--cache", "own=\(cache)",
                "--output", folder.path + "/results",
            ]
            for more in [[], ["--resume"]] {
                let made = try Binary.run(arguments + more)
                #expect(made.status == 70, "\(made.errors)")
                #expect(
                    made.errors.contains("stress-flicks, own=\(cache), repeat 1: the cache ended before the replay")
                        && made.errors.contains("exit code 3"), "\(made.errors)")
            }
            try Binary.refuse(70, "exit code 3", "explain", Self.trace, "--cache", "own=\(cache)", "--quiet")

            _ = try folder.write("caches:\n  app: lru(20MB)\n", to: "main.yaml")
            _ = try folder.write("caches:\n  app: \"own: \(cache)\"\n", to: "branch.yaml")
            let gate = try Binary.run(
                "gate", "main.yaml", "branch.yaml", Binary.root.path + "/" + Self.trace, "--timing", "instant",
                "--output", "gate", in: folder)
            #expect(gate.status == 70 && gate.errors.contains("app, repeat 1: the cache ended"), "\(gate.errors)")
        }
    }

    @Test(
        "A signal to the command alone ends it and the program, which never answers and ignores signals",
        arguments: [SIGTERM, SIGINT, SIGHUP], ["replay", "explain"])
    func signals(number: Int32, command: String) throws {
        try withTemporaryFolder { folder in
            // The program and its descendants hold the pipe open until they end.
            let pipe = folder.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let cache = try program(
                "exec 9>\(pipe); trap '' TERM INT HUP; sleep 100000 & echo x >&9; exec sleep 100000", in: folder)
            let arguments =
                switch command {
                case "replay":
                    ["replay", Self.trace, "--timing", "modelled", "--output", folder.path + "/o", "--cache"]
                default: ["explain", Self.trace, "--cache"]
                }
            let process = try Binary.start(arguments + ["own=\(cache)"], output: .nullDevice, errors: .nullDevice)
            // If the command ends before the program begins, the pipe has no writer, and opening it would not return.
            process.terminationHandler = { _ in
                let end = open(pipe, O_WRONLY | O_NONBLOCK)
                if end >= 0 { close(end) }
            }
            let program = try #require(FileHandle(forReadingAtPath: pipe))
            #expect(try program.read(upToCount: 2) == Data("x\n".utf8))
            kill(process.processIdentifier, number)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 128 + number)
            #expect(try program.readToEnd() ?? Data() == Data(), "the program has ended")
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
            try Binary.refuse(64, "needs --timing modelled", "replay", Self.trace, "--cache", "own=/bin/cat")
            let both = try replay(folder, ["own: /bin/cat; memory: lru(1MB)"])
            #expect(both.status == 64 && both.errors.contains("leave one of them out"), "\(both.errors)")
        }
    }
}
