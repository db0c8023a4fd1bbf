import Foundation
import Testing

@Suite("Costs of modelled timing: --costs, costs: and calibrate", .namesCommands)
struct CostsTests {
    static let feed = ReplayCommandTests.feed

    /// Replays the feed with modelled timing; returns the outcome and the folder of results.
    private func replay(_ options: [String], into folder: URL) throws -> Binary.Outcome {
        try Command.run(
            ["replay", Self.feed, "--timing", "modelled", "--no-charts", "--output", folder.path] + options)
    }

    private static let cache = ["--cache", "memory: none; disk: unbounded"]

    @Test("Costs of a file replace the standard ones; CSV and a note say so")
    func file() throws {
        try withTemporaryFolder { folder in
            let costs = try folder.write("disk_read: 1.1ms  # a slow card\n", to: "slow.yaml")
            let (plain, slow) = (folder.appendingPathComponent("plain"), folder.appendingPathComponent("slow"))
            let first = try replay(Self.cache, into: plain)
            #expect(first.status == 0, "\(first.errors)")
            #expect(!first.output.contains("costs"))
            let second = try replay(Self.cache + ["--costs", costs], into: slow)
            #expect(second.status == 0, "\(second.errors)")
            #expect(
                second.output.contains("Durations follow the costs of slow.yaml (SHA-256 ")
                    && second.output.contains("disk_read: 1.1ms"), "\(second.output)")
            let (before, after) = (try rows(plain.text("summary.csv")), try rows(slow.text("summary.csv")))
            #expect(before[0]["timing"] == "modelled+decode")
            let timing = try #require(after[0]["timing"])
            #expect(timing.hasPrefix("modelled+decode+costs:"))
            // Every read takes 1 ms longer; the hits are the same.
            #expect(before[0]["disk_hits"] == after[0]["disk_hits"])
            func fastest(_ folder: URL) throws -> Double {
                let row = try rows(folder.text("latency.csv")).first { $0["outcome"] == "disk_hit" }
                return try #require(row?["p50_us"].flatMap(Double.init))
            }
            #expect(try fastest(slow) > fastest(plain) + 900)
        }
    }

    @Test("--resume repeats runs that were made with other costs, and keeps those with equal ones")
    func resume() throws {
        try withTemporaryFolder { folder in
            let file = try folder.write("disk_read: 50us\n", to: "costs.yaml")
            let results = folder.appendingPathComponent("results")
            let options = Self.cache + ["--costs", file, "--resume"]
            func p50() throws -> String? { try rows(results.text("summary.csv")).first?["latency_p50_us"] }
            _ = try replay(options, into: results)
            let first = try p50()
            // The same value in another notation.
            _ = try folder.write("# faster?\ndisk_read: 0.05ms\n", to: "costs.yaml")
            _ = try replay(options, into: results)
            #expect(try p50() == first)
            _ = try folder.write("disk_read: 5ms\n", to: "costs.yaml")
            let changed = try replay(options, into: results)
            #expect(changed.status == 0, "\(changed.errors)")
            #expect(try p50() != first)
            #expect(try rows(results.text("summary.csv")).count == 1)
        }
    }

    @Test("A YAML configuration can hold costs; --costs comes before them; equal costs give equal rows")
    func config() throws {
        try withTemporaryFolder { folder in
            let config = try folder.write(
                "caches: {a: {memory: none, disk: unbounded}}\ncosts: {disk_read: 50us, jpeg_decode_rate: 1GP/s}\n",
                to: "c.yaml")
            let file = try folder.write("jpeg_decode_rate: 1000MP/s\ndisk_read: 0.05ms\n", to: "costs.yaml")
            let other = try folder.write("disk_read: 1ms\n", to: "other.yaml")
            func summary(_ options: [String]) throws -> String {
                let results = folder.appendingPathComponent("results")
                let run = try replay(["--config", config, "--force"] + options, into: results)
                #expect(run.status == 0, "\(run.errors)")
                return try results.text("summary.csv")
            }
            let inline = try summary([])
            #expect(inline.contains("+costs:"))
            #expect(try summary(["--costs", file]) == inline)
            #expect(try summary(["--costs", other]) != inline)
            let measured = try Command.run("replay", Self.feed, "--config", config)
            #expect(measured.status == 64)
            #expect(measured.errors.contains("c.yaml: 'costs:' needs --timing modelled"), "\(measured.errors)")
        }
    }

    @Test(
        "A mistake in a file of costs is an error with file, line, expectation and remedy",
        arguments: [
            ("disk_reed: 50us", ":1: costs has no key 'disk_reed'; did you mean 'disk_read'?"),
            ("memory_lookup: 1us\ndisk_read: 50", ":2: disk_read: '50' has no unit (ns, us, ms, s)"),
            ("disk_read: 50MB/s", ":1: disk_read: '50MB/s': the unit is one of ns, us, ms, s, not 'MB/s'"),
            ("disk_read: -50us", ":1: disk_read: '-50us' is not a duration such as 100us"),
            ("disk_read: .inf", ":1: disk_read: '.inf' is not a duration"),
            ("disk_read_rate: 0MB/s", ":1: disk_read_rate: '0MB/s' is out of range: expected a rate"),
            ("jpeg_decode_rate: 1GB/s", "the unit is one of P/s, kP/s, MP/s, GP/s, not 'GB/s'"),
            ("disk_read: [1us]", ":1: disk_read: expected a duration"),
            ("- disk_read", "expected 'key: value' lines"), ("", "empty; expected constants such as"),
            ("{{{", "not YAML"),
        ])
    func badFile(content: String, message: String) throws {
        try withTemporaryFolder { folder in
            let file = try folder.write(content, to: "costs.yaml")
            let output = folder.appendingPathComponent("results")
            let run = try replay(Self.cache + ["--costs", file], into: output)
            #expect(run.status == 65, "\(run.errors)")
            #expect(run.errors.contains(file) && run.errors.contains(message), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: output.path))
        }
    }

    @Test("calibrate writes a file that replay accepts, compares predictions, and leaves nothing behind")
    func calibrate() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("costs.yaml").path
            let sessions = try folder.makeFolder("sessions")
            _ = try sessions.write("shopping: milk\n", to: "notes.md")
            _ = try sessions.write(
                """
                {"cachereplay_trace":1}
                {"e":"object","o":0,"key":"a","bytes":3000,"type":"image/jpeg","width":120,"height":80}
                {"e":"object","o":1,"key":"b","bytes":9000,"type":"image/png","width":60,"height":60}
                {"t":0,"e":"fetch","o":0,"status":200,"bytes":3000,"ttfb_us":1000,"transfer_us":100}
                {"t":0,"e":"fetch","o":1,"status":200,"bytes":9000,"ttfb_us":1000,"transfer_us":100}
                {"t":0,"e":"appear","o":0}
                {"t":1000000,"e":"appear","o":1}
                {"t":2000000,"e":"appear","o":0}
                {"t":3000000,"e":"appear","o":1}

                """, to: "two.jsonl")
            let scratch = try folder.makeFolder("scratch")
            let run = try Binary.succeed(
                "calibrate", sessions.path, "--output", file, environment: ["TMPDIR": scratch.path])
            #expect(run.errors.contains("1 of 2 traces could not be replayed and were skipped"), "\(run.errors)")
            let constants = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").filter {
                !$0.hasPrefix("#")
            }.map { String($0.prefix { $0 != ":" }) }
            #expect(constants.count == 25 && constants.contains("disk_read_rate"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)

            let results = folder.appendingPathComponent("results")
            let replayed = try replay(Self.cache + ["--costs", file], into: results)
            #expect(replayed.status == 0, "\(replayed.errors)")
            #expect(replayed.output.contains("constants differ"), "\(replayed.output)")
            let again = try Command.run("calibrate", sessions.path, "--output", file)
            #expect(again.status == 73)
            #expect(again.errors.contains("costs.yaml exists already"), "\(again.errors)")
        }
    }

    @Test("calibrate checks its traces and its output before it measures")
    func calibrateMistakes() throws {
        try withTemporaryFolder { folder in
            let run = try Command.run("calibrate", Self.feed, "--output", folder.path + "/missing/costs.yaml")
            #expect(run.status == 73 && run.errors.contains("/missing"), "\(run.errors)")
            #expect(run.output.isEmpty)
            try Command.refuse(64, "Two traces are called", "calibrate", Self.feed, Self.feed)
            _ = try folder.write("shopping: milk\n", to: "notes.md")
            let strict = try Command.run("calibrate", folder.path, "--strict")
            #expect(strict.status == 65 && strict.errors.contains("notes.md") && strict.output.isEmpty, "\(strict)")
        }
    }
}
