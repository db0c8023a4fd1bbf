import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("Quiet commands print what was asked for, and errors", .namesCommands)
struct QuietTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-feed.jsonl").path

    @Test("replay -q over budget prints the finding that makes it exit with 1, and nothing else to standard error")
    func overBudget() throws {
        try withTemporaryFolder { folder in
            let run = try Command.run(
                "replay", Self.trace, "--cache", "small=lru(1MB)", "--timing", "instant", "--no-charts", "-q", "-o",
                folder.appendingPathComponent("out").path, "--budget", "hit_ratio>=99%", "--budget", "failed<10%%")
            #expect(run.status == 64, "a wrong limit is an error: \(run.errors)")
            let over = try Command.run(
                "replay", Self.trace, "--cache", "small=lru(1MB)", "--timing", "instant", "--no-charts", "-q", "-o",
                folder.appendingPathComponent("out").path, "--budget", "hit_ratio>=99%", "--budget", "wrong<1")
            #expect(over.status == 1)
            #expect(
                over.errors.hasPrefix("OVER BUDGET: stress-feed, small, hit_ratio>=99%: ")
                    && over.errors.split(separator: "\n").count == 1, "\(over.errors)")
            #expect(over.output.hasPrefix("stress-feed · ") && !over.output.contains("CSVs:"), "\(over.output)")
            // The same for a comparison, which prints what fails instead of the table.
            let results = folder.appendingPathComponent("out").path
            let compared = try Command.run("compare", results, "--budget", "hit_ratio>=99%", "-q")
            #expect(compared.status == 1 && compared.output.isEmpty && compared.errors == over.errors)
            let asked = try Command.run("compare", results, "--budget", "hit_ratio>=99%", "-q", "--json")
            #expect(asked.status == 1 && asked.output.hasPrefix("{") && asked.errors.isEmpty)
            let kept = try Command.run("compare", results, "--budget", "hit_ratio>=0%", "-q")
            #expect(kept.status == 0 && kept.output.isEmpty && kept.errors.isEmpty)
        }
    }
}
