import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("Quiet commands print what was asked for, and errors", .namesCommands)
struct QuietTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path

    @Test("replay -q over budget prints the finding that makes it exit with 1, and nothing else to standard error")
    func overBudget() throws {
        try withTemporaryFolder { folder in
            let run = try Binary.run(
                "replay", Self.trace, "--cache", "small=lru(1MB)", "--timing", "instant", "--no-charts", "-q", "-o",
                folder.appendingPathComponent("out").path, "--budget", "hit_ratio>=99%", "--budget", "failed<10%%")
            #expect(run.status == 64, "a wrong limit is an error: \(run.errors)")
            let over = try Binary.run(
                "replay", Self.trace, "--cache", "small=lru(1MB)", "--timing", "instant", "--no-charts", "-q", "-o",
                folder.appendingPathComponent("out").path, "--budget", "hit_ratio>=99%", "--budget", "wrong<1")
            #expect(over.status == 1)
            #expect(
                over.errors.hasPrefix("OVER BUDGET: stress-feed, small, hit_ratio>=99%: ")
                    && over.errors.split(separator: "\n").count == 1, "\(over.errors)")
            #expect(over.output.hasPrefix("stress-feed · ") && !over.output.contains("CSVs:"), "\(over.output)")
            // The same for a comparison, which prints what fails instead of the table.
            let results = folder.appendingPathComponent("out").path
            let compared = try Binary.run("compare", results, "--budget", "hit_ratio>=99%", "-q")
            #expect(compared.status == 1 && compared.output.isEmpty && compared.errors == over.errors)
            let asked = try Binary.run("compare", results, "--budget", "hit_ratio>=99%", "-q", "--json")
            #expect(asked.status == 1 && asked.output.hasPrefix("{") && asked.errors.isEmpty)
            let kept = try Binary.run("compare", results, "--budget", "hit_ratio>=0%", "-q")
            #expect(kept.status == 0 && kept.output.isEmpty && kept.errors.isEmpty)
        }
    }

    @Test("warnings of a trace are not printed by quiet commands")
    func warnings() throws {
        try withTemporaryFolder { folder in
            // Sizes are missing, which is a note.
            let trace = try folder.write("a\nb\na\n", to: "keys.trc")
            let command = ["simulate", trace, "--format", "lirs", "--policy", "lru", "--capacity", "1 objects"]
            let loud = try Binary.run(command)
            let quiet = try Binary.run(command + ["-q"])
            #expect(loud.status == quiet.status.code, "\(loud.errors)")
            #expect(quiet.status != 0 || quiet.errors.isEmpty, "\(quiet.errors)")
            let info = try Binary.run("trace", "info", Self.trace)
            #expect(info.errors.contains("warning: "))
            let short = try Binary.run("trace", "info", Self.trace, "-q")
            #expect(short.status == 0 && short.errors.isEmpty && short.output == info.output)
        }
    }
}
