import Foundation
import Testing

@Suite("--memory-warning-at, --background-at and --relaunch-at", .namesCommands)
struct InjectedEventsCommandTests {
    /// 91 seconds, in which cells disappear.
    private static let grid = "Traces/stress-grid.jsonl"
    private static let events = "memory warning at 30s; background at 45s for 20s; relaunch at 1min"
    private static let options = ["--memory-warning-at", "30s", "--background-at", "45s:20s", "--relaunch-at", "60s"]

    /// Replays through a cache with memory only.
    private func replay(_ options: [String], into folder: URL) throws -> Binary.Outcome {
        try Command.run(
            ["replay", Self.grid, "--cache", "lru(8MB)", "--timing", "modelled", "--output", folder.path] + options)
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

            let resumed = try replay(["--resume", "--no-charts"], into: output)
            #expect(resumed.errors.contains("1 run is repeated, because the injected events"), "\(resumed.errors)")
            #expect(try output.text("summary.csv") == plain.text("summary.csv"))
        }
    }

    @Test("A measured run has the events too")
    func measured() throws {
        try withTemporaryFolder { folder in
            try Command.succeed(
                "replay", Self.grid, "--cache", "lru(8MB)", "--background-at", "45s:20s", "--no-charts", "--output",
                folder.path)
            let row = try #require(rows(try folder.text("summary.csv")).first)
            #expect(row["injected"] == "background at 45s for 20s" && row["trace_s"] == "111.160423")
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
                try Command.run(
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
}
