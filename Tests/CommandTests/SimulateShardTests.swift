import Foundation
import TestSupport
import Testing

@Suite("cachereplay simulate --shard, and merge", .namesCommands)
struct SimulateShardTests {
    private static let sweep = [
        "simulate", "Traces/photo-feed.jsonl", "Traces/stress-grid.jsonl", "--policy", "lru,fifo,sieve,gdsf",
        "--capacity", "auto", "--curve", "--no-charts", "-q",
    ]

    /// The rows without the rate of requests, which is measured.
    private func counts(_ folder: URL) throws -> [[String: String]] {
        rows(try folder.text("miss_ratio.csv")).map { row in row.filter { !$0.key.hasPrefix("requests_per_s") } }
    }

    @Test("shards, joined in any order, have the rows and curves of the whole simulation, in its order")
    func shards() throws {
        try withTemporaryFolder { folder in
            let whole = folder.appendingPathComponent("whole")
            #expect(try Command.run(Self.sweep + ["-o", whole.path]).status == 0)
            let parts = (1...3).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                try Command.succeed(Self.sweep + ["-o", part.path, "--shard", "\(index + 1)/3"])
            }
            let all = try counts(whole)
            let sizes = try parts.map { try counts($0).count }
            #expect(sizes.reduce(0, +) == all.count && (sizes.max() ?? 0) - (sizes.min() ?? 0) <= 2, "\(sizes)")
            let joined = folder.appendingPathComponent("joined")
            let options = ["-o", joined.path, "--no-charts", "-q"]
            let missing = try Command.run(["merge", parts[2].path, parts[0].path] + options)
            #expect(
                missing.status == 66 && missing.errors.contains("1 of 3 shards are missing: 2"), "\(missing.errors)")
            let sorted = try Command.run(["merge"] + parts.map(\.path) + options + ["--sort", "blank"])
            #expect(sorted.status == 64 && sorted.errors.contains("--sort: the rows of a simulation"))
            try Command.succeed(["merge", parts[2].path, parts[0].path, parts[1].path] + options)
            #expect(try counts(joined) == all)
            #expect(try joined.text("curve.csv") == whole.text("curve.csv"))
            #expect(!(try joined.text("run.json").contains("\"--shard\"")))
            let rows = try counts(parts[0])
            let own = try Command.run(["merge"] + parts.map(\.path) + ["-o", "\(parts[0].path)/", "--force", "-q"])
            #expect(own.status == 64 && own.errors.contains("is the folder of the shard"), "\(own.errors)")
            #expect(try counts(parts[0]) == rows)
        }
    }

    @Test("a shard without rows is joined; shards of other sweeps, and torn ones, are refused until they are complete")
    func refusals() throws {
        try withTemporaryFolder { folder in
            let sweep = [
                "simulate", "Traces/stress-grid.jsonl", "--policy", "lru,fifo", "--capacity", "2MB", "--no-charts",
                "-q",
            ]
            let parts = (1...3).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                #expect(try Command.run(sweep + ["-o", part.path, "--shard", "\(index + 1)/3"]).status == 0)
            }
            let joined = folder.appendingPathComponent("joined")
            func merge(_ folders: [URL]) throws -> Binary.Outcome {
                try Command.run(["merge"] + folders.map(\.path) + ["-o", joined.path, "--no-charts", "-q", "--force"])
            }
            #expect(try merge(parts).status == 0)
            #expect(try counts(joined).map { $0["policy"] } == ["lru", "fifo"])
            let other = folder.appendingPathComponent("other")
            #expect(try Command.run(sweep + ["-o", other.path, "--shard", "2/3", "--cost", "encoded"]).status == 0)
            #expect(try merge([parts[0], other, parts[2]]).errors.contains("other traces, caches, settings"))
            // As a process leaves it that is killed before its end.
            let description = try parts[1].text("run.json")
            let open = description.split(separator: "\n").filter { !$0.contains("\"end\"") }.joined(separator: "\n")
            try Data(open.utf8).write(to: parts[1].appendingPathComponent("run.json"))
            #expect(try merge(parts).errors.contains("is not complete"))
            #expect(try Command.run(sweep + ["-o", parts[1].path, "--shard", "2/3", "--resume"]).status == 0)
            #expect(try merge(parts).status == 0)
            #expect(try Command.run(sweep + ["--shard", "1/2"]).status == 64)
        }
    }

    @Test("a shard that lacks the last byte of a file is refused, by the file's name")
    func torn() throws {
        try withTemporaryFolder { folder in
            let sweep = [
                "simulate", "Traces/stress-grid.jsonl", "--policy", "lru,fifo,sieve", "--capacity", "1MB,2MB,4MB",
                "--curve", "--no-charts", "-q",
            ]
            let parts = (1...2).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                #expect(try Command.run(sweep + ["-o", part.path, "--shard", "\(index + 1)/2"]).status == 0)
            }
            func merge(into output: String) throws -> Binary.Outcome {
                try Command.run(
                    ["merge"] + parts.map(\.path)
                        + ["-o", folder.appendingPathComponent(output).path, "--no-charts", "-q", "--force"])
            }
            #expect(try merge(into: "whole").status == 0)
            #expect(try counts(folder.appendingPathComponent("whole")).count == 9)
            for (part, file) in [(parts[0], "miss_ratio.csv"), (parts[1], "miss_ratio.csv"), (parts[0], "curve.csv")] {
                let whole = try part.text(file)
                _ = try part.write(String(whole.dropLast()), to: file)
                let merged = try merge(into: "torn")
                #expect(merged.status == 65 && merged.errors.contains("\(part.path)/\(file)"), "\(merged.errors)")
                #expect(merged.errors.contains("whole rows, and run.json says that it had"), "\(merged.errors)")
                #expect(!FileManager.default.fileExists(atPath: folder.path + "/torn"))
                _ = try part.write(whole, to: file)
            }
            // A row of another trace than those of the simulation has no place in the joined folder.
            let whole = try parts[0].text("miss_ratio.csv")
            let last = "stress-grid,sieve,4000000"
            try #require(whole.contains(last))
            _ = try parts[0].write(whole.replacing(last, with: "x,sieve,4000000"), to: "miss_ratio.csv")
            let foreign = try merge(into: "foreign")
            #expect(foreign.status == 65 && foreign.errors.contains("of no trace of run.json"), "\(foreign.errors)")
            _ = try parts[0].write(whole, to: "miss_ratio.csv")
            #expect(try merge(into: "whole").status == 0)
        }
    }

    @Test(
        "numbers that no shard has, and files with holes, are refused in little memory",
        arguments: [
            ["simulate", "--policy", "lru,fifo", "--capacity", "2MB"],
            ["replay", "--cache", "lru(2MB)", "--timing", "instant"],
        ])
    func damaged(command: [String]) throws {
        try withTemporaryFolder { folder in
            let whole = [command[0], "Traces/stress-grid.jsonl"] + command.dropFirst() + ["--no-charts", "-q"]
            let part = folder.appendingPathComponent("part")
            #expect(try Command.run(whole + ["-o", part.path, "--shard", "1/1"]).status == 0)
            func merge() throws -> Binary.Outcome {
                // With 1.5 GB of address space, a file of 8 GB is neither read nor mapped.
                let limited = ["-c", "ulimit -v 1500000 && exec \"$0\" \"$@\"", Binary.path]
                let joined = folder.appendingPathComponent("joined").path
                return try Binary.execute(
                    "/bin/sh", limited + ["merge", part.path, "-o", joined, "--no-charts", "-q", "--force"], in: folder)
            }
            #expect(try merge().status == 0)
            let description = try part.text("run.json")
            for (field, old, wrong) in [
                ("count", "1", "0"), ("count", "1", "999999999999"), ("count", "1", "-1"), ("number", "1", "0"),
                ("number", "1", "2"), ("traces", "1", "-1"), ("traces", "1", "1e300"),
            ] {
                let damaged = description.replacing("\"\(field)\" : \(old)", with: "\"\(field)\" : \(wrong)")
                try #require(damaged != description)
                _ = try part.write(damaged, to: "run.json")
                let refused = try merge()
                #expect(refused.status == 65, "\(field) \(wrong): \(refused.status) \(refused.errors)")
                #expect(refused.errors.contains("\(part.path)/run.json"), "\(refused.errors)")
            }
            _ = try part.write(
                description.replacing("\"traces\" : 1", with: "\"traces\" : 999999999999"), to: "run.json")
            if command[0] == "replay" {
                let refused = try merge()
                #expect(
                    refused.status == 65 && refused.errors.contains("1 of 999999999999 traces"), "\(refused.errors)")
            }
            for file in ["run.json"] + (command[0] == "replay" ? ["runs.jsonl"] : []) {
                _ = try part.write(description, to: "run.json")
                try #require(truncate("\(part.path)/\(file)", 8 << 30) == 0)
                let refused = try merge()
                #expect(refused.status == 65 && refused.errors.contains(file), "\(refused.status) \(refused.errors)")
            }
        }
    }
}
