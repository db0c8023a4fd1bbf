import Foundation
import Testing

@Suite("--memory-warning-at, --background-at and --relaunch-at", .namesCommands)
struct InjectedEventsCommandTests {
    /// 91 seconds, in which cells disappear.
    private static let grid = "Traces/stress-grid.jsonl"
    private static let events = "memory warning at 30s; background at 45s for 20s; relaunch at 1min"
    private static let options = [
        "--memory-warning-at", "30s", "--background-at", "45s:20s", "--relaunch-at", "60s",
    ]

    /// Replays through a cache with memory only.
    private func replay(_ options: [String], into folder: URL) throws -> Binary.Outcome {
        try Binary.run(
            [
                "replay", Self.grid, "--cache", "lru(8MB)", "--timing", "modelled", "--output", folder.path,
            ] + options)
    }

    @Test("A replay names the events in its table, its notes and all files; the results do not depend on processes")
    func replay() throws {
        try withTemporaryFolder { folder in
            let (plain, output) = (folder.appendingPathComponent("plain"), folder.appendingPathComponent("injected"))
            let run = try replay(Self.options, into: output)
            #expect(run.status == 0, "\(run.errors)")
            let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("link · injected: \(Self.events)"), "\(run.output)")
            #expect(words.contains("which were injected: \(Self.events)."))
            for file in ["summary.csv", "run.json", "runs.jsonl", "report.html"] {
                #expect(try output.text(file).contains(Self.events), "\(file)")
            }
            #expect(try replay(["--no-charts"], into: plain).status == 0)
            let (row, before) = (
                try #require(rows(try output.text("summary.csv")).first),
                try #require(rows(try plain.text("summary.csv")).first)
            )
            #expect(row["injected"] == Self.events && before["injected"] == "")
            func figure(_ name: String, _ row: [String: String]) throws -> Double {
                try #require(row[name].flatMap(Double.init))
            }
            #expect(abs(try figure("trace_s", row) - figure("trace_s", before) - 20) < 1e-6)
            // The cells that are visible at 60 s appear again.
            #expect(try figure("requests", row) == figure("requests", before) + 24)
            let isolated = folder.appendingPathComponent("isolated")
            #expect(try replay(Self.options + ["--isolate", "always", "--no-charts"], into: isolated).status == 0)
            #expect(try isolated.text("summary.csv") == output.text("summary.csv"))

            let compared = try Binary.run("compare", plain.path, output.path)
            #expect(compared.status == 65)
            #expect(compared.errors.contains("the injected events differ: none before, \(Self.events) now"))
            let resumed = try replay(["--resume", "--no-charts"], into: output)
            #expect(resumed.status == 0)
            #expect(
                resumed.errors.contains(
                    """
                    1 run is repeated, because the injected events (--memory-warning-at, --background-at, \
                    --relaunch-at) changed
                    """), "\(resumed.errors)")
            #expect(try output.text("summary.csv") == plain.text("summary.csv"))
        }
    }

    @Test("A measured run has the events too")
    func measured() throws {
        try withTemporaryFolder { folder in
            let run = try Binary.run(
                "replay", Self.grid, "--cache", "lru(8MB)", "--background-at", "45s:20s", "--no-charts", "--output",
                folder.path)
            #expect(run.status == 0, "\(run.errors)")
            let row = try #require(rows(try folder.text("summary.csv")).first)
            #expect(row["injected"] == "background at 45s for 20s" && row["trace_s"] == "111.160423")
        }
    }

    @Test("explain and advise name the events, in text and in JSON")
    func explainAndAdvise() throws {
        let commands = [
            ["explain", Self.grid, "--cache", "lru(8MB)"],
            ["advise", Self.grid, "--memory", "64MB", "--for", "nuke-13"],
        ]
        for command in commands {
            let text = try Binary.run(command + Self.options)
            #expect(text.status == 0, "\(text.errors)")
            let words = text.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("which were injected: \(Self.events)."), "\(command[0])")
            let json = try Binary.run(command + Self.options + ["--json"])
            #expect(json.output.contains("\"injected\"") && json.output.contains("\"\(Self.events)\""), "\(command[0])")
        }
    }

    @Test("The YAML file of --config names events, and options add to them")
    func config() throws {
        try withTemporaryFolder { folder in
            let yaml = """
                traces: \(Self.grid)
                caches: {small: lru(2MB)}
                inject:
                  memory-warning-at: [every 30s, 5s]
                  background-at: 45s:20s

                """
            let file = try folder.write(yaml, to: "config.yaml")
            let output = folder.appendingPathComponent("results")
            func replay(_ file: String, _ options: String...) throws -> Binary.Outcome {
                try Binary.run(
                    ["replay", "--config", file, "--timing", "modelled", "--no-charts", "--output", output.path]
                        + options)
            }
            let run = try replay(file, "--relaunch-at", "60s")
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                rows(try output.text("summary.csv")).first?["injected"]
                    == "memory warning at 5s; memory warning every 30s; background at 45s for 20s; relaunch at 1min")
            for (line, message) in [
                ("memory-warnings-at: 5s", ":4: inject has no key 'memory-warnings-at'; did you mean"),
                ("memory-warning-at: [every 0s]", ":4: memory-warning-at 'every 0s': an interval is above 0"),
                ("relaunch-at: {}", ":4: expected an event as text"),
            ] {
                let broken = try folder.write(
                    yaml.replacing("memory-warning-at: [every 30s, 5s]", with: line), to: "broken.yaml")
                let outcome = try replay(broken)
                #expect(outcome.status == 65 && outcome.errors.contains(message), "\(outcome.errors)")
            }
            let overlapping = try replay(file, "--background-at", "45s:10s")
            #expect(overlapping.status == 64 && overlapping.errors.contains("overlaps"), "\(overlapping.errors)")
        }
    }

    @Test("An event after the end of one of several traces is an error that names this trace, in each command")
    func late() throws {
        try withTemporaryFolder { folder in
            let sessions = folder.appendingPathComponent("sessions")
            try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
            for name in ["stress-flicks", "stress-grid"] {
                try FileManager.default.copyItem(
                    at: Binary.root.appendingPathComponent("Traces/\(name).jsonl"),
                    to: sessions.appendingPathComponent("\(name).jsonl"))
            }
            let commands = [
                ["replay", "--timing", "modelled", "--cache", "lru(2MB)", "--output", folder.path + "/results"],
                ["explain", "--cache", "lru(2MB)"],
                ["advise", "--for", "nuke-13", "--memory", "64MB"],
            ]
            for command in commands {
                // Also of a folder, whose broken traces are skipped.
                let run = try Binary.run(command + [sessions.path, "--relaunch-at", "80s"])
                #expect(run.status == 64, "\(command[0]): \(run.errors)")
                #expect(
                    run.errors.contains(
                        """
                        stress-flicks.jsonl: relaunch at 80s: the trace ends after 64.7 s; give an earlier time, or \
                        leave the trace out.
                        """), "\(command[0]): \(run.errors)")
            }
        }
    }

    @Test(
        "A text that states no event is wrong usage",
        arguments: [
            (["--memory-warning-at", "60"], "--memory-warning-at: '60' has no unit"),
            (["--memory-warning-at", "every 0s"], "--memory-warning-at 'every 0s': an interval is above 0"),
            (["--background-at", "60s"], "--background-at '60s': expected a time and a length"),
            (["--relaunch-at=-5s"], "--relaunch-at: '-5s' is not a duration"),
        ])
    func malformed(options: [String], message: String) throws {
        for command in [["replay"], ["explain", "--cache", "lru(1MB)"], ["advise"]] {
            let run = try Binary.run(command + [Self.grid] + options)
            #expect(run.status == 64 && run.errors.contains(message), "\(command[0]): \(run.errors)")
        }
    }
}
