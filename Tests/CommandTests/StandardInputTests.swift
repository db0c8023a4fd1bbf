import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("The path - is standard input", .namesCommands)
struct StandardInputTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path

    private func piped(_ arguments: String, in folder: URL) throws -> Binary.Outcome {
        try Binary.execute(
            "/bin/sh", ["-c", "cat '\(Self.trace)' | '\(Binary.path)' \(arguments)"], in: folder,
            environment: ["TMPDIR": folder.path])
    }

    @Test("a pipe is replayed, simulated and described like the file, and leaves no copy")
    func commands() throws {
        try withTemporaryFolder { folder in
            let replayed = try piped("replay - --cache 'lru(64MB)' --timing modelled --no-charts -q -o out", in: folder)
            #expect(replayed.status == 0, "\(replayed.errors)")
            try Binary.succeed(
                "replay", Self.trace, "--cache", "lru(64MB)", "--timing", "modelled", "--no-charts", "-q", "-o",
                "named", in: folder)
            #expect(
                try folder.text("out/summary.csv").replacing("stdin,", with: "stress-feed,")
                    == folder.text("named/summary.csv"))
            let simulated = try piped("simulate - --policy lru --capacity 8MB -q", in: folder)
            #expect(simulated.status == 0 && simulated.output.contains("\nstdin  lru "), "\(simulated.errors)")
            let described = try piped("trace info - -q", in: folder)
            #expect(described.output == (try Binary.run("trace", "info", Self.trace, "-q")).output)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(left).isSubset(of: ["out", "named", "out.txt", "err"]), "\(left)")
        }
    }

    @Test("an empty standard input is an empty trace")
    func empty() throws {
        try Binary.refuse(65, "-: the file is empty", "explain", "-", "--cache", "lru(1MB)")
    }
}

@Suite("Sources that are not traces", .namesCommands)
struct TraceSourceHintTests {
    @Test("a folder of pictures names the command that records a session with them")
    func pictures() throws {
        try withTemporaryFolder { folder in
            for name in ["a.jpg", "b.PNG", ".hidden"] { _ = try folder.write("x", to: name) }
            let failure = #expect(throws: CommandFailure.self) { try TraceSources([folder.path], format: nil) }
            #expect(failure?.status == .badData)
            #expect(failure?.description.contains("cachereplay record gallery \(folder.path)") == true)
            // A folder that also has a session is one of sessions.
            _ = try folder.write("{}", to: "c.jsonl")
            #expect(try TraceSources([folder.path], format: nil).files.count == 3)
        }
    }

    @Test("a cache in the place of a trace gets a hint at the comma")
    func cache() {
        let failure = #expect(throws: CommandFailure.self) { try TraceSources(["glide"], format: nil) }
        #expect(failure?.status == .noInput)
        #expect(failure?.description.contains("--for nuke-13,glide") == true)
        // Another missing file is reported when it is read.
        #expect(throws: Never.self) { try TraceSources(["missing.jsonl"], format: nil) }
    }

    @Test(
        "a range with a dash gets a hint at two points",
        arguments: [("memory=8MB-64MB", "8MB..64MB"), ("connections=2-6", "2..6"), ("lifetime=1h-4h", "1h..4h")])
    func range(option: String, expected: String) {
        let failure = #expect(throws: CommandFailure.self) { try SweepOption(option) }
        #expect(failure?.description.contains("a range is written \(expected)") == true)
    }

    @Test("the values of a sweep are in the order of their sizes, words in the order given")
    func order() throws {
        #expect(try SweepOption("memory=128MB,256MB,unlimited,32MB").values == ["32MB", "128MB", "256MB", "unlimited"])
        #expect(try SweepOption("policy=sieve,lru,fifo").values == ["sieve", "lru", "fifo"])
        #expect(try SweepOption("lifetime=7d,never,1h").values == ["1h", "7d", "never"])
    }
}

@Suite("Work that input can make grow has a limit", .namesCommands)
struct InputLimitTests {
    private static let names = ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-b"]

    @Test(
        "a pattern of users that tries every way to divide a name ends with an error",
        arguments: ["^(a+)+$", "(a|aa)+$", "(.*)*x(.*)*y"])
    func patterns(pattern: String) throws {
        let users = try UserPattern(pattern)
        for name in Self.names {
            let failure = #expect(throws: CommandFailure.self) { try users.user(in: name) }
            #expect(failure?.status == .usage)
            #expect(failure?.description.contains("takes too many steps") == true)
        }
        #expect(try UserPattern("^([^-]+)-").user(in: Self.names[0]).count == 64)
    }

    @Test("a YAML text, file or list of caches above its limit is refused, with its line")
    func yaml() throws {
        try withTemporaryFolder { folder in
            func failure(_ text: String) throws -> CommandFailure? {
                let file = try folder.write(text, to: "config.yaml")
                return #expect(throws: CommandFailure.self) { try ConfigFile(contentsOf: file) }
            }
            let long = String(repeating: "x", count: 100_000)
            let spec = try failure("caches:\n  a: \(long)\n")
            #expect(
                spec?.description.contains("config.yaml:2: cache a: a specification has at most 16384 bytes") == true)
            #expect((spec?.description.utf8.count ?? 0) < 400)
            let trace = try failure("traces: [\(long)]\n")
            #expect(trace?.description.contains("a trace has at most 65536 bytes, and this text has 100000") == true)
            let caches = (0...5_000).map { "  c\($0): lru(1MB)\n" }.joined()
            #expect(
                try failure("caches:\n" + caches)?.description.contains("5001 caches; a replay has at most 5000")
                    == true)
            let sparse = folder.appendingPathComponent("sparse.yaml").path
            _ = FileManager.default.createFile(atPath: sparse, contents: nil)
            #expect(truncate(sparse, off_t(YAMLFile.largest + 1)) == 0)
            let large = #expect(throws: CommandFailure.self) { try ConfigFile(contentsOf: sparse) }
            #expect(large?.description.contains("at most 64 MiB") == true)
        }
    }

    @Test("sweeps whose product is beyond the limit are refused before it is made")
    func product() throws {
        let sweeps = try ["connections=1..64", "connectionsPerHost=1..64", "memory=1MB..512MB"].map {
            try SweepOption($0)
        }
        let caches = [try ReplayCommand.cache("kingfisher-8")]
        let failure = #expect(throws: CommandFailure.self) {
            try SweepOption.caches(caches, sweeping: sweeps, registry: CacheReplay.policies)
        }
        #expect(
            failure?.description.contains("40960 caches; a replay has at most 5000") == true,
            "\(String(describing: failure))")
    }
}
