import Foundation
import Testing

@Suite("cachereplay validate --cache", .namesCommands)
struct ValidateServedTests {
    @Test("The cache that served a session agrees with it in every request, another one in fewer")
    func agreement() throws {
        try withTemporaryFolder { folder in
            let trace = try ServedSession.write(to: folder)
            let others = ["memory: lru(20 objects); disk: lru(150 objects)", "kingfisher-8"]
            let run = try Command.succeed(
                ["validate", trace, "--json"] + ([ServedSession.cache] + others).flatMap { ["--cache", $0] })
            let rows = try run.objects()
            try #require(rows.count == 3)
            let compared = try #require(rows[0]["compared"] as? Int)
            #expect(compared > 300)
            #expect(rows[0]["agreeing"] as? Int == compared && rows[0]["unmatched"] as? Int == 0)
            #expect(rows[0]["kappa"] as? Double == 1)
            let matrix = try #require(rows[0]["matrix"] as? [String: [String: Int]])
            for source in ["memory", "disk", "network"] {
                #expect((matrix[source]?[source] ?? 0) > 0, "the session has nothing from \(source)")
            }
            #expect((rows[0]["disagreements"] as? [Any])?.isEmpty == true)
            for row in rows.dropFirst() {
                #expect((row["agreement"] as? Double ?? 1) < 0.99, "\(row)")
                let differences = try #require(row["disagreements"] as? [[String: Any]])
                #expect(differences.count == 10)
                #expect(differences.allSatisfy { !(($0["reason"] as? String) ?? "").isEmpty }, "\(differences)")
            }
        }
    }

    @Test("Sources without a request are counted, and the rest is compared")
    func unmatched() throws {
        try withTemporaryFolder { folder in
            let path = try folder.write(
                """
                {"cachereplay_trace":1}
                {"t":0,"e":"served","key":"a","from":"disk"}
                {"t":0,"e":"appear","key":"a"}
                {"t":500000,"e":"served","key":"a","from":"network"}
                {"t":900000,"e":"served","key":"a","from":"memory"}
                {"t":9000000,"e":"appear","key":"a"}

                """, to: "few.jsonl")
            let run = try Command.succeed("validate", path, "--cache", "memory: lru(1MB)", "--json")
            let row = try #require(try run.objects().first)
            #expect(row["unmatched"] as? Int == 2)
            #expect(row["compared"] as? Int == 1 && row["agreeing"] as? Int == 1 && row["requests"] as? Int == 2)
            #expect((row["matrix"] as? [String: [String: Int]])?["memory"]?["not_recorded"] == 1)
            let text = try Command.run("validate", path, "--cache", "memory: lru(1MB)")
            #expect(text.output.contains("2 served events belong to no request."), "\(text.output)")
        }
    }

    @Test("Recorded costs stand beside those of the cache, also without a recorded source")
    func costs() throws {
        try withTemporaryFolder { folder in
            let path = try folder.write(
                """
                {"cachereplay_trace":1}
                {"e":"object","o":0,"key":"a","bytes":900,"width":100,"height":50}
                {"t":0,"e":"appear","o":0}
                {"t":500000,"e":"cost","o":0,"bytes":40000}
                {"t":9000000,"e":"appear","o":0}

                """, to: "costs.jsonl")
            let cache = "memory: lru(1MB); cost: decoded"
            let row = try #require(
                try Command.succeed("validate", path, "--cache", cache, "--json").objects().first)
            let costs = try #require(row["costs"] as? [String: Any])
            #expect(costs["count"] as? Int == 1 && costs["median_ratio"] as? Double == 2)
            #expect(costs["worst_key"] as? String == "a" && costs["worst_modelled_bytes"] as? Int == 20_000)
            let text = try Command.run("validate", path, "--cache", cache)
            #expect(text.output.contains("The farthest is 2.00 times: a (full), 40,000 B recorded"), "\(text.output)")
        }
    }
}
