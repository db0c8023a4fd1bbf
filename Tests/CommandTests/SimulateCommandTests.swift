import Foundation
import TestSupport
import Testing

@Suite("simulate", .namesCommands)
struct SimulateCommandTests {
    private static let feed = "Traces/photo-feed.jsonl"
    private static let grid = "Traces/stress-grid.jsonl"

    /// Returns the lines without the speed, which differs from run to run.
    private func figures(_ csv: String) -> [String] {
        csv.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).prefix(10).joined(separator: ",")
        }
    }

    @Test("The table has traces, policies and capacities in the order of the command, for any number of threads")
    func sweep() throws {
        try withTemporaryFolder { folder in
            let outputs = try [1, 4].map { jobs in
                let output = folder.appendingPathComponent("\(jobs)")
                try Command.succeed(
                    "simulate", Self.feed, Self.grid, "--policy", "fifo,lru,unbounded", "--capacity", "1MB,10%",
                    "--jobs", "\(jobs)", "--no-charts", "--output", output.path)
                return figures(try output.text("miss_ratio.csv"))
            }
            #expect(outputs[0] == outputs[1])
            let items = outputs[0].dropFirst().map { $0.split(separator: ",").prefix(2).joined(separator: " ") }
            let policies = ["fifo", "fifo", "lru", "lru", "unbounded"]
            #expect(items == ["photo-feed", "stress-grid"].flatMap { trace in policies.map { "\(trace) \($0)" } })
            let json =
                try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent("1/run.json")))
                as? [String: Any]
            #expect(json?["kind"] as? String == "simulation" && json?["end"] != nil)
            let specifications = (json?["policies"] as? [[String: String]])?.map { $0["specification"] }
            #expect(specifications == ["fifo(capacity)", "lru(capacity)", "unbounded"])
        }
    }

    @Test("Resuming simulates the missing rows, and refuses other settings and another content")
    func resume() throws {
        try withTemporaryFolder { folder in
            let trace = folder.appendingPathComponent("feed.jsonl")
            try FileManager.default.copyItem(at: Binary.root.appendingPathComponent(Self.feed), to: trace)
            let output = folder.appendingPathComponent("out")
            func run(_ more: String...) throws -> Binary.Outcome {
                try Command.run(
                    [
                        "simulate", trace.path, "--policy", "lru,fifo", "--capacity", "1MB,2MB", "--no-charts",
                        "--output", output.path,
                    ] + more)
            }
            #expect(try run().status == 0)
            let whole = try output.text("miss_ratio.csv")
            // As after an interruption: the second and the last row are missing.
            let lines = whole.split(separator: "\n").map(String.init)
            _ = try output.write([lines[0], lines[1], lines[3]].joined(separator: "\n") + "\n", to: "miss_ratio.csv")
            let resumed = try run("--resume")
            #expect(resumed.status == 0, "\(resumed.errors)")
            let after = try output.text("miss_ratio.csv")
            #expect(figures(after) == figures(whole))
            // Kept rows were not simulated again: their speed is the same to the digit.
            #expect(after.split(separator: "\n")[1] == lines[1] && after.split(separator: "\n")[3] == lines[3])
            let other = try run("--resume", "--ignore-size")
            #expect(other.status == 73 && other.errors.contains("ignore_size false, not true"), "\(other.errors)")
            let more = try FileHandle(forWritingTo: trace)
            try more.seekToEnd()
            try more.write(contentsOf: Data("\n".utf8))
            try more.close()
            let changed = try run("--resume")
            #expect(changed.status == 73 && changed.errors.contains("content has changed"), "\(changed.errors)")
            #expect(try run("--force").status == 0)
        }
    }

    @Test("The curve and a sample of all objects equal the simulation")
    func curve() throws {
        try withTemporaryFolder { folder in
            for sample in [[], ["--sample", "1"]] {
                let output = folder.appendingPathComponent("curve")
                let run = try Command.succeed(
                    [
                        "simulate", Self.grid, "--curve", "--policy", "lru", "--capacity",
                        "1,5,20,100".replacingOccurrences(of: ",", with: " objects,") + " objects",
                        "--ignore-size", "--no-charts", "--json", "--force", "--output", output.path,
                    ] + sample)
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: [[String: Any]]])
                let ratios = ["rows", "curve"].map { key in (json[key] ?? []).map { $0["miss_ratio"] as? Double ?? -1 }
                }
                #expect(ratios[0].count == 4 && ratios[0] == ratios[1])
                #expect(rows(try output.text("curve.csv")).count > 20)
            }
        }
    }

    @Test("An interrupted sweep keeps the finished rows, exits with 130, and can be resumed")
    func interrupt() throws {
        try withTemporaryFolder { folder in
            let synthesized = folder.appendingPathComponent("zipf.txt")
            var text = ""
            for index in 0..<100_000 { text += "\((index &* 2_654_435_761) % 50_021 % (1 + index % 997))\n" }
            try Data(text.utf8).write(to: synthesized)
            let output = folder.appendingPathComponent("out")
            let capacities = (1...150).map { "\($0) objects" }.joined(separator: ",")
            let arguments = [
                "simulate", synthesized.path, "--policy", "lru", "--capacity", capacities, "--jobs", "1",
                "--ignore-size", "--no-charts", "--output", output.path,
            ]
            let process = try Binary.start(arguments, output: .nullDevice, errors: .nullDevice)
            // Wait until the first rows are written.
            let table = output.appendingPathComponent("miss_ratio.csv")
            #expect(eventually(while: process) { (try? Data(contentsOf: table).count) ?? 0 >= 300 })
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 130)
            let kept = rows(try output.text("miss_ratio.csv"))
            #expect(!kept.isEmpty && kept.count < 150 && kept.allSatisfy { $0.count == 11 })
            try Command.succeed(Array(arguments.dropLast(3)) + ["--no-charts", "--output", output.path, "--resume"])
            #expect(rows(try output.text("miss_ratio.csv")).count == 150)
        }
    }

    @Test("--stream gives the same figures as reading the whole trace")
    func stream() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("grid.oracleGeneral.bin").path
            #expect(try Command.run("trace", "convert", Self.grid, file, "--to", "oracleGeneral").status == 0)
            for more in [[], ["--ignore-size"]] {
                let runs = try [[], ["--stream"]].map { stream in
                    try Command.run(
                        ["simulate", file, "--policy", "lru,fifo", "--capacity", "500kB,5 objects", "--json"] + more
                            + stream)
                }
                let rows = try runs.map { run in
                    try run.objects().map {
                        [
                            $0["requests"] as? Int, $0["misses"] as? Int, $0["request_bytes"] as? Int,
                            $0["miss_bytes"] as? Int,
                        ]
                    }
                }
                #expect(rows[0] == rows[1] && rows[0].count == 4)
            }
            let share = try Command.run("simulate", file, "--policy", "lru", "--capacity", "5%", "--stream")
            #expect(share.status == 64 && share.errors.contains("20MB or 100 objects"))
            let other = try Command.run("simulate", Self.grid, "--policy", "lru", "--capacity", "5MB", "--stream")
            #expect(other.status == 65 && other.errors.contains("is a session"), "\(other.errors)")
        }
    }

    @Test("--stream gives the same bytes of a log as reading it whole, also compressed and with a choice of requests")
    func streamsLogs() throws {
        try withTemporaryFolder { folder in
            let log = try folder.write(SampleLog.squid(2_000), to: "access.log")
            let packed = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: ["gzip", "-k", log])
            packed.waitUntilExit()
            for (number, more) in [[], ["--ignore-size"], ["--content", "images", "--cost", "decoded"]].enumerated() {
                var tables: [String] = []
                var warnings: [String] = []
                for (path, stream) in [(log, []), (log, ["--stream"]), (log, ["--stream-above", "9kB"])]
                    + [(log + ".gz", ["--stream"])]
                {
                    let output = folder.appendingPathComponent("o\(number)-\(tables.count)")
                    let run = try Command.succeed(
                        ["simulate", path, "--policy", "lru,sieve", "--capacity", "90kB,5 objects"] + more + stream
                            + ["--no-charts", "--output", output.path])
                    // All columns but the speed, which is the last one but one.
                    let rows = try output.text("miss_ratio.csv").split(separator: "\n").map {
                        $0.split(separator: ",", omittingEmptySubsequences: false).dropLast(2).joined(separator: ",")
                    }
                    #expect(rows.count == 5)
                    tables.append(rows.joined(separator: "\n"))
                    warnings.append(
                        run.errors.split(separator: "\n").filter { $0.contains("warning") || $0.contains("bitmaps") }
                            .joined(separator: "\n").replacing(".gz", with: ""))
                }
                #expect(Set(tables).count == 1, "\(tables)")
                #expect(Set(warnings).count == 1 && warnings[0].contains("lines stand behind"), "\(warnings)")
            }
        }
    }

    @Test("A large trace is read in windows without a request, says so, or says why not")
    func streamsLargeTraces() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("grid.csv").path
            #expect(try Command.run("trace", "convert", Self.grid, file, "--to", "csv").status == 0)
            let arguments = ["simulate", file, "--policy", "lru,fifo", "--capacity", "500kB", "--json"]
            func misses(_ run: Binary.Outcome) throws -> [Int?] {
                try run.objects().map {
                    $0["misses"] as? Int
                }
            }
            let whole = try Command.run(arguments)
            #expect(!whole.errors.contains("in windows"))
            let large = try Command.run(arguments + ["--stream-above", "1KB"])
            #expect(large.errors.contains("\(file): the trace is large, so it is read in windows"))
            #expect(try misses(large) == misses(whole) && misses(large).count == 2)
            let shared = try Command.run(
                "simulate", file, "--policy", "lru,belady", "--capacity", "5%", "--stream-above", "1KB")
            #expect(shared.errors.contains("as a whole because of a capacity that is a share of the trace, belady"))
            try Command.refuse(64, "expected a size in bytes, such as 64MB", arguments + ["--stream-above", "5%"])
        }
    }

    @Test("In a trace without sizes, capacities in bytes are errors, and shares count objects")
    func withoutSizes() throws {
        try withTemporaryFolder { folder in
            let text = (0..<100).map { "\($0 * 7 % 20)\n" }.joined()
            let file = try folder.write(text, to: "keys.txt")
            let compiled = folder.appendingPathComponent("keys.crtrace").path
            #expect(try Command.run("trace", "compile", file, compiled, "--quiet").status == 0)
            for trace in [file, compiled] {
                for (arguments, size) in [
                    (["--policy", "lru", "--capacity", "5 objects,1MB"], "1MB"),
                    (["--policy", "lru(2kB)"], "2kB"),
                    (["--policy", "slru(10 objects),ttl(lru(3KiB), lifetime: 9s)"], "3KiB"),
                    (["--policy", "max-size(lru(5 objects), limit: 10kB)"], "10kB"),
                    (["--curve", "--capacity", "1MB"], "1MB"),
                ] {
                    let run = try Command.run(["simulate", trace] + arguments)
                    #expect(run.status == 64, "\(arguments)")
                    #expect(
                        run.errors.contains("the trace has no sizes, so \(size) would count each object as 1 byte"),
                        "\(run.errors)")
                    #expect(run.errors.contains("such as 1000 objects, as shares, such as 5%"))
                }
                let shares = try Command.run(
                    "simulate", trace, "--policy", "lru,fifo(50%)", "--capacity", "50%", "--json")
                let counted = try Command.run(
                    "simulate", trace, "--policy", "lru,fifo(10 objects)", "--capacity", "10 objects", "--json")
                #expect(shares.status == 0 && counted.status == 0, "\(shares.errors)")
                #expect(
                    shares.errors.contains("each object counts as 1, and shares are shares of the number of objects"))
                let misses = try [shares, counted].map { run in try run.objects().map { $0["misses"] as? Int } }
                #expect(misses[0] == misses[1] && misses[0].count == 2)
                #expect(try Command.run("simulate", trace, "--policy", "lru(1MB)", "--ignore-size").status == 0)
            }
        }
    }
}
