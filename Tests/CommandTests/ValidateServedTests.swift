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
}
