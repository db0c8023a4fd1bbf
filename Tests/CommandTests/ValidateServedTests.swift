import Foundation
import Testing

@Suite("cachereplay validate --cache", .namesCommands)
struct ValidateServedTests {
    private static func rows(_ run: Binary.Outcome) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    }

    @Test("The cache that served a session agrees with it in every request, another one in fewer")
    func agreement() throws {
        try withTemporaryFolder { folder in
            let trace = try ServedSession.write(to: folder)
            let others = ["memory: lru(20 objects); disk: lru(150 objects)", "kingfisher-8"]
            let run = try Binary.run(
                ["validate", trace, "--json"] + ([ServedSession.cache] + others).flatMap { ["--cache", $0] })
            #expect(run.status == 0, "\(run.errors)")
            let rows = try Self.rows(run)
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

    @Test("The text has matrix, agreement and reasons; --at-least decides the exit code")
    func text() throws {
        try withTemporaryFolder { folder in
            let trace = try ServedSession.write(to: folder)
            let exact = try Binary.run("validate", trace, "--cache", ServedSession.cache, "--at-least", "100%")
            #expect(exact.status == 0, "\(exact)")
            #expect(exact.output.contains("agree: 100.0%, 95 % interval 9") && exact.output.contains("kappa 1.00"))
            let smaller = "memory: lru(20 objects); disk: lru(150 objects)"
            let run = try Binary.run("validate", trace, "--cache", smaller, "--at-least", "0.99", "--top", "3")
            #expect(run.status == 1)
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first == "served: memory: lru(20 objects); disk: lru(150 objects)")
            #expect(lines.contains { $0.hasPrefix("predicted ↓ observed →  memory  disk  network  not recorded") })
            #expect(try lines.count { try /^ +\d+ +\d+\.\d{3} s  full/.prefixMatch(in: $0) != nil } == 3)
            #expect(lines.contains { $0.contains(" disk       memory    not in memory: ") }, "\(run.output)")
            #expect(lines.contains { $0.hasPrefix("and ") && $0.hasSuffix(" more.") })
            #expect(try Binary.run("validate", trace, "--cache", smaller).status == 0)
        }
    }

    @Test("A session without sources, options without --cache, and several networks have an error with the remedy")
    func errors() throws {
        let plain = try Binary.run("validate", "Traces/photo-feed.jsonl", "--cache", "kingfisher-8")
        #expect(plain.status == 65)
        #expect(plain.errors.contains("has no 'served' events") && plain.errors.contains("served(_:variant:from:)"))
        for options in [
            ["--at-least", "95%"], ["--top", "3"], ["--network", "auto"], ["--network", "lte"],
            ["--cache", "lru", "--at-least", "195%"], ["--cache", "lru", "--timing", "instant", "--network", "lte"],
        ] {
            let run = try Binary.run(["validate", "Traces/photo-feed.jsonl"] + options)
            #expect(run.status == 64, "\(run)")
        }
        let alone = try Binary.run("validate", "Traces/photo-feed.jsonl", "--network", "auto")
        #expect(alone.errors.contains("--network, --timing and --top need --cache"), "\(alone.errors)")
        let several = try Binary.run(
            "validate", "Traces/photo-feed.jsonl", "--cache", "kingfisher-8", "--network", "3g", "--network", "lte")
        #expect(several.status == 64)
        #expect(several.errors.contains("--network is given 2 times; run the command once for each network."))
        let unknown = try Binary.run("validate", "Traces/photo-feed.jsonl", "--cache", "kingfischer-8")
        #expect(unknown.status == 64 && unknown.errors.contains("kingfisher-8"), "\(unknown)")
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
            let run = try Binary.run("validate", path, "--cache", "memory: lru(1MB)", "--json")
            #expect(run.status == 0, "\(run.errors)")
            let row = try #require(try Self.rows(run).first)
            #expect(row["unmatched"] as? Int == 2)
            #expect(row["compared"] as? Int == 1 && row["agreeing"] as? Int == 1 && row["requests"] as? Int == 2)
            #expect((row["matrix"] as? [String: [String: Int]])?["memory"]?["not_recorded"] == 1)
            let text = try Binary.run("validate", path, "--cache", "memory: lru(1MB)")
            #expect(text.output.contains("2 served events belong to no request."), "\(text.output)")
        }
    }
}
