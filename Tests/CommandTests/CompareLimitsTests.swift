import Foundation
import Testing

/// Two images, each requested twice: without memory, both are fetched twice.
@Suite("The keys allow and accept of a file of limits", .namesCommands)
struct CompareLimitsTests {
    private static let session = """
        {"cachereplay_trace": 1, "title": "zero"}
        {"e": "object", "o": 0, "key": "https://example.com/a.jpg", "bytes": 20000, "width": 100, "height": 100}
        {"e": "object", "o": 1, "key": "https://example.com/b.jpg", "bytes": 30000, "width": 100, "height": 100}
        {"t": 0, "e": "appear", "o": 0}
        {"t": 0, "e": "fetch", "o": 0, "status": 200, "ttfb_us": 10000, "transfer_us": 1000}
        {"t": 1000000, "e": "disappear", "o": 0}
        {"t": 2000000, "e": "appear", "o": 1}
        {"t": 2000000, "e": "fetch", "o": 1, "status": 200, "ttfb_us": 10000, "transfer_us": 1000}
        {"t": 3000000, "e": "disappear", "o": 1}
        {"t": 4000000, "e": "appear", "o": 0}
        {"t": 5000000, "e": "disappear", "o": 0}
        {"t": 6000000, "e": "appear", "o": 1}
        {"t": 7000000, "e": "disappear", "o": 1}

        """

    private struct Report: Decodable {
        struct Finding: Decodable {
            var metric: String, verdict: String
        }
        var findings: [Finding]
    }

    private struct Verdicts: Equatable {
        var worse: [String], accepted: [String]
    }

    /// Returns the gated figures that the JSON of a verdict calls worse, and those that it accepts.
    private func verdicts(_ run: Binary.Outcome) throws -> Verdicts {
        let findings = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).findings
        func all(_ verdict: String) -> [String] { findings.filter { $0.verdict == verdict }.map(\.metric).sorted() }
        return Verdicts(worse: all("worse"), accepted: all("accepted"))
    }

    @Test("hold in compare as in gate")
    func asInGate() throws {
        try withTemporaryFolder { folder in
            _ = try folder.write(Self.session, to: "a.jsonl")
            let caches = "caches:\n  app: {memory: \"CACHE\"}\ntraces: [a.jsonl]\nbudgets: [\"hit_ratio>=0%\"]\n"
            _ = try folder.write(caches.replacingOccurrences(of: "CACHE", with: "lru(10MB)"), to: "main.yaml")
            let allow = """
                allow: ["origin_bytes:200%", "hit_ratio:60pt", "memory_hit_ratio:60pt", "byte_hit_ratio:60pt"]

                """
            let accept = """
                accept: [{figure: origin_bytes, cache: app, session: a, value: 100000, reason: "no memory"}]

                """
            for (name, keys) in [("plain", ""), ("allow", allow), ("accept", accept)] {
                _ = try folder.write(caches.replacingOccurrences(of: "CACHE", with: "none") + keys, to: "\(name).yaml")
            }
            for (config, output) in [("main", "r1"), ("plain", "r2")] {
                try Command.succeed(
                    "replay", "--config", "\(config).yaml", "--timing", "modelled", "--output", output, in: folder)
            }
            var results: [String: Verdicts] = [:]
            for name in ["plain", "allow", "accept"] {
                let compared = try Command.run(
                    "compare", "r1", "r2", "--budgets", "\(name).yaml", "--as", "json", in: folder)
                let gated = try Command.run(
                    "gate", "main.yaml", "\(name).yaml", "--output", "gate-\(name)", "--as", "json", in: folder)
                let (one, other) = (try verdicts(compared), try verdicts(gated))
                #expect(one == other, "\(name)")
                #expect(compared.status == gated.status.code)
                results[name] = one
                // The limits of a file of their own hold in a gate too.
                let apart = try Command.run(
                    "gate", "main.yaml", "plain.yaml", "--budgets", "\(name).yaml", "--output", "apart-\(name)", "--as",
                    "json", in: folder)
                #expect(try verdicts(apart) == one, "\(name)")
            }
            #expect(results["plain"]?.worse.contains("origin_bytes") == true)
            #expect(results["plain"]?.worse.contains("hit_ratio") == true)
            #expect(results["allow"]?.worse.contains("origin_bytes") == false)
            #expect(results["allow"]?.worse.contains("hit_ratio") == false)
            #expect(results["accept"]?.accepted == ["origin_bytes"])
        }
    }
}
