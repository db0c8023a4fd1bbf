import Foundation
import Testing

@Suite("Recorded sessions in Traces", .namesCommands)
struct BundledTracesTests {
    static let names = ["feed", "grid", "search", "flicks", "return"].map { "stress-\($0)" }

    @Test("Each is a whole session of the size that it should have, recorded by the gallery", arguments: names)
    func recorded(name: String) throws {
        let information = try Information("Traces/\(name).jsonl")
        #expect((500...5_000).contains(information.requests))
        #expect(information.events["terminate"] == (name == "stress-return" ? 2 : 1))
        #expect(information.events["scroll", default: 0] > 0 && information.events["fetch", default: 0] > 0)
    }

    static let ofPeople = ["feed.jsonl", "grid.jsonl.gz", "search.jsonl"].map { "recorded/\($0)" }

    @Test(
        "Those at the pace of people have eight minutes in two visits, a memory warning, lists and served images",
        arguments: ofPeople)
    func people(name: String) throws {
        let information = try Information("Traces/\(name)")
        #expect(information.events["terminate"] == 2 && information.events["memory_warning"] == 1)
        #expect(information.duration_s >= 480)
        let served = try #require(information.served)
        #expect(served["network", default: 0] > 100 && served["unmatched"] == 0)
        // The feed's list is as long as the person has scrolled; the others begin with all pictures.
        let listed = try #require(information.lists)["positions", default: 0]
        #expect(listed >= (name.hasPrefix("recorded/feed") ? 200 : 1_000))
        // The ranges of people that `trace info` states. Results of a search are too few for them.
        let pace = try #require(information.pace)
        let isShort = name.hasPrefix("recorded/search")
        #expect((isShort ? 10...33 : 13...33).contains(pace.screens_per_minute ?? 0), "\(pace)")
        #expect((isShort ? 0.1...0.49 : 0.14...0.49).contains(pace.moving_share ?? 0), "\(pace)")
    }

    private struct Information: Decodable {
        var requests: Int, synthetic: Bool, recorder: String, events: [String: Int], duration_s: Double
        var served: [String: Int]?, lists: [String: Int]?, pace: Pace?

        /// Reads a file, and expects a whole recording of the gallery.
        init(_ file: String) throws {
            let size = try Binary.root.appendingPathComponent(file).resourceValues(forKeys: [.fileSizeKey]).fileSize
            #expect(size ?? .max < 1_000_000)
            let run = try Command.succeed("trace", "info", "--json", "--quiet", file)
            self = try JSONDecoder().decode(Information.self, from: Data(run.output.utf8))
            #expect(!synthetic && recorder.hasPrefix("cachereplay gallery"))
            // Every cell that appeared vanished, at the latest when the page was closed, and every visit ended.
            #expect(events["disappear"] == requests)
        }
    }

    /// The fields are missing in sessions without scroll events.
    private struct Pace: Decodable {
        var screens_per_minute: Double?, moving_share: Double?
    }
}
