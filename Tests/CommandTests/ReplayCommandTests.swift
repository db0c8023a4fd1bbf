import CacheReports
import Foundation
import Testing

@Suite("cachereplay replay, the real command", .namesCommands)
struct ReplayCommandTests {
    static let feed = "Traces/photo-feed.jsonl"

    @Test("Measured: CSVs, run.json and charts are there, and no row is distrusted")
    func measured() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Binary.run(
                "replay", Self.feed, "--cache", "memory: lru(2MB); disk: lru(5MB)", "--cache", "fifo(2MB)", "--output",
                output.path)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.isEmpty)
            let summary = rows(try output.text("summary.csv"))
            #expect(summary.map { $0["cache"] } == ["memory: lru(2MB); disk: lru(5MB)", "fifo(2MB)"])
            #expect(
                summary.allSatisfy { $0["wrong"] == "0" && $0["rss_peak_bytes"] != "" && $0["requests"] == "857" })
            let shown = try rows(output.text("latency.csv")).compactMap { $0["count"].flatMap(Int.init) }
            #expect(shown.reduce(0, +) == 2 * 857)
            for cache in summary.compactMap({ $0["cache"] }) {
                let seconds = rows(try output.text("timeline.csv")).filter { $0["cache"] == cache }
                #expect(seconds.first?["second"] == "0" && seconds.last?["second"] == "102")
                #expect(seconds.compactMap { $0["requests"].flatMap { Int($0) } }.reduce(0, +) == 857)
            }
            #expect(!run.output.contains("do not trust"))
            let description = try output.text("run.json")
            for part in ["sha256", "\"measured+decode\"", "photo-feed", "memory: fifo(2MB); disk: none; cost: held"] {
                #expect(description.contains(part), "\(part)")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: output.path)
            #expect(!left.contains { $0.hasPrefix(".run") }, "scratch folders are removed")
        }
    }

    @Test(
        "Of more than 50 runs, the report has the timelines of the caches that the conclusions name, and no other file")
    func details() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Binary.run(
                "replay", "Traces/stress-grid.jsonl", "--timing", "modelled", "--repeat", "26", "--cache",
                "good=memory: lru(20MB)",
                "--cache", "bad=memory: none", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try output.text("timeline.csv").split(separator: "\n").count == 1)
            let details = try output.text("details.jsonl").split(separator: "\n")
            #expect(details.count == 2 && details.allSatisfy { $0.contains("\"film\":[") })
            #expect(try !output.text("runs.jsonl").contains("\"film\""))
            #expect(try output.text("report.html").contains("\"film\":["))
        }
    }

    @Test("Modelled: the same inputs give byte-identical CSVs, however many processes work on them")
    func modelledIsIdentical() throws {
        try withTemporaryFolder { folder in
            let runs = try ["1", "3"].map { jobs in
                let output = folder.appendingPathComponent(jobs)
                let run = try Binary.run(
                    "replay", Self.feed, "Traces/synthetic-gallery.jsonl", "--timing", "modelled", "--repeat", "2",
                    "--jobs", jobs,
                    "--cache", "memory: lru(2MB); disk: lru(6MB)", "--cache", "nscache(cost: 3MB)", "--no-charts",
                    "--output", output.path)
                #expect(run.status == 0, "\(run.errors)")
                return output
            }
            for file in ["summary.csv", "latency.csv", "timeline.csv"] {
                #expect(try runs[0].text(file) == runs[1].text(file), "\(file)")
            }
            #expect(rows(try runs[0].text("summary.csv")).count == 8)
            let verdict = try Binary.run("compare", runs[0].path, runs[1].path)
            #expect(verdict.status == 0, "\(verdict.output)")
        }
    }

    @Test("A folder with results is refused, unless they are to be kept or replaced")
    func existingResults() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let commands = [
                ["replay", Self.feed, "--timing", "modelled", "--cache", "lru(2MB)"],
                ["simulate", Self.feed, "--policy", "lru", "--capacity", "2MB"],
            ]
            for command in commands {
                let output = output.path + command[0]
                let arguments = command + ["--no-charts", "-o", output]
                #expect(try Binary.run(arguments).status == 0)
                let refused = try Binary.run(arguments)
                #expect(refused.status == 73)
                #expect(refused.errors.contains("--resume, replace them with --force"), "\(refused.errors)")
                #expect(try Binary.run(arguments + ["--resume"]).status == 0)
                #expect(try Binary.run(arguments + ["--force"]).status == 0)
                #expect(try Binary.run(arguments + ["--force", "--resume"]).status == 64)
            }
        }
    }

    @Test("--sweep replays each cache with each value, and names the smallest limit that is good enough")
    func sweep() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Binary.run(
                "replay", Self.feed, "--timing", "modelled", "--cache", "nuke-13", "--cache", "own=lru(9MB)", "--sweep",
                "memory=1MB..4MB,unlimited", "--no-charts", "-o", output.path)
            #expect(run.status == 0, "\(run.errors)")
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
                let run = try Binary.run(
                    "replay", Self.feed, "--timing", "modelled", "--cache", "own=lru(9MB)", "--sweep", sweep)
                #expect(run.status == 64 && run.errors.contains(reason), "\(sweep): \(run.errors)")
            }
        }
    }

    @Test("--sweep of memory and thumbnails divides each limit; policy and lifetime are parameters too")
    func sweepOfPolicies() throws {
        try withTemporaryFolder { folder in
            /// The caches of the rows, without the models of an NSCache.
            func caches(_ name: String, _ sweeps: String...) throws -> [String] {
                let output = folder.appendingPathComponent(name)
                let run = try Binary.run(
                    ["replay", Self.feed, "--timing", "modelled", "--no-charts", "-o", output.path, "--cache", name]
                        + sweeps.flatMap { ["--sweep", $0] })
                #expect(run.status == 0, "\(run.errors)")
                return rows(try output.text("summary.csv")).compactMap { $0["cache"] }
                    .map { String($0.prefix { $0 != "[" }).trimmingCharacters(in: .whitespaces) }
                    .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            }
            let split = try caches("split-md5", "memory=2MB,4MB", "thumbnails=25%,50%")
            #expect(
                split == [
                    "split-md5 memory=2MB thumbnails=25%", "split-md5 memory=2MB thumbnails=50%",
                    "split-md5 memory=4MB thumbnails=25%", "split-md5 memory=4MB thumbnails=50%",
                ])
            #expect(try caches("nuke-13", "policy=lru,sieve") == ["nuke-13 policy=lru", "nuke-13 policy=sieve"])
            #expect(
                try caches("kingfisher-8", "lifetime=1d,never")
                    == ["kingfisher-8 lifetime=1d", "kingfisher-8 lifetime=never"])
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
            #expect(try Binary.run(arguments + ["csv"]).status == 0)
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
            #expect(try Binary.run(arguments + ["csv", "--resume"]).status == 0)
            #expect(try output.text("requests.csv") == text)
            #expect(try Binary.run(arguments + ["json", "--force"]).status == 0)
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

    @Test("--relevance-threshold is what conclusions and compare judge by; run.json keeps it, and a wrong one fails")
    func relevanceThreshold() throws {
        try withTemporaryFolder { folder in
            for (name, size) in [("both", "8MB"), ("small", "2MB"), ("large", "8MB")] {
                let second = name == "both" ? ["--cache", "small=lru(2MB)"] : []
                let run = try Binary.run(
                    [
                        "replay", Self.feed, "--timing", "instant", "--cache", "lru=lru(\(size))", "--no-charts",
                        "--relevance-threshold", "50", "-o", folder.appendingPathComponent(name).path,
                    ] + second)
                #expect(run.status == 0, "\(run.errors)")
                // Memory answers a few percent of the requests, or none.
                if name == "both" {
                    #expect(run.output.hasPrefix("* Stay with what you have: both caches tie on "), "\(run.output)")
                }
            }
            #expect(try folder.appendingPathComponent("both").text("run.json").contains("\"relevanceThreshold\""))
            let sides = ["compare", "large", "small"]
            #expect(try Binary.run(sides, in: folder).status == 1)
            #expect(try Binary.run(sides + ["--relevance-threshold", "50,100%"], in: folder).status == 0)
            let wrong = try Binary.run(sides + ["--relevance-threshold", "much"], in: folder)
            #expect(wrong.status == 64 && wrong.errors.contains("points from 0 to 100"), "\(wrong.errors)")
        }
    }

    @Test("compare: a smaller cache is worse, exit 1; worse within what is allowed, exit 0")
    func gate() throws {
        try withTemporaryFolder { folder in
            for (name, policy) in [("baseline", "lru(4MB)"), ("candidate", "lru(3MB)")] {
                let config = try folder.write("caches: {ours: {memory: \"\(policy)\"}}", to: "\(name).yaml")
                let run = try Binary.run(
                    "replay", Self.feed, "--config", config, "--timing", "modelled", "--no-charts", "--output",
                    folder.appendingPathComponent(name).path)
                #expect(run.status == 0, "\(run.errors)")
            }
            let paths = ["baseline", "candidate"].map { folder.appendingPathComponent($0).path }
            let worse = try Binary.run(["compare"] + paths)
            #expect(worse.status == 1, "\(worse.output)\(worse.errors)")
            #expect(worse.output.contains("hit_ratio"))
            // The larger cache is better in all but what it costs.
            #expect(try Binary.run(["compare", paths[1], paths[0]]).status == 1)
            #expect(
                try Binary.run(["compare", paths[1], paths[0], "--allow", "memory_peak_bytes:1000000"]).status == 0)
            let metrics = SummaryColumns.metrics.filter(\.isGated).map(\.name)
            let allowed = try Binary.run(["compare"] + paths + metrics.flatMap { ["--allow", "\($0):1000000000%"] })
            #expect(allowed.status == 0, "\(allowed.output)\(allowed.errors)")
            #expect(try Binary.run(["compare"] + paths + ["--allow", "hit_rato:1"]).status == 64)
        }
    }

    @Test("--resume does what is missing, and only that")
    func resume() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let arguments = [
                "replay", Self.feed, "--timing", "modelled", "--cache", "lru(2MB)", "--cache", "fifo(2MB)",
                "--no-charts", "--output",
                output.path,
            ]
            #expect(try Binary.run(arguments).status == 0)
            let summary = try output.text("summary.csv")
            let runs = output.appendingPathComponent("runs.jsonl")
            let lines = try output.text("runs.jsonl").split(separator: "\n")
            #expect(lines.count == 2)
            // The first run is missing. The second one has a figure that no replay gives.
            let kept = lines[1].replacing(#""late":"#, with: #""late":9000000"#)
            try Data("\(kept)\n".utf8).write(to: runs)
            #expect(try Binary.run(arguments + ["--resume"]).status == 0)
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
                "--isolate", "always", "--no-charts",
                "--output", output.path,
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
            let rest = try Binary.run(Array(arguments.map { $0 == "40" ? "3" : $0 }) + ["--resume"])
            #expect(rest.status == 0, "\(rest.errors)")
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
            let run = try Binary.run("replay", file, "--cache", "unbounded", "--no-charts", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let row = try #require(rows(try output.text("summary.csv")).first)
            let (tier, resident) = (
                Double(row["memory_peak_bytes"] ?? "") ?? 0, Double(row["rss_peak_bytes"] ?? "") ?? 0
            )
            #expect(tier == 96_000_000)
            #expect(abs(resident - tier) / tier < 0.02, "resident \(resident)")
        }
    }

    @Test("Decoding adds time, by the model; --no-decode leaves it out; on a wall clock, it needs images")
    func decode() throws {
        try withTemporaryFolder { folder in
            let arguments = [
                "replay", "Traces/stress-search.jsonl", "--cache", "nuke-13", "--timing", "modelled", "--no-charts",
                "--quiet", "--output",
            ]
            let output = folder.appendingPathComponent("decoded")
            for (more, path) in [(["--no-decode"], folder.appendingPathComponent("plain").path), ([], output.path)] {
                let run = try Binary.run(arguments + [path] + more)
                #expect(run.status == 0, "\(run.errors)")
            }
            func column(_ name: String, of result: String) throws -> String {
                try #require(rows(try folder.text("\(result)/summary.csv")).first?[name])
            }
            for same in ["memory_peak_bytes", "disk_written_bytes"] {
                #expect(try column(same, of: "plain") == column(same, of: "decoded"))
            }
            #expect(
                try Double(column("latency_mean_us", of: "plain")) ?? 0 < Double(
                    column("latency_mean_us", of: "decoded")) ?? 0)
            #expect(
                try column("timing", of: "plain") == "modelled" && column("timing", of: "decoded") == "modelled+decode")
            let refused = try Binary.run(
                "replay", "Traces/stress-search.jsonl", "--cache", "nuke-13", "--clock", "wall", "--decode",
                "--output",
                output.path)
            #expect(
                refused.status == 64
                    && refused.errors.contains(
                        "--decode on a wall clock needs images: name a folder of kept bodies with --bodies")
            )
        }
    }

    @Test("Measured requests have causes and waits, which sum to the misses and the blank time of summary.csv")
    func measuredRequests() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("results")
            let run = try Binary.run(
                "replay", "Traces/stress-search.jsonl", "--cache", "memory: lru(2MB); disk: lru(6MB)", "--no-charts",
                "--quiet", "--requests", "csv", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let summary = try #require(rows(try output.text("summary.csv")).first)
            let requests = rows(try output.text("requests.csv"))
            let misses = requests.count { $0["memory_cause"] != "" }
            #expect(misses == requests.count { $0["source"] != "memory_hit" } && misses > 0)
            #expect(requests.contains { $0["disk_cause"] != "" } && requests.contains { $0["evicted_by"] != "" })
            let waits = try #require(requests.first).keys.filter { $0.hasPrefix("wait_") }
            #expect(waits.count > 10 && requests.allSatisfy { row in waits.allSatisfy { row[$0] != "" } })
            let blank = requests.reduce(0.0) { sum, row in
                sum + waits.reduce(0.0) { $0 + (Double(row[$1] ?? "") ?? 0) }
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
            let run = try Binary.run(
                "replay", Self.feed, "--timing", "modelled", "--cache", "lru(2MB)", "--output", output.path,
                environment: ["PATH": folder.path])
            #expect(run.status == 0)
            #expect(run.errors.contains("gnuplot") && run.errors.contains("install"), "\(run.errors)")
            #expect(rows(try output.text("summary.csv")).count == 1)
            #expect(try Binary.run("chart", output.path, environment: ["PATH": folder.path]).status == 69)
        }
    }

    @Test("A policy of each kind can be simulated and replayed, and both say the same")
    func simulate() throws {
        try withTemporaryFolder { folder in
            let simulated = try Binary.run(
                "simulate", Self.feed, "--policy", "lru,fifo,nscache(cost: 2MB)", "--capacity", "2MB,10%", "--output",
                folder.path)
            #expect(simulated.status == 0, "\(simulated.errors)")
            let table = rows(try folder.text("miss_ratio.csv").replacingOccurrences(of: "\"", with: ""))
            #expect(table.count == 5)
            let output = folder.appendingPathComponent("replayed")
            let replayed = try Binary.run(
                "replay", Self.feed, "--timing", "instant", "--cache", "lru(2MB)", "--no-charts", "--output",
                output.path)
            #expect(replayed.status == 0, "\(replayed.errors)")
            let row = try #require(rows(try output.text("summary.csv")).first)
            #expect(Int(row["memory_hits"] ?? "") == table.first.flatMap { Int($0["misses"] ?? "") }.map { 857 - $0 })
        }
    }
}
