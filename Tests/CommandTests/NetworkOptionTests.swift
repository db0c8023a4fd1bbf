import Foundation
import Testing

@testable import CacheReplayCommand

@Suite("Networks of --network, and prefetches on them", .namesCommands)
struct NetworkOptionTests {
    private func replay(_ options: [String], into folder: URL) throws -> Binary.Outcome {
        try Command.run(
            [
                "replay", "Traces/photo-feed.jsonl", "--timing", "modelled", "--no-charts", "--output", folder.path,
                "--cache", "none=nuke-13; prefetch: none", "--cache", "ahead=nuke-13; prefetch: next(12)",
            ] + options)
    }

    @Test("A profile replaces the recorded times, and its name is in the results")
    func profile() throws {
        try withTemporaryFolder { folder in
            let outcome = try replay(["--network", "3g"], into: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let rows = try rows(folder.text("summary.csv"))
            #expect(rows.allSatisfy { $0["network"] == "3g" })
            let blank = rows.compactMap { $0["blank_s"].flatMap(Double.init) }
            #expect(blank[1] < blank[0])
            let avoided = try #require(rows[1]["prefetch_blank_avoided_s"].flatMap(Double.init))
            #expect(abs(blank[0] - blank[1] - avoided) < 0.001)
            #expect(rows[0]["prefetch_blank_avoided_s"] == "")
            #expect(outcome.output.contains("The session does not record the order of its list"))
        }
    }

    @Test("A file describes a network; results have its name and the start of its checksum")
    func file() throws {
        try withTemporaryFolder { folder in
            let network = try folder.write(
                "bandwidth: 4Mbps\nfirst_byte: 140ms\nconnect: 200ms\noutages: [10s..15s, 40s..41s]\n", to: "train.yaml"
            )
            let results = folder.appendingPathComponent("results")
            let outcome = try replay(["--network", network], into: results)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let row = try #require(try rows(results.text("summary.csv")).first)
            #expect(row["network"]?.hasPrefix("train#") == true)
            #expect(Int(row["failed"] ?? "").map { $0 > 0 } == true)
        }
    }

    @Test("A file of rates or of packets is a measured link, by itself or in a file that describes a network")
    func link() throws {
        try withTemporaryFolder { folder in
            let rates = try folder.write("start_ms,mbit_s\n0,8\n100,0\n200,4\n", to: "train.csv")
            // Five packets of 1,500 bytes in 15 ms: 4 Mbit/s.
            let packets = try folder.write("3\n6\n9\n12\n15\n", to: "metro.down")
            let both = try folder.write("link: train.csv\nfirst_byte: 140ms\n", to: "slow.yaml")
            let windows = try folder.write("start_ms,mbit_s\r\n0,8\r\n100,0\r\n200,4\r\n", to: "windows.csv")
            func network(_ path: String, _ name: String) throws -> String {
                let results = folder.appendingPathComponent(name)
                let outcome = try replay(["--network", path, "--force"], into: results)
                #expect(outcome.status == 0, "\(outcome.errors)")
                return try #require(try rows(results.text("summary.csv")).first?["network"])
            }
            for (name, path) in [("train#", rates), ("metro#", packets), ("windows#", windows)] {
                #expect(try network(path, name).hasPrefix(name))
            }
            // Another link is another network, although the file that names it stays.
            let before = try network(both, "slow#")
            _ = try folder.write("start_ms,mbit_s\n0,8\n100,1\n200,4\n", to: "train.csv")
            let after = try network(both, "slow#")
            #expect(before.hasPrefix("slow#") && after.hasPrefix("slow#") && before != after)
        }
    }

    @Test(
        "A file that has no link, or describes no network, is refused, with the line",
        arguments: [
            ("a.csv", "", "empty; expected 'start_ms,mbit_s'"),
            ("a.csv", "time,rate\n0,1\n", ":1: expected the columns start_ms and mbit_s"),
            ("a.csv", "start_ms,mbit_s\n0,1\n", ":2: expected at least two rows"),
            ("a.csv", "start_ms,mbit_s\n0,1\n100,-2\n", ":3: expected a time and a rate from 0"),
            (
                "a.csv", "start_ms,mbit_s\n0,1\n100,2\n300,2\n",
                ":4: expected start_ms 200.000, because intervals are equal"
            ),
            ("a.csv", "start_ms,mbit_s\n1,1\n100,2\n", ":2: expected at least two rows, the first of which"),
            ("a.csv", "start_ms,mbit_s\n0,1\n0.0000004,2\n", ":3: expected a second row that begins at 0.000001 ms"),
            ("a.csv", "start_ms,mbit_s\n0,0\n100,0\n", "the link never delivers anything"),
            ("a.down", "1\n2\nx\n", ":3: expected a millisecond"),
            ("a.down", "5\n4\n", ":2: expected a millisecond"),
            ("a.down", "0\n", ":1: expected a last millisecond above 0"),
            ("a.yaml", "bandwith: 4Mbps\n", ":1: a network has no key 'bandwith'; did you mean 'bandwidth'?"),
            ("a.yaml", "bandwidth: 4Mbps\n", "'first_byte' is missing"),
            ("a.yaml", "bandwidth: fast\nfirst_byte: 1ms\n", ":1: bandwidth: expected a rate"),
            ("a.yaml", "bandwidth: 4Mbps\nfirst_byte: soon\n", ":2: first_byte: expected a time"),
            ("a.yaml", "bandwidth: 1Mbps\nfirst_byte: 1ms\nmetered: perhaps\n", ":3: metered is true or false"),
            ("a.yaml", "bandwidth: 1Mbps\nfirst_byte: 1ms\noutages: [9s..5s]\n", ":3: outages: expected an interval"),
            (
                "a.yaml", "bandwidth: 1Mbps\nfirst_byte: 1ms\noutages: [1s..5s, 4s..6s]\n",
                ":3: outages: expected an interval"
            ),
            ("a.yaml", "link: a.csv\nbandwidth: 1Mbps\nfirst_byte: 1ms\n", ":1: a measured link has its own rates"),
            ("a.yaml", "- 4Mbps\n", "expected 'key: value' lines"), ("a.yaml", "", "empty"),
        ])
    func refused(name: String, content: String, message: String) throws {
        try withTemporaryFolder { folder in
            let network = try folder.write(content, to: name)
            let outcome = try replay(["--network", network], into: folder.appendingPathComponent("results"))
            #expect(outcome.status == 65, "\(outcome.output)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
    }

    @Test("A link with too many intervals is refused with their number, before they are read")
    func manyIntervals() throws {
        try LinkFile.check(intervals: 16_777_215, "a.csv")
        do {
            try LinkFile.check(intervals: 16_777_216, "a.csv")
            Issue.record("expected an error")
        } catch {
            #expect("\(error)".contains("a.csv: 16777216 intervals; a link has at most 16777215."), "\(error)")
        }
    }
}
