import Foundation
import TestSupport
import Testing

/// Estimates from several samples.
@Suite("simulate --salts", .namesCommands)
struct SimulateSaltsTests {
    /// Requests of 2,000 objects, of which few are popular.
    private static func file(in folder: URL) throws -> String {
        var text = "time_us,key,size\n"
        for index in 0..<20_000 {
            let (one, other) = (index * 7_919 % 2_003, index * 104_729 % 1_999)
            text += "\(index),\(one * other / 2_000),\(10 + one % 50)\n"
        }
        return try folder.write(text, to: "a.csv")
    }

    private static let ends = ["miss_ratio_low", "miss_ratio", "miss_ratio_high"]
    private static let byteEnds = ["byte_miss_ratio_low", "byte_miss_ratio", "byte_miss_ratio_high"]

    @Test("Rows and curves have means and intervals, in JSON and in files")
    func intervals() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out")
            let run = try Command.succeed(
                "simulate", try Self.file(in: folder), "--policy", "lru,sieve", "--capacity", "10%,20%", "--curve",
                "--sample", "10%", "--salts", "4", "--sizes", "first", "--json", "--no-charts", "-q", "-o", output.path)
            let json = try #require(try run.object() as? [String: [[String: Any]]])
            let found = (json["rows"] ?? []) + (json["curve"] ?? [])
            #expect(found.count == 4 + 2)
            for row in found {
                #expect(row["samples"] as? Int == 4)
                for names in [Self.ends, Self.byteEnds] {
                    let values = names.compactMap { row[$0] as? Double }
                    try #require(values.count == 3, "\(row)")
                    #expect(values[0] <= values[1] && values[1] <= values[2] && values[0] < values[2])
                }
            }
            for name in ["miss_ratio.csv", "curve.csv"] {
                let table = rows(try output.text(name))
                #expect(!table.isEmpty)
                #expect(table.allSatisfy { $0["samples"] == "4" }, "\(name)")
            }
            let kept = try Command.run(
                "simulate", try Self.file(in: folder), "--policy", "lru,sieve", "--capacity", "10%,20%", "--curve",
                "--sample", "10%", "--salts", "4", "--sizes", "first", "--no-charts", "-o", output.path, "--resume")
            #expect(kept.status == 0 && kept.output.contains("95% interval"), "\(kept.errors)")
            #expect(kept.output.contains("means of 4 samples"), "\(kept.output)")
        }
    }

    @Test("The figures are the mean of those of each sample, and their error is that of the mean")
    func mean() throws {
        try withTemporaryFolder { folder in
            let command = [
                "simulate", try Self.file(in: folder), "--policy", "lru", "--capacity", "10%", "--sample", "20%",
                "--json", "-q",
            ]
            func row(_ more: String...) throws -> [String: Any] {
                try #require(Command.succeed(command + more).objects().first)
            }
            let one = try row()
            #expect(one["samples"] == nil)
            let two = try row("--salts", "2")
            let (first, both) = (try #require(one["misses"] as? Int), try #require(two["misses"] as? Int))
            // The first sample is that without salts, so the ends of two samples are 12.706 times as far from the mean.
            let low = try #require(two["miss_ratio_low"] as? Double)
            let high = try #require(two["miss_ratio_high"] as? Double)
            let half = 12.7062 * abs(Double(first - both)) / 20_000
            let mean = Double(both) / 20_000
            // A mean of misses is rounded to whole ones.
            #expect(abs(high - min(1, mean + half)) < 0.001)
            #expect(abs(low - max(0, mean - half)) < 0.001)
        }
    }

    @Test("In windows, the figures are those of the whole trace, with shares and policies that know the future")
    func windows() throws {
        try withTemporaryFolder { folder in
            let command = [
                "simulate", try Self.file(in: folder), "--policy", "lru,sieve,belady", "--capacity", "10%,auto",
                "--sizes", "first", "--curve", "--sample", "10%", "--salts", "2", "--skip", "100", "--json", "-q",
            ]
            let outputs = try [[], ["--stream"]].map { more in
                let run = try Command.succeed(command + more)
                return run.output.split(separator: "\n").filter { !$0.contains("requests_per_s") }.joined()
            }
            #expect(outputs[0].contains("belady") && outputs[0] == outputs[1])
        }
    }

    @Test("A curve of all objects in windows is that of the whole trace", arguments: [[], ["--skip", "100"]])
    func curveInWindows(more: [String]) throws {
        try withTemporaryFolder { folder in
            let file = try Self.file(in: folder)
            let tables = try [[], ["--stream"]].enumerated().map { number, windows in
                let output = folder.appendingPathComponent("out\(number)")
                try Command.succeed(
                    ["simulate", file, "--policy", "lru", "--capacity", "1kB,5kB", "--sizes", "first", "--curve"]
                        + ["--no-charts", "-q", "-o", output.path] + more + windows)
                let rows = try output.text("miss_ratio.csv").split(separator: "\n")
                #expect(rows.count == 3)
                return try output.text("curve.csv")
            }
            #expect(tables[0] == tables[1] && tables[0].split(separator: "\n").count > 100)
            let alone = try Command.run(
                ["simulate", file, "--curve", "--sizes", "first", "--capacity", "5%", "--stream", "--json"] + more)
            #expect(alone.status == 0 && alone.output.contains("\"exact\" : true"), "\(alone)")
        }
    }
}
