import Foundation
import Testing

@Suite("--resume after a change of the inputs", .namesCommands)
struct ResumeTests {
    /// Builds the example plugin; `behaviour` is the value that a hit stores: 1 for second chance, 0 for FIFO.
    private func build(_ library: String, behaviour: Int, in folder: URL) throws {
        let example = try Binary.root.text("Examples/Plugin/second_chance.c")
        let changed = example.replacingOccurrences(of: "found->was_used = 1", with: "found->was_used = \(behaviour)")
        #expect(behaviour == 1 || changed != example)
        let source = try folder.write(changed, to: "plugin.c")
        try OwnPolicyCommandTests.compile(source, to: library)
    }

    /// The commands that resume, with the file of their figures and the columns that do not depend on the machine.
    private static let resuming: [(command: [String], policy: String, file: String, figures: [String])] = [
        (
            ["simulate", "Traces/stress-flicks.jsonl", "--capacity", "2MB", "--cost", "encoded"], "--policy",
            "miss_ratio.csv", ["trace", "policy", "misses", "miss_bytes"]
        ),
        (
            ["replay", "Traces/stress-flicks.jsonl", "--timing", "modelled"], "--cache", "summary.csv",
            ["trace", "cache", "memory_hits", "origin_bytes"]
        ),
    ]

    /// Returns the figures of a results folder, sorted.
    private func figures(_ folder: URL, _ file: String, _ columns: [String]) throws -> [[String]] {
        let csv = try folder.text(file)
        return rows(csv).map { row in columns.map { row[$0] ?? "missing" } }.sorted { $0.joined() < $1.joined() }
    }

    @Test(
        "rows of a plugin that behaves differently after a rebuild are new, also if a command between did not load it",
        .enabled(if: OwnPolicyCommandTests.compiler != nil), arguments: [false, true])
    func changedBehaviour(between: Bool) throws {
        try withTemporaryFolder { folder in
            let library = folder.appendingPathComponent("second_chance.so").path
            for (command, option, file, columns) in Self.resuming {
                let spec = option == "--cache" ? "second-chance(40MB)" : "second-chance"
                func run(_ output: URL, _ more: [String]) throws -> Binary.Outcome {
                    try Binary.succeed(command + more + ["--no-charts", "--output", output.path])
                }
                let (output, fresh) = (
                    folder.appendingPathComponent(command[0]), folder.appendingPathComponent("fresh-\(command[0])")
                )
                try build(library, behaviour: 1, in: folder)
                _ = try run(output, [option, spec, "--plugin", library])
                let old = try figures(output, file, columns)
                if between {
                    _ = try run(output, [option, option == "--cache" ? "lru(2MB)" : "lru", "--resume"])
                    #expect(try figures(output, file, columns).count == 2)
                }
                try build(library, behaviour: 0, in: folder)
                let resumed = try run(output, [option, spec, "--plugin", library, "--resume"])
                #expect(
                    resumed.errors.contains("because the plugin of the policy second-chance changed"),
                    "\(resumed.errors)")
                _ = try run(fresh, [option, spec, "--plugin", library])
                let new = try figures(fresh, file, columns)
                #expect(new != old && new.count == 1, "\(command)")
                #expect(try figures(output, file, columns) == new)
            }
        }
    }

    @Test("a plugin that is rebuilt while a replay runs ends it with an error, and --resume repeats its runs")
    func rebuiltDuringReplay() throws {
        guard OwnPolicyCommandTests.compiler != nil else { return }
        try withTemporaryFolder { folder in
            let library = folder.appendingPathComponent("second_chance.so").path
            try build(library, behaviour: 1, in: folder)
            let output = folder.appendingPathComponent("out")
            let arguments = [
                "replay", ReplayCommandTests.feed, "--cache", "second-chance(2MB)", "--timing", "modelled", "--repeat",
                "400", "--jobs", "1", "--no-charts", "--output", output.path, "--plugin", library,
            ]
            let errors = folder.appendingPathComponent("errors")
            _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
            let process = try Binary.start(arguments, output: .nullDevice, errors: try FileHandle(forWritingTo: errors))
            let summary = output.appendingPathComponent("summary.csv")
            #expect(eventually(while: process) { (try? Data(contentsOf: summary).count) ?? 0 >= 1_500 })
            // The file is replaced at once, so that every run finds one.
            try build(library + ".new", behaviour: 0, in: folder)
            #expect(rename(library + ".new", library) == 0)
            process.waitUntilExit()
            #expect(process.terminationStatus == 65)
            let message = try folder.text("errors")
            #expect(message.contains("changed during the replay; replay again with --resume"), "\(message.prefix(500))")
            let kept = try figures(output, "summary.csv", ["memory_hits"])
            #expect(Set(kept).count == 1)
        }
    }

    @Test("rows of a trace that changed are not reused, also if a command between did not name it")
    func changedTrace() throws {
        try withTemporaryFolder { folder in
            let trace = folder.appendingPathComponent("changing.jsonl").path
            func record(_ keys: [String]) throws {
                let events = keys.enumerated().map { "{\"t\":\($0),\"e\":\"appear\",\"key\":\"\($1)\"}\n" }.joined()
                _ = try folder.write("{\"cachereplay_trace\":1}\n" + events, to: "changing.jsonl")
            }
            let grid = "Traces/stress-grid.jsonl"
            for between in [false, true] {
                try record(["a", "b", "a", "b"])
                let replay = folder.appendingPathComponent("replay-\(between)")
                let options = ["--cache", "lru(2MB)", "--timing", "modelled", "--no-charts", "--output", replay.path]
                #expect(try Command.run(["replay", trace, grid] + options).status == 0)
                if between { #expect(try Command.run(["replay", grid] + options + ["--resume"]).status == 0) }
                let simulation = folder.appendingPathComponent("simulate-\(between)")
                let policy = [
                    "--policy", "lru", "--capacity", "1 objects", "--ignore-size", "--no-charts", "--output",
                    simulation.path,
                ]
                #expect(try Command.run(["simulate", trace, grid] + policy).status == 0)
                if between { #expect(try Command.run(["simulate", grid] + policy + ["--resume"]).status == 0) }
                try record(["a", "a", "a", "a", "a"])

                let replayed = try Command.succeed(["replay", trace, grid] + options + ["--resume"])
                #expect(
                    replayed.errors
                        == "cachereplay: 1 run is repeated, because the content of the trace changing changed\n")
                let row = rows(try replay.text("summary.csv")).first { $0["trace"] == "changing" }
                #expect(row?["requests"] == "5")
                let simulated = try Command.run(["simulate", trace, grid] + policy + ["--resume"])
                #expect(simulated.status == 73, "\(simulated.errors)")
                #expect(simulated.errors.contains("another changing: the file's content has changed"))
            }
        }
    }

    @Test("runs with other kept bodies are repeated, and a message says so")
    func changedBodies() throws {
        try withTemporaryFolder { folder in
            let body = Data(repeating: 7, count: 1_000)
            // sha256 of 1,000 bytes of value 7, computed by the test so that the index is right.
            let hash = try Self.sha256(body, in: folder)
            let bodies = folder.appendingPathComponent("bodies")
            let place = try bodies.makeFolder("\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))")
            try body.write(to: place.appendingPathComponent(hash))
            let entry = "{\"key\":\"k\",\"sha256\":\"\(hash)\",\"bytes\":1000,\"type\":\"image/jpeg\"}\n"
            _ = try bodies.write(entry, to: "index.jsonl")
            let trace = try folder.write(
                """
                {"cachereplay_trace":1}
                {"t":0,"e":"fetch","key":"k","status":200,"bytes":1000}
                {"t":0,"e":"appear","key":"k"}

                """, to: "one.jsonl")
            let arguments = [
                "replay", trace, "--cache", "lru(1MB)", "--bodies", bodies.path, "--no-charts", "--output",
                folder.appendingPathComponent("results").path,
            ]
            try Command.succeed(arguments)
            let same = try Command.run(arguments + ["--resume"])
            #expect(same.status == 0 && same.errors.isEmpty, "\(same.errors)")
            _ = try bodies.write(entry + entry.replacingOccurrences(of: "\"k\"", with: "\"other\""), to: "index.jsonl")
            let changed = try Command.succeed(arguments + ["--resume"])
            #expect(changed.errors == "cachereplay: 1 run is repeated, because the kept bodies (--bodies) changed\n")
        }
    }

    /// Returns the SHA-256 of data, by the system's `sha256sum`.
    static func sha256(_ data: Data, in folder: URL) throws -> String {
        let file = folder.appendingPathComponent("body")
        try data.write(to: file)
        let sum = "sha256sum \"$0\" || shasum -a 256 \"$0\""
        return String(
            try #require(Binary.execute("/bin/sh", ["-c", sum, file.path]).output.split(separator: " ").first))
    }
}
