import Foundation
import Testing

@Suite("Bad input: the right exit code, and one message that helps", .namesCommands)
struct BadInputTests {
    static let feed = ReplayCommandTests.feed

    @Test(
        "A wrong command line",
        arguments: [
            (["replay", feed, "--cache", "lru(20MB"], 64, "never closed"),
            (["replay", feed, "--cache", "lrv(20MB)"], 64, "did you mean 'lru'"),
            (["replay", feed, "--cache", "lru(20)"], 64, "no unit"),
            (["replay", feed, "--cache", "memory: lru(2MB); conections: 4"], 64, "no rule"),
            (["replay", feed], 64, "Which cache?"),
            (["replay", "--cache", "lru(2MB)"], 64, "Which trace?"),
            (["replay", feed, feed, "--cache", "lru(2MB)"], 64, "Two traces are called"),
            (["replay", feed, "--cache", "lru(2MB)", "--cache", "lru(2MB)"], 64, "Two caches are called"),
            (["replay", feed, "--cache", "lru(2MB)", "--jobs", "0"], 64, "at least 1"),
            (["replay", feed, "--cache", "lru(2MB)", "--timing", "guessed"], 64, "modelled"),
            (["replay", feed, "--cache", "lru(2MB)", "--resume"], 64, "--output"),
            (["simulate", feed, "--policy", "lru"], 64, "--capacity"),
            (["simulate", feed, "--policy", "lru", "--capacity", "20"], 64, "no unit"),
            (["list", "policies", "lruu"], 64, "Did you mean 'lru'"),
            (["trace", "info", "missing.jsonl"], 66, "missing.jsonl"),
            (["replay", "missing.jsonl", "--cache", "lru(2MB)"], 66, "missing.jsonl"),
            (["replay", feed, "--cache", "lru(2MB)", "--config", "missing.yaml"], 66, "missing.yaml"),
            (
                ["replay", feed, "--cache", "lru(2MB)", "--timing", "modelled", "--output", "/dev/null/x"], 73,
                "/dev/null"
            ),
            (["origin", feed, "--port", "70000"], 64, "70000"),
            (["compare", "missing", "missing"], 66, "missing"),
            (["frobnicate"], 64, "frobnicate"),
        ])
    func commandLine(arguments: [String], status: Int32, message: String) throws {
        let run = try Binary.run(arguments)
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
            let run = try Binary.run(
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
            let run = try Binary.run("replay", Self.feed, "--config", try folder.write(content, to: "c.yaml"))
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
            let run = try Binary.run(
                ["replay", Self.feed, "--cache", "kingfisher-8", "--no-charts", "--output", folder.path + "/results"],
                environment: ["OPENSSL_CONF": try folder.write(configuration, to: "openssl.cnf")])
            #expect(run.status == 0, "\(run.errors)")
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
            let run = try Binary.run(
                "replay", file, "--timing", timing, "--cache", "memory: lru(3kB); disk: lru(3kB)", "--cache", "lru(0B)",
                "--cache",
                "memory: lru(0 objects); disk: lru(0B)", "--no-charts", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let summary = rows(try output.text("summary.csv"))
            #expect(summary.map { $0["requests"] } == ["11", "11", "11"])
            #expect(summary.map { $0["memory_hits"] } == ["0", "0", "0"], "the last object is larger than the cache")
            #expect(
                summary.allSatisfy { $0["wrong"] == "0" && $0["coalesced"] == "5" && $0["origin_fetches"] == "6" })
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
            let second = try Binary.run("origin", Self.feed, "--port", String(port))
            #expect(second.status == 74, "\(second.errors)")
            #expect(second.errors.contains("in use"), "\(second.errors)")
        }
    }
}
