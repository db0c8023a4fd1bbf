import Foundation
import Testing

@Suite("Recorded sessions in Traces", .namesCommands)
struct BundledTracesTests {
    static let names = ["feed", "grid", "search", "flicks", "return"].map { "stress-\($0)" }

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
        #expect(information.events["terminate"] == (name == "stress-return" ? 2 : 1))
        #expect(information.events["scroll", default: 0] > 0 && information.events["fetch", default: 0] > 0)
        #expect(try Binary.root.text("Traces/README.md").contains("`\(name).jsonl`"))
    }

    static let ofPeople = ["feed.jsonl", "grid.jsonl.gz", "search.jsonl"].map { "recorded/\($0)" }

    @Test(
        "Those at the pace of people have eight minutes in two visits, a memory warning, lists and served images",
        arguments: ofPeople)
    func people(name: String) throws {
        let file = "Traces/\(name)"
        #expect(
            try Binary.root.appendingPathComponent(file).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? .max
                < 1_000_000)
        let run = try Binary.run("trace", "info", "--json", "--quiet", file)
        #expect(run.status == 0, "\(run.errors)")
        let information = try JSONDecoder().decode(Information.self, from: Data(run.output.utf8))
        #expect(!information.synthetic && information.recorder.hasPrefix("cachereplay gallery"))
        #expect(information.events["disappear"] == information.requests)
        #expect(information.events["terminate"] == 2 && information.events["memory_warning"] == 1)
        #expect(information.duration >= 480)
        let served = try #require(information.served)
        #expect(served["network", default: 0] > 100 && served["unmatched"] == 0)
        // The feed's list is as long as the person has scrolled; the others begin with all pictures.
        let listed = try #require(information.lists)["positions", default: 0]
        #expect(listed >= (name.hasPrefix("recorded/feed") ? 200 : 1_000))
        // The ranges of people that `trace info` states. Results of a search are too few for them.
        let pace = try #require(information.pace)
        let isShort = name.hasPrefix("recorded/search")
        #expect((isShort ? 10...33 : 13...33).contains(pace.screens ?? 0), "\(pace)")
        #expect((isShort ? 0.1...0.49 : 0.14...0.49).contains(pace.moving ?? 0), "\(pace)")
        #expect(try Binary.root.text("Traces/README.md").contains("`\(name)`"))
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
        var duration: Double
        var served: [String: Int]?
        var lists: [String: Int]?
        var pace: Pace?

        enum CodingKeys: String, CodingKey {
            case requests, synthetic, recorder, events, served, lists, pace
            case duration = "duration_s"
        }
    }

    /// The fields are missing in sessions without scroll events.
    private struct Pace: Decodable {
        var screens: Double?
        var moving: Double?

        enum CodingKeys: String, CodingKey {
            case screens = "screens_per_minute"
            case moving = "moving_share"
        }
    }
}
