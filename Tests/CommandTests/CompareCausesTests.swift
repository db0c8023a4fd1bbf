import Foundation
import Testing

@Suite("Causes in a comparison", .namesCommands)
struct CompareCausesTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-return.jsonl").path

    private func replay(_ cache: String, to output: String, in folder: URL) throws {
        try Command.succeed(
            "replay", Self.trace, "--cache", "mine=\(cache)", "--timing", "modelled", "--no-charts", "--quiet",
            "--requests", "csv", "--output", output, in: folder)
    }

    private struct Report: Decodable {
        struct Change: Decodable {
            struct Misses: Decodable {
                var tier: String, cause: String, baseline: Double, candidate: Double
            }
            struct Waits: Decodable {
                var wait: String, baseline_s: Double, candidate_s: Double
            }
            var trace: String, cache: String, misses: [Misses], waits: [Waits]
        }
        var causes: [Change]
    }

    @Test("a comparison names the causes and waits that grew, as requests.csv counts them")
    func causes() throws {
        try withTemporaryFolder { folder in
            try replay("lru(64MB); disk: lru(200MB)", to: "a", in: folder)
            try replay("lru(16MB); disk: lru(4MB); connections: 2", to: "b", in: folder)
            let sides = try ["a", "b"].map { rows(try folder.text("\($0)/requests.csv")) }

            let compared = try Command.run("compare", "a", "b", "--json", in: folder)
            #expect(compared.status == 1)
            let change = try #require(
                try JSONDecoder().decode(Report.self, from: Data(compared.output.utf8)).causes.first)
            #expect(change.trace == "stress-return" && change.cache == "mine" && !change.misses.isEmpty)
            for miss in change.misses {
                let counts = sides.map { side in side.count { $0["\(miss.tier)_cause"] == miss.cause } }
                #expect([miss.baseline, miss.candidate] == counts.map(Double.init), "\(miss)")
                #expect(miss.candidate > miss.baseline)
            }
            for wait in change.waits {
                let sums = sides.map { side in
                    side.reduce(0) { $0 + (Double($1["wait_\(wait.wait)_us"] ?? "") ?? 0) / 1e6 }
                }
                #expect(abs(wait.baseline_s - sums[0]) < 2e-6 && abs(wait.candidate_s - sums[1]) < 2e-6, "\(wait)")
            }
            let text = try Command.run("compare", "a", "b", in: folder).output
            #expect(text.contains("stress-return, mine: more misses of memory: +"), "\(text)")
        }
    }
}
