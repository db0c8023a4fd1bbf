import Foundation
import Testing

@Suite("Bad input: the right exit code, and one message that helps", .namesCommands)
struct BadInputTests {
    static let feed = ReplayCommandTests.feed

    /// Command lines that are refused before any work, each with the exit code and a part of the message. The golden
    /// outputs have others.
    static let commandLines: [(line: String, status: Int32, message: String)] = [
        (#"replay FEED --cache "lru(20MB""#, 64, "never closed"),
        ("replay FEED --cache lru(20)", 64, "no unit"),
        ("replay FEED", 64, "Which cache?"),
        ("replay --cache lru(2MB)", 64, "Which trace?"),
        ("replay FEED FEED --cache lru(2MB)", 64, "Two traces are called"),
        ("replay FEED --cache lru(2MB) --cache lru(2MB)", 64, "Two caches are called"),
        ("replay none/*.jsonl --cache lru(2MB)", 66, "none/*.jsonl"),
        ("replay @none.txt --cache lru(2MB)", 66, "none.txt"),
        ("replay FEED --cache lru(2MB) --jobs 0", 64, "at least 1"),
        ("replay FEED --cache lru(2MB) --repeat 1000000000000 --output /dev/null/x", 64, "--repeat"),
        ("replay FEED --cache lru(2MB) --timing guessed", 64, "modelled"),
        ("replay FEED --cache lru(2MB) --resume", 64, "--output"),
        ("replay FEED --cache lru(2MB) --config missing.yaml", 66, "missing.yaml"),
        ("replay FEED --cache lru(2MB) --timing modelled --output /dev/null/x", 73, "/dev/null"),
        // Costs, events and networks.
        ("replay FEED --cache lru(2MB) --timing measured --costs costs.yaml", 64, "--costs needs --timing modelled"),
        ("replay FEED --cache lru(2MB) --timing instant --costs costs.yaml", 64, "--costs needs --timing modelled"),
        ("replay FEED --cache lru(2MB) --timing modelled --costs no.yaml", 66, "no.yaml: no such file"),
        ("replay GRID --cache lru(2MB) --events", 64, "--timing modelled"),
        ("replay GRID --cache lru(2MB) --events --timing modelled --isolate always", 64, "--isolate"),
        ("replay GRID --memory-warning-at 60", 64, "--memory-warning-at: '60' has no unit"),
        (#"replay GRID --memory-warning-at "every 0s""#, 64, "--memory-warning-at 'every 0s': an interval is above 0"),
        ("explain GRID --cache lru(1MB) --background-at 60s", 64, "'60s': expected a time and a length"),
        ("advise GRID --relaunch-at=-5s", 64, "--relaunch-at: '-5s' is not a duration"),
        ("replay FEED --cache lru(2MB) --timing modelled --network no.yaml", 66, "no.yaml"),
        ("replay FEED --cache lru(2MB) --timing modelled --network lte --network 5g", 64, "5g"),
        ("replay FEED --cache lru(2MB) --timing instant --network lte", 64, "nothing takes time"),
        ("explain FEED --cache lru(2MB) --timing instant --network lte", 64, "nothing takes time"),
        (
            "replay FEED --cache lru(2MB) --timing modelled --network auto --network shared", 64,
            "--network auto and --network shared can be the same network"
        ),
        ("explain FEED --cache lru(2MB) --network lte --network 3g", 64, "run the command once for each network"),
        ("advise FEED --for kingfisher-8 --network lte --network 3g", 64, "run the command once for each network"),
        // Advice.
        ("advise --for nuke-13", 64, "Which traces?"),
        (#"advise GRID --for nuke-13 --device "iPhone 7" --app-limit 1GB"#, 64, "leave out --app-limit"),
        (#"advise GRID --for nuke-13 --device "iFone 7""#, 64, "did you mean 'iPhone 7'?"),
        ("advise GRID --for nuke-13 --app-baseline 1GB", 64, "give --app-limit"),
        (
            "advise GRID --for nuke-13 --app-limit 1GB --app-baseline 1GB", 64,
            "what the app holds without the cache"
        ),
        ("advise GRID --for nuke-13 --app-limit 5%", 64, "such as 64MB"),
        ("advise GRID --for nuke-13 --memory 5%", 64, "such as 64MB"),
        ("advise GRID --for nuke-13 --memory 1KB", 64, "the largest image"),
        ("advise GRID --for none --memory 64MB", 64, "no limit that could be set"),
        ("advise GRID --for nuke-13,nuke-13 --memory 64MB", 64, "names nuke-13 twice"),
        ("advise GRID --for nuke-13 --memory 64MB --time-limit 0s", 64, "--time-limit is above 0"),
        ("advise GRID --for nuke-13 --memory 64MB --objective speed", 64, "'blank', 'bytes' or 'memory'"),
        ("advise GRID --for nuke-13 --memory 64MB --vary speed", 64, "expected connections, order"),
        ("advise GRID --for nuke-13 --memory 64MB --relevance-threshold much", 64, "points from 0 to 100"),
        ("advise GRID --sessions-per-day 5", 64, "needs --data-per-day"),
        ("advise GRID --force", 64, "--force needs --output"),
        // Verdicts.
        ("gate CACHES none.yaml GRID", 66, "none.yaml: no such file"),
        ("gate CACHES CACHES", 64, "Which trace?"),
        ("gate CACHES CACHES GRID --max-repeats 0", 64, "--max-repeats is from 1 to 1000"),
        ("gate CACHES CACHES GRID --strictness budgets", 64, "there is no limit"),
        ("gate CACHES CACHES GRID --timing instant --network lte", 64, "--network"),
        ("compare missing missing", 66, "missing"),
        ("validate FEED --cache kingfischer-8", 64, "kingfisher-8"),
        ("validate FEED --cache kingfisher-8", 65, "has no 'served' events"),
        ("validate FEED --network auto", 64, "--network, --timing and --top need --cache"),
        ("validate FEED --at-least 95%", 64, "--cache"),
        ("validate RECORDING RECORDING --predict RECORDING", 64, "--predict"),
        ("validate RECORDING --link-factor 2", 64, "--predict"),
        ("validate RECORDING --predict RECORDING --link-factor 0", 64, "--link-factor"),
        ("validate RECORDING --predict no.jsonl", 66, "no.jsonl"),
        // Simulations.
        ("simulate FEED", 64, "--curve"),
        ("simulate FEED --policy lru", 64, "--capacity auto"),
        ("simulate FEED --policy lru --capacity 1MB --sample 2", 64, "0.01 or 1%"),
        ("simulate FEED --policy lru(1MB) --sample 0.1", 64, "cannot be part of the policy"),
        ("simulate FEED --curve --resume", 64, "--output"),
        ("simulate FEED --curve --sample 0.0000001", 64, "larger --sample"),
        ("simulate FEED --curve --jobs 0", 64, "at least 1"),
        ("simulate FEED --policy lru --capacity 4MB..1MB", 64, "write the smaller one first"),
        ("simulate FEED --policy lru --capacity 0B..1MB", 64, "does not rise from a value above 0"),
        ("simulate FEED --policy lru --capacity 1MB..5%", 64, "has two units"),
        ("simulate FEED --policy lru --capacity 1MB..2MB..3MB", 64, "is not a range such as 1MB..64MB"),
        (#"simulate FEED --policy lru --capacity "1..5 objects""#, 64, "'1' has no unit"),
        ("simulate FEED --every 2 --policy lru(1B)", 64, "--every needs --output"),
        ("simulate FEED --every 2 --curve --output /dev/null/x", 64, "--every needs --policy"),
        ("simulate FEED --every 10% --policy lru(1B) --output /dev/null/x", 64, "or a time such as 1h"),
        ("simulate FEED --hits --policy lru(1B)", 64, "--hits needs --output"),
        ("simulate FEED --hits --curve --output /dev/null/x", 64, "--hits needs --policy"),
        ("simulate FEED --policy lru --capacity 10% --salts 3", 64, "--salts needs --sample"),
        ("simulate FEED --policy lru --capacity 10% --salts 1 --sample 10%", 64, "must be from 2 to 1000"),
        ("simulate FEED --policy lru --capacity 10% --salts 3 --sample 100%", 64, "leave --salts out"),
        ("simulate FEED --bounds", 64, "give --capacity"),
        ("simulate FEED --bounds --capacity 5B --sample 50%", 64, "leave --sample out"),
        ("simulate FEED --bounds --capacity 5B --stream", 64, "leave --stream out"),
        // Other commands.
        ("explain GRID", 64, "Which cache?"),
        ("explain missing.jsonl --cache lru(2MB)", 66, "missing.jsonl"),
        ("calibrate FEED --standard", 64, "leave out the traces and --output"),
        ("list policies lruu", 64, "Did you mean 'lru'"),
        ("trace info missing.jsonl", 66, "missing.jsonl"),
        ("origin FEED --port 70000", 64, "70000"),
        ("play FEED --cache lru --cache fifo --cache arc --cache slru --cache sieve", 64, "up to 4 caches"),
        ("play FEED --cache a=lru(1MB) --cache a=lru(2MB)", 64, "Two caches are called 'a'"),
        ("play FEED --port 70000", 64, "70000"),
        ("play FEED --expose", 64, "--expose needs --host"),
    ]

    @Test("A wrong command line", arguments: commandLines)
    func commandLine(line: String, status: Int32, message: String) throws {
        let places = [
            "FEED": Self.feed, "GRID": "Traces/stress-grid.jsonl", "CACHES": "Tests/Goldens/Inputs/caches.yaml",
            "RECORDING": "Tests/ReplayEngineTests/Recordings/fast-6.jsonl",
        ]
        let run = try Command.run(ReadmeTests.split(line).map { places[$0] ?? $0 })
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty, "half a result: \(run.output)")
    }

    static let header = "{\"cachereplay_trace\":1}\n"

    @Test(
        "A broken trace",
        arguments: [
            ("", "empty"),
            ("not a trace at all, in no format\n\u{1}\u{2}", "format"),
            ("{\"log\":", "bad.trace"),
            ("{\"nothing\":1}", "bad.trace"),
            (header + "{\"t\":5,\"e\":\"appear\",\"key\":\"a\"}\n{\"t\":4,\"e\":\"appear\",\"key\":\"a\"}\n", ":3"),
            (header + "{\"t\":5,\"e\":\"apear\",\"key\":\"a\"}\n", "appear"),
            (header, "nothing to replay"),
        ])
    func brokenTrace(content: String, message: String) throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(content, to: "bad.trace")
            let output = folder.appendingPathComponent("results")
            let run = try Command.run(
                "replay", file, "--cache", "lru(2MB)", "--timing", "modelled", "--output", output.path)
            #expect(run.status == 65, "\(run.errors)")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.output.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: output.path), "nothing half-written")
        }
    }

    /// Files that the command rejects, each with a part of the message.
    static let configurations: [(content: String, message: String)] = [
        ("caches: {a: {memry: none}}", ":1: cache a has no key 'memry'; did you mean 'memory'?"),
        ("traces: [x]\ncaches:\n  a:\n    memory: lru(3)\n", ":4:"),
        (
            "caches:\n  a:\n    memory: none\n    pipeline: {conections: 1}\n",
            ":4: pipeline has no key 'conections'; did you mean 'connections'?"
        ),
        ("caches: [1, 2]", "expected 'key: value' lines"),
        ("caches: {a: {disk: none}}", "needs 'memory:'"),
        ("cashes: {}", "did you mean 'caches'?"),
        ("caches: {a: none}\ninject: {relaunches-at: 90s}", ":2: inject has no key 'relaunches-at'; did you mean"),
        ("{{{{", "not YAML"),
        ("", "empty"),
        (
            "caches: {a: {memory: none, disk: {policy: unbounded, layout: floppy}}}",
            "layout is one of md5-fanout, md5, "
        ),
        ("caches: {a: {memory: none, disk: {layout: sqlite}}}", "disk needs 'policy:'"),
        ("caches: {a: {memory: none, ram: 4GB}}", "ram is for presets"),
        ("caches: {a: {memory: none, screen: 1x1}}", "screen is for presets"),
        ("caches: {a: {preset: glide, memoryClass: 64}}", "memoryClass is a size such as 256MiB"),
        ("caches: {a: {preset: glide, screens: 1x1}}", "did you mean 'screen'?"),
        (
            "caches:\n  a:\n    preset: nuke-11\n",
            ":3: there is no preset 'nuke-11'; the presets of nuke are: nuke-12, nuke-13"
        ),
        (
            "caches: {a: {preset: nuke-13, memory: {costs: none}}}",
            "memory has no key 'costs'; did you mean 'cost'?"
        ),
        ("caches: {a: {preset: nuke-13, memory: {cost: nothing}}}", "cost is one of held, encoded, decoded"),
        (
            "caches: {a: {memory: lru(1MB), connections: 4}}",
            "connections belongs under 'pipeline:' of cache a"
        ),
        ("caches: {a: {memory: {policy: none, layout: md5}}}", "layout belongs under 'disk:', not under 'memory:'"),
        ("caches: {a: {memory: none, pipeline: {connections: many}}}", "connections is a whole number"),
        ("caches: {a: {memory: none, pipeline: {retryDelay: 4}}}", "retryDelay is a duration"),
        (
            "caches: {a: {memory: {policy: lru(1MB), memoryRevalidate: conditional}}}",
            "memoryRevalidate: conditional needs lifetimes that HTTP headers state"
        ),
    ]

    @Test("A YAML file with a mistake says which line", arguments: configurations)
    func config(content: String, message: String) throws {
        try withTemporaryFolder { folder in
            let run = try Command.run("replay", Self.feed, "--config", try folder.write(content, to: "c.yaml"))
            #expect(run.status == 65, "\(run.errors)")
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }

    @Test("A configuration of OpenSSL without any algorithm changes nothing")
    func emptyOpenSSL() throws {
        try withTemporaryFolder { folder in
            let configuration = """
                openssl_conf = init
                [init]
                providers = providers
                [providers]
                null = null_provider
                [null_provider]
                activate = 1

                """
            try Binary.succeed(
                ["replay", Self.feed, "--cache", "kingfisher-8", "--no-charts", "--output", folder.path + "/results"],
                environment: ["OPENSSL_CONF": try folder.write(configuration, to: "openssl.cnf")])
        }
    }

    @Test(
        "Keys of 8 KB, with line breaks, with emoji; objects larger than the cache; a capacity of nothing",
        arguments: ["measured", "modelled"])
    func oddKeys(timing: String) throws {
        try withTemporaryFolder { folder in
            var trace = Self.header
            for (index, key) in [
                String(repeating: "k", count: 8_192), "a\\nb\\u0000", "\u{1F4F7}/\u{E9}.jpg", "\\\"quoted\\\"", " ",
            ].enumerated() {
                trace +=
                    """
                    {"t":\(index),"e":"fetch","key":"\(key)","status":200,"bytes":\(1_000 * (index + 1))}\n
                    """
                for _ in 0..<2 { trace += "{\"t\":\(index),\"e\":\"appear\",\"key\":\"\(key)\"}\n" }
            }
            trace += "{\"t\":9000000,\"e\":\"appear\",\"key\":\" \"}\n"
            let file = try folder.write(trace, to: "odd.jsonl")
            let output = folder.appendingPathComponent("results")
            try Command.succeed(
                "replay", file, "--timing", timing, "--cache", "memory: lru(3kB); disk: lru(3kB)", "--cache", "lru(0B)",
                "--cache", "memory: lru(0 objects); disk: lru(0B)", "--no-charts", "--output", output.path)
            let summary = rows(try output.text("summary.csv"))
            #expect(summary.map { $0["requests"] } == ["11", "11", "11"])
            #expect(summary.map { $0["memory_hits"] } == ["0", "0", "0"], "the last object is larger than the cache")
            #expect(summary.allSatisfy { $0["wrong"] == "0" && $0["coalesced"] == "5" && $0["origin_fetches"] == "6" })
        }
    }

    #if os(Linux)
    @Test(
        "The origin or a run is killed: one message that names it, exit 74, what was finished is kept",
        arguments: ["origin", "replay-run"])
    func killedChild(command: String) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let errors = folder.appendingPathComponent("errors")
            _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
            let process = try Binary.start(
                ["replay", Self.feed, "--cache", "lru(2MB)", "--repeat", "3", "--no-charts", "--output", output.path],
                output: .nullDevice, errors: try FileHandle(forWritingTo: errors))
            let first = output.appendingPathComponent("summary.csv").path
            #expect(eventually(while: process) { FileManager.default.fileExists(atPath: first) })
            let parent = process.processIdentifier
            #expect(eventually(while: process) { killChild(of: parent, running: command) })
            process.waitUntilExit()
            let text = try folder.text("errors")
            #expect(process.terminationStatus == 74, "\(text)")
            #expect(text.contains("photo-feed") && text.contains("--resume"), "\(text)")
            #expect(text.split(separator: "\n").count == 1, "\(text)")
            #expect((1...2).contains(rows(try output.text("summary.csv")).count))
        }
    }

    /// Returns whether there was such a process.
    private func killChild(of parent: pid_t, running command: String) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(pid_t.init) ?? []
        let child = processes.first { id in
            func file(_ name: String) -> String {
                String(decoding: FileManager.default.contents(atPath: "/proc/\(id)/\(name)") ?? Data(), as: UTF8.self)
            }
            return file("status").contains("\nPPid:\t\(parent)\n")
                && file("cmdline").split(separator: "\0").dropFirst().first == command[...]
        }
        return child.map { kill($0, SIGKILL) == 0 } ?? false
    }
    #endif

    @Test("A port in use")
    func portInUse() throws {
        try withTemporaryFolder { folder in
            let lines = Pipe()
            let first = try Binary.start(
                ["origin", Self.feed, "--port", "0"], output: lines.fileHandleForWriting, errors: .nullDevice)
            defer {
                first.terminate()
                first.waitUntilExit()
            }
            let line = String(decoding: lines.fileHandleForReading.availableData, as: UTF8.self)
            let port = try #require(line.split(separator: "/ serves").first?.split(separator: ":").last)
            let second = try Command.run("origin", Self.feed, "--port", String(port))
            #expect(second.status == 74, "\(second.errors)")
            #expect(second.errors.contains("in use"), "\(second.errors)")
        }
    }
}
