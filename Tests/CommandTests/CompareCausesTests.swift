import Foundation
import Testing

@Suite("Causes in a comparison", .namesCommands)
struct CompareCausesTests {
    private static let trace = Binary.root.appendingPathComponent("Traces/stress-return.jsonl").path

    private func replay(
        _ cache: String, to output: String, in folder: URL, timing: String = "modelled", _ options: [String] = []
    ) throws {
        let made = try Binary.run(
            ["replay", Self.trace, "--cache", "mine=\(cache)", "--timing", timing, "--no-charts", "--quiet"]
                + ["--output", output] + options, in: folder)
        #expect(made.status == 0, "\(made.errors)")
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
            try replay("lru(64MB); disk: lru(200MB)", to: "a", in: folder, ["--requests", "csv"])
            try replay("lru(16MB); disk: lru(4MB); connections: 2", to: "b", in: folder, ["--requests", "csv"])
            let sides = try ["a", "b"].map { rows(try folder.text("\($0)/requests.csv")) }

            let compared = try Binary.run("compare", "a", "b", "--json", in: folder)
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
            let text = try Binary.run("compare", "a", "b", in: folder).output
            #expect(text.contains("stress-return, mine: more misses of memory: +"), "\(text)")
        }
    }

    @Test("the causes of the runs are those of requests.csv, which fleets without timelines need")
    func sources() throws {
        try withTemporaryFolder { folder in
            var outputs: [String] = []
            for options in [[], ["--timeline", "none", "--requests", "csv"]] {
                let names = ["a", "b"].map { "\($0)\(options.count)" }
                try replay("lru(64MB); disk: lru(200MB)", to: names[0], in: folder, options)
                try replay("lru(16MB); disk: lru(4MB); connections: 2", to: names[1], in: folder, options)
                outputs.append(try Binary.run(["compare"] + names + ["--as", "markdown"], in: folder).output)
            }
            let causes = outputs.map { output in
                output.split(separator: "\n").filter { $0.contains("do not find their image in memory") }
            }
            #expect(causes[0].count == 1 && causes[0] == causes[1])
        }
    }

    @Test("measured results have causes too")
    func measured() throws {
        try withTemporaryFolder { folder in
            try replay("lru(64MB); disk: lru(200MB)", to: "a", in: folder, timing: "measured")
            try replay("lru(16MB); disk: lru(4MB); connections: 2", to: "b", in: folder, timing: "measured")
            // One measured repeat decides nothing, but has causes.
            let worse = try Binary.run("compare", "a", "b", "--undecided", "fail", in: folder)
            #expect(worse.status == 1 && worse.output.contains("stress-return, mine: more misses of memory: +"))
            let same = try Binary.run("compare", "a", "a", "--undecided", "fail", in: folder)
            #expect(same.status == 0 && !same.output.contains("more misses"), "\(same.output)")
        }
    }

    @Test("without causes, a comparison says how to get them; nothing is said if nothing got worse")
    func hint() throws {
        try withTemporaryFolder { folder in
            try replay("lru(64MB)", to: "a", in: folder, ["--timeline", "none"])
            try replay("lru(16MB)", to: "b", in: folder, ["--timeline", "none"])
            let hint = "Make both results with --timeline 1 or --requests csv to see all causes of what got worse."
            #expect(try Binary.run("compare", "a", "b", in: folder).output.contains(hint))
            #expect(try !Binary.run("compare", "a", "a", in: folder).output.contains(hint))
        }
    }
}
