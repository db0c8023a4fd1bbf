import Foundation
import TestSupport
import Testing

@Suite("cachereplay simulate --shard, and merge")
struct SimulateShardTests {
    private static let sweep = [
        "simulate", "Traces/photo-feed.jsonl", "Traces/gallery-grid.jsonl", "--policy", "lru,fifo,sieve,gdsf",
        "--capacity",
        "auto", "--curve", "--no-charts", "-q",
    ]

    /// The rows without the rate of requests, which is measured.
    private func counts(_ folder: URL) throws -> [[String: String]] {
        rows(try folder.text("miss_ratio.csv")).map { row in
            row.filter { !$0.key.hasPrefix("requests_per_s") }
        }
    }

    @Test("shards, joined in any order, have the rows and curves of the whole simulation, in its order")
    func shards() throws {
        try withTemporaryFolder { folder in
            let whole = folder.appendingPathComponent("whole")
            #expect(try Binary.run(Self.sweep + ["-o", whole.path]).status == 0)
            let parts = (1...3).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                let run = try Binary.run(Self.sweep + ["-o", part.path, "--shard", "\(index + 1)/3"])
                #expect(run.status == 0, "\(run.errors)")
            }
            let all = try counts(whole)
            let sizes = try parts.map { try counts($0).count }
            #expect(sizes.reduce(0, +) == all.count && (sizes.max() ?? 0) - (sizes.min() ?? 0) <= 2, "\(sizes)")
            let joined = folder.appendingPathComponent("joined")
            let options = ["-o", joined.path, "--no-charts", "-q"]
            let missing = try Binary.run(["merge", parts[2].path, parts[0].path] + options)
            #expect(
                missing.status == 66 && missing.errors.contains("1 of 3 shards are missing: 2"), "\(missing.errors)")
            let merged = try Binary.run(["merge", parts[2].path, parts[0].path, parts[1].path] + options)
            #expect(merged.status == 0, "\(merged.errors)")
            #expect(try counts(joined) == all)
            #expect(try joined.text("curve.csv") == whole.text("curve.csv"))
            #expect(!(try joined.text("run.json").contains("\"--shard\"")))
        }
    }

    @Test("a shard without rows is joined; shards of other sweeps, and torn ones, are refused until they are complete")
    func refusals() throws {
        try withTemporaryFolder { folder in
            let sweep = [
                "simulate", "Traces/gallery-grid.jsonl", "--policy", "lru,fifo", "--capacity", "2MB", "--no-charts",
                "-q",
            ]
            let parts = (1...3).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                #expect(try Binary.run(sweep + ["-o", part.path, "--shard", "\(index + 1)/3"]).status == 0)
            }
            let joined = folder.appendingPathComponent("joined")
            func merge(_ folders: [URL]) throws -> Binary.Outcome {
                try Binary.run(["merge"] + folders.map(\.path) + ["-o", joined.path, "--no-charts", "-q", "--force"])
            }
            #expect(try merge(parts).status == 0)
            #expect(try counts(joined).map { $0["policy"] } == ["lru", "fifo"])
            let other = folder.appendingPathComponent("other")
            #expect(
                try Binary.run(sweep + ["-o", other.path, "--shard", "2/3", "--cost", "encoded"]).status == 0)
            #expect(try merge([parts[0], other, parts[2]]).errors.contains("other traces, caches, settings"))
            // As a process leaves it that is killed before its end.
            let description = try parts[1].text("run.json")
            let open = description.split(separator: "\n").filter { !$0.contains("\"end\"") }.joined(separator: "\n")
            try Data(open.utf8).write(to: parts[1].appendingPathComponent("run.json"))
            #expect(try merge(parts).errors.contains("is not complete"))
            #expect(try Binary.run(sweep + ["-o", parts[1].path, "--shard", "2/3", "--resume"]).status == 0)
            #expect(try merge(parts).status == 0)
            for wrong in [
                ["--shard", "1/2"], ["--shard", "1/2", "-o", other.path, "--sample", "10%", "--check-sample"],
            ] {
                #expect(try Binary.run(sweep + wrong).status == 64)
            }
        }
    }
}
