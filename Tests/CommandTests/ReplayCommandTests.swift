import CacheReports
import Foundation
import Testing

@Suite("cachereplay replay, the real command", .namesCommands)
struct ReplayCommandTests {
    static let feed = "Traces/photo-feed.jsonl"

    /// Expects the 857 requests of the session in the latencies and in the seconds of each cache.
    private static func checkRequests(of caches: [String], in output: URL) throws {
        let latencies = rows(try output.text("latency.csv"))
        let counts = latencies.compactMap { Int($0["count"] ?? "") }
        #expect(counts.reduce(0, +) == 2 * 857)
        let timeline = rows(try output.text("timeline.csv"))
        for cache in caches {
            let seconds = timeline.filter { $0["cache"] == cache }
            #expect(seconds.first?["second"] == "0" && seconds.last?["second"] == "102")
            let requests = seconds.compactMap { Int($0["requests"] ?? "") }
            #expect(requests.reduce(0, +) == 857)
        }
    }

    @Test("Measured: CSVs, run.json and charts are there, and no row is distrusted")
    func measured() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Command.succeed(
                "replay", Self.feed, "--cache", "memory: lru(2MB); disk: lru(5MB)", "--cache", "fifo(2MB)", "--output",
                output.path)
            #expect(run.errors.isEmpty)
            let summary = rows(try output.text("summary.csv"))
            #expect(summary.map { $0["cache"] } == ["memory: lru(2MB); disk: lru(5MB)", "fifo(2MB)"])
            #expect(summary.allSatisfy { $0["wrong"] == "0" && $0["rss_peak_bytes"] != "" && $0["requests"] == "857" })
            try Self.checkRequests(of: summary.compactMap { $0["cache"] }, in: output)
            #expect(!run.output.contains("do not trust"))
            let description = try output.text("run.json")
            for part in ["sha256", "\"measured+decode\"", "photo-feed", "memory: fifo(2MB); disk: none; cost: held"] {
                #expect(description.contains(part), "\(part)")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: output.path)
            #expect(!left.contains { $0.hasPrefix(".run") }, "scratch folders are removed")
        }
    }

    @Test("--sweep replays each cache with each value, and names the smallest limit that is good enough")
    func sweep() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Command.succeed(
                "replay", Self.feed, "--timing", "modelled", "--cache", "nuke-13", "--cache", "own=lru(9MB)", "--sweep",
                "memory=1MB..4MB,unlimited", "--no-charts", "-o", output.path)
            let found = rows(try output.text("summary.csv"))
            #expect(
                found.map { $0["cache"] }
                    == ["nuke-13", "own"].flatMap { name in
                        ["1MB", "2MB", "4MB", "unlimited"].map { "\(name) memory=\($0)" }
                    })
            #expect(
                found.map { $0["base_cache"] } == Array(repeating: "nuke-13", count: 4)
                    + Array(repeating: "own", count: 4))
            #expect(found.prefix(4).map { $0["swept_value"] } == ["1000000", "2000000", "4000000", ""])
            #expect(run.output.contains(" is enough for nuke-13") && run.output.contains(" is enough for own"))
            for (sweep, reason) in [
                ("memory", "expected PARAMETER=VALUES"), ("memry=1MB", "did you mean 'memory'?"),
                ("memory=1", "has no unit"), ("memory=4MB..1MB", "the smaller one first"),
                ("thumbnail=5%", "did you mean 'thumbnails'?"), ("policy=belady", "knows the future"),
                ("disk=1MB", "'own' has no disk tier"), ("connections=none,x", "connections is a whole number"),
                ("connections=1..1000", "not a range of 1 to 64 numbers"), ("memory=1", "write 1B, 1MB, 1MiB"),
            ] {
                let run = try Command.run(
                    "replay", Self.feed, "--timing", "modelled", "--cache", "own=lru(9MB)", "--sweep", sweep)
                #expect(run.status == 64 && run.errors.contains(reason), "\(sweep): \(run.errors)")
            }
        }
    }

    @Test("--requests: one row per request, whose hits are those of summary.csv, as CSV and as JSON")
    func requests() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let arguments = [
                "replay", Self.feed, "--timing", "modelled", "--cache", "memory: lru(2MB); disk: lru(6MB)", "--cache",
                "fifo(2MB)", "--no-charts", "--quiet", "--output", output.path, "--requests",
            ]
            #expect(try Command.run(arguments + ["csv"]).status == 0)
            let summary = rows(try output.text("summary.csv"))
            let requests = rows(try output.text("requests.csv"))
            #expect(requests.count == 2 * 857)
            for run in summary {
                let own = requests.filter { $0["cache"] == run["cache"] }
                #expect(own.map { $0["index"] } == (0..<857).map(String.init))
                #expect("\(own.count { $0["source"] == "memory_hit" })" == run["memory_hits"])
                #expect("\(own.count { $0["source"] == "disk_hit" })" == run["disk_hits"])
                #expect(own.allSatisfy { ($0["latency_us"] == "") == ($0["shown"] != "shown") })
            }
            // The rows are kept, so that a resumed replay writes the same file.
            let text = try output.text("requests.csv")
            #expect(try Command.run(arguments + ["csv", "--resume"]).status == 0)
            #expect(try output.text("requests.csv") == text)
            #expect(try Command.run(arguments + ["json", "--force"]).status == 0)
            struct Row: Decodable {
                var cache: String
                var index: Int
                var source: String
                var shown: String
                var latency_us: Double?
            }
            let json = try JSONDecoder().decode([Row].self, from: Data(output.text("requests.json").utf8))
            #expect(json.map(\.source) == requests.map { $0["source"] })
            #expect(json.allSatisfy { ($0.latency_us != nil) == ($0.shown == "shown") })
            #expect(!FileManager.default.fileExists(atPath: output.appendingPathComponent("requests.csv").path))
        }
    }

    @Test("--resume does what is missing, and only that")
    func resume() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let arguments = [
                "replay", Self.feed, "--timing", "modelled", "--cache", "lru(2MB)", "--cache", "fifo(2MB)",
                "--no-charts", "--output", output.path,
            ]
            #expect(try Command.run(arguments).status == 0)
            let summary = try output.text("summary.csv")
            let runs = output.appendingPathComponent("runs.jsonl")
            let lines = try output.text("runs.jsonl").split(separator: "\n")
            #expect(lines.count == 2)
            // The first run is missing. The second one has a figure that no replay gives.
            let kept = lines[1].replacing(#""late":"#, with: #""late":9000000"#)
            try Data("\(kept)\n".utf8).write(to: runs)
            #expect(try Command.run(arguments + ["--resume"]).status == 0)
            let after = try output.text("runs.jsonl").split(separator: "\n")
            #expect(after.map(String.init) == [String(lines[0]), String(kept)])
            let rows = (summary.split(separator: "\n"), try output.text("summary.csv").split(separator: "\n"))
            #expect(rows.0.count == 3 && rows.0[..<2] == rows.1[..<2] && rows.0[2] != rows.1[2])
        }
    }

    @Test("Ctrl-C in the middle: exit 130, what was finished is kept and whole, --resume does the rest")
    func interrupt() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let arguments = [
                "replay", Self.feed, "--timing", "modelled", "--cache", "lru(2MB)", "--repeat", "40", "--jobs", "1",
                "--isolate", "always", "--no-charts", "--output", output.path,
            ]
            let process = try Binary.start(arguments, output: .nullDevice, errors: .nullDevice)
            // Wait for the first finished run by looking, not by sleeping.
            #expect(eventually(while: process) { (try? output.text("runs.jsonl"))?.contains("\n") == true })
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            #expect(process.terminationStatus == 130)
            let kept = rows(try output.text("summary.csv"))
            #expect(!kept.isEmpty && kept.count < 40)
            #expect(kept.allSatisfy { $0["requests"] == "857" })
            try Command.succeed(Array(arguments.map { $0 == "40" ? "3" : $0 }) + ["--resume"])
        }
    }

    @Test("The measured memory peak of payloads of known size is within 2 %")
    func residentPeak() throws {
        try withTemporaryFolder { folder in
            // Pages of code and of the heap that a replay touches first are about 0.7 MB of the peak, and more on a
            // loaded machine.
            var trace = "{\"cachereplay_trace\":1,\"title\":\"96 MB\"}\n"
            for object in 0..<120 {
                trace +=
                    "{\"t\":\(object * 1_000),\"e\":\"fetch\",\"key\":\"k\(object)\",\"status\":200,\"bytes\":800000}\n"
                trace += "{\"t\":\(object * 1_000),\"e\":\"appear\",\"key\":\"k\(object)\",\"variant\":\"full\"}\n"
            }
            let file = try folder.write(trace, to: "known.jsonl")
            let output = folder.appendingPathComponent("results")
            try Binary.succeed("replay", file, "--cache", "unbounded", "--no-charts", "--output", output.path)
            let row = try #require(rows(try output.text("summary.csv")).first)
            let (tier, resident) = (
                Double(row["memory_peak_bytes"] ?? "") ?? 0, Double(row["rss_peak_bytes"] ?? "") ?? 0
            )
            #expect(tier == 96_000_000)
            #expect(abs(resident - tier) / tier < 0.02, "resident \(resident)")
        }
    }

    @Test("Measured requests have causes and waits, which sum to the misses and the blank time of summary.csv")
    func measuredRequests() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            try Command.succeed(
                "replay", "Traces/stress-search.jsonl", "--cache", "memory: lru(2MB); disk: lru(6MB)", "--no-charts",
                "--quiet", "--requests", "csv", "--output", output.path)
            let summary = try #require(rows(try output.text("summary.csv")).first)
            let requests = rows(try output.text("requests.csv"))
            let misses = requests.count { $0["memory_cause"] != "" }
            #expect(misses == requests.count { $0["source"] != "memory_hit" } && misses > 0)
            #expect(requests.contains { $0["disk_cause"] != "" } && requests.contains { $0["evicted_by"] != "" })
            let waits = try #require(requests.first).keys.filter { $0.hasPrefix("wait_") }
            #expect(waits.count > 10 && requests.allSatisfy { row in waits.allSatisfy { row[$0] != "" } })
            let blank = requests.reduce(0.0) { sum, row in sum + waits.reduce(0.0) { $0 + (Double(row[$1] ?? "") ?? 0) }
            }
            let expected = try #require(summary["blank_s"].flatMap { Double($0) })
            #expect(abs(blank / 1e6 - expected) < 0.001 * expected)
            #expect(try output.text("runs.jsonl").contains("\"causes\":{"))
        }
    }

    @Test("Without gnuplot the CSVs are written all the same, and a sentence says how to install it")
    func withoutGnuplot() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Binary.succeed(
                "replay", Self.feed, "--timing", "modelled", "--cache", "lru(2MB)", "--output", output.path,
                environment: ["PATH": folder.path])
            #expect(run.errors.contains("gnuplot") && run.errors.contains("install"), "\(run.errors)")
            #expect(rows(try output.text("summary.csv")).count == 1)
            #expect(try Binary.run("chart", output.path, environment: ["PATH": folder.path]).status == 69)
        }
    }
}
