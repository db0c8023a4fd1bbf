import Foundation
import Testing

/// The two examples in `Examples`, built and run as their users do.
@Suite("Policies of one's own in the command", .namesCommands)
struct OwnPolicyCommandTests {
    static let example = "Examples/OwnPolicy"
    private static let trace = "Traces/stress-flicks.jsonl"
    /// Of 1,641 requests, with room for 2 MB: both examples are the same algorithm.
    private static let misses = 785
    static let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs the system's C compiler.
    static func compile(_ arguments: [String], in folder: URL = Binary.root) throws -> Int32 {
        try Binary.execute(try #require(compiler), arguments, in: folder).status.code
    }

    /// Builds a plugin.
    static func compile(_ source: String, to library: String, _ options: [String] = []) throws {
        let arguments = ["-O1", "-shared", "-fPIC", "-I", "Sources/C/CPolicyPlugin", "-o", library, source]
        try #require(try compile(arguments + options) == 0)
    }

    /// The miss ratios that `simulate` prints, by policy.
    private func misses(_ json: String) throws -> [String: Int] {
        struct Row: Decodable {
            var policy: String
            var misses: Int
        }
        let rows = try JSONDecoder().decode([Row].self, from: Data(json.utf8))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.policy, $0.misses) })
    }

    @Test("A policy in C simulates and replays beside the others", .enabled(if: compiler != nil))
    func plugin() throws {
        try withTemporaryFolder { folder in
            let library = folder.appendingPathComponent("second_chance.so").path
            try Self.compile("Examples/Plugin/second_chance.c", to: library)
            let simulated = try Binary.succeed(
                "simulate", Self.trace, "--plugin", library, "--policy", "fifo,second-chance", "--capacity", "2MB",
                "--cost", "encoded", "--json")
            let misses = try misses(simulated.output)
            #expect(misses["second-chance"] == Self.misses)
            let output = folder.appendingPathComponent("results").path
            try Binary.succeed(
                "replay", Self.trace, "--plugin", library, "--cache", "second-chance(2MB); holds: encoded", "--timing",
                "instant", "--no-charts", "--json", "--output", output)
            let row = try #require(rows(try folder.text("results/summary.csv")).first)
            let requests = try #require(row["requests"].flatMap { Int($0) })
            let hits = try #require(row["memory_hits"].flatMap { Int($0) })
            #expect(requests - hits == misses["second-chance"])
            #expect(try Binary.run("list", "policies", "--plugin", library, "second-chance").output.contains(library))
        }
    }

    /// Builds the example with another body of a function.
    private func changedExample(_ original: String, _ changed: String, in folder: URL) throws -> String {
        let example = try Binary.root.text("Examples/Plugin/second_chance.c")
        let source = "#include <stdio.h>\n" + example.replacingOccurrences(of: original, with: changed)
        try #require(example.contains(original))
        let library = folder.appendingPathComponent("changed.so").path
        try Self.compile(try folder.write(source, to: "changed.c"), to: library)
        return library
    }

    private static let lookup = "    object *found = &((policy *)self)->objects[access->object];\n"

    @Test(
        "A plugin that ends the process of a run is reported with the run and a remedy", .enabled(if: compiler != nil))
    func endsProcess() throws {
        try withTemporaryFolder { folder in
            let library = try changedExample(Self.lookup, "    exit(0);\n" + Self.lookup, in: folder)
            let outcome = try Binary.run(
                "replay", Self.trace, "--plugin", library, "--cache", "second-chance(2MB)", "--timing", "modelled",
                "--no-charts", "--output", folder.appendingPathComponent("results").path)
            #expect(outcome.status == 74)
            #expect(
                outcome.errors.contains(
                    "stress-flicks, second-chance(2MB), repeat 1: its process ended without a result"),
                "\(outcome.errors)")
        }
    }

    @Test("A second interruption ends a simulation whose plugin does not return", .enabled(if: compiler != nil))
    func endlessPlugin() throws {
        try withTemporaryFolder { folder in
            // A file says that the function has been called.
            let marker = folder.appendingPathComponent("begun").path
            let endless = """
                    FILE *marker = fopen("\(marker)", "w");
                    if (marker) fclose(marker);
                    for (volatile int turn = 0;;) turn++;

                """
            let library = try changedExample(Self.lookup, endless + Self.lookup, in: folder)
            let output = try #require(FileHandle(forWritingAtPath: "/dev/null"))
            let process = try Binary.start(
                ["simulate", Self.trace, "--plugin", library, "--policy", "second-chance", "--capacity", "2MB"],
                output: output, errors: output)
            defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            try #require(eventually(while: process) { FileManager.default.fileExists(atPath: marker) })
            let hasEnded = eventually {
                process.interrupt()
                usleep(100_000)
                return !process.isRunning
            }
            try #require(hasEnded, "simulate still runs after many interruptions")
            #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        }
    }

    @Test("A policy in C that contradicts itself gives no figures, but an error", .enabled(if: compiler != nil))
    func misbehaviour() throws {
        try withTemporaryFolder { folder in
            let library = try changedExample("evict(context, victim);", ";", in: folder)
            let output = folder.appendingPathComponent("results").path
            for arguments in [
                ["simulate", Self.trace, "--plugin", library, "--policy", "second-chance", "--capacity", "2MB"],
                [
                    "replay", Self.trace, "--plugin", library, "--cache", "second-chance(2MB)", "--timing", "modelled",
                    "--no-charts", "--output", output,
                ],
            ] {
                let outcome = try Binary.run(arguments)
                #expect(outcome.status == 65)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains("'second-chance' "), "\(outcome.errors)")
            }
            let requests = folder.appendingPathComponent("zipf.oracleGeneral.bin").path
            #expect(
                try Binary.run(
                    "trace", "synthesize", "--requests", "2000", "--set", "objects=50", "--output", requests
                ).status == 0)
            let streamed = try Binary.run(
                "simulate", requests, "--plugin", library, "--policy", "second-chance", "--capacity", "9 objects",
                "--ignore-size", "--stream")
            #expect(streamed.status == 65)
            #expect(streamed.output.isEmpty)
            let text = try folder.write("no library", to: "policy.so")
            #expect(try Binary.run("simulate", Self.trace, "--plugin", text, "--policy", "lru(1MB)").status == 65)
            #expect(
                try Binary.run("simulate", Self.trace, "--plugin", "absent.so", "--policy", "lru(1MB)").status == 66)
            // Twice the same name.
            let twice = try Binary.run("list", "policies", "--plugin", library, "--plugin", library)
            #expect(twice.status == 64)
        }
    }

    /// `scripts/test` builds it beside the test bundle.
    private static let program = URL(fileURLWithPath: Binary.path).deletingLastPathComponent()
        .appendingPathComponent("own-policy")

    @Test(
        "A package with a policy of its own has the whole command, and the same figures as the policy in C",
        .enabled("scripts/test builds Examples/OwnPolicy") {
            FileManager.default.isExecutableFile(atPath: program.path)
        })
    func package() throws {
        let example = Self.example
        let lines = try String(
            contentsOf: Binary.root.appendingPathComponent("\(example)/Sources/own-policy/main.swift"), encoding: .utf8
        )
        .split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(lines <= 50)
        let run = try Binary.execute(
            Self.program.path,
            ["simulate", Self.trace, "--policy", "fifo,second-chance,lru", "--capacity", "2MB", "--cost", "encoded"]
                + ["--json"])
        #expect(run.status == 0, "\(run.errors)")
        let misses = try misses(run.output)
        #expect(misses.count == 3)
        #expect(misses["second-chance"] == Self.misses)
    }
}
