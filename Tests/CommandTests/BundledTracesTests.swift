import Foundation
import Testing

@Suite("Recorded sessions in Traces", .namesCommands)
struct BundledTracesTests {
    static let names = ["feed", "grid", "search", "flicks", "return"].map { "gallery-\($0)" }

    @Test("Each is a whole session of the size that it should have, recorded by the gallery", arguments: names)
    func recorded(name: String) throws {
        let file = "Traces/\(name).jsonl"
        #expect(
            try Binary.root.appendingPathComponent(file).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? .max
                < 1_000_000)
        let run = try Binary.run("trace", "info", "--json", "--quiet", file)
        #expect(run.status == 0, "\(run.errors)")
        let information = try JSONDecoder().decode(Information.self, from: Data(run.output.utf8))
        #expect((500...5_000).contains(information.requests))
        #expect(!information.synthetic && information.recorder.hasPrefix("cachereplay gallery"))
        // Every cell that appeared vanished, at the latest when the page was closed, and every visit ended.
        #expect(information.events["disappear"] == information.requests)
        #expect(information.events["terminate"] == (name == "gallery-return" ? 2 : 1))
        #expect(information.events["scroll", default: 0] > 0 && information.events["fetch", default: 0] > 0)
        #expect(try Binary.root.text("Traces/README.md").contains("`\(name).jsonl`"))
    }

    @Test("Each replays, with an outcome for every request", arguments: names)
    func replays(name: String) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Binary.run(
                "replay", "Traces/\(name).jsonl", "--cache", "memory: lru(50MB); disk: lru(20MB)", "--cache",
                "memory: lru(50MB); disk: none",
                "--timing", "modelled", "--no-charts", "--quiet", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let table = rows(try output.text("summary.csv"))
            #expect(table.count == 2)
            for row in table {
                let outcomes = [
                    "memory_hits", "disk_hits", "origin_fetches", "coalesced", "deferred", "cancelled", "failed",
                ]
                #expect(outcomes.reduce(0) { $0 + (Int(row[$1] ?? "") ?? 0) } == Int(row["requests"] ?? ""))
                #expect(row["wrong"] == "0" && (Int(row["memory_hits"] ?? "") ?? 0) > 0)
            }
        }
    }

    private struct Information: Decodable {
        var requests: Int
        var synthetic: Bool
        var recorder: String
        var events: [String: Int]
    }
}
