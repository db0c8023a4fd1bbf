import Foundation
import TestSupport
import Testing

/// Sessions whose fewest misses are worked out by hand in `LeastMissesStories`.
@Suite("cachereplay simulate --bounds", .namesCommands)
struct SimulateBoundsTests {
    /// Writes a session of four objects. Sizes: a 3, b 2, c 2, d 1.
    private func session(in folder: URL, _ name: String = "session") throws -> String {
        let sizes: [Character: Int] = ["a": 3, "b": 2, "c": 2, "d": 1]
        let lines = "abcabdacbdab".enumerated().map { "\($0.offset),\($0.element),\(sizes[$0.element] ?? 0)" }
        return try folder.write((["time,key,size"] + lines).joined(separator: "\n") + "\n", to: "\(name).csv")
    }

    private func column(_ name: String, _ rows: [[String: String]]) -> [Int] { rows.map { Int($0[name] ?? "") ?? -1 } }

    private func leastMisses(_ run: Binary.Outcome) throws -> [[String: Any]] {
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: [[String: Any]]]
        return try #require(json?["least_misses"])
    }

    /// With room for 5, the prices 1/6, 1/3 and 1/3 in the gaps 2, 5 and 8 prove 17/3 misses, and a schedule has 6. The
    /// search proves the optimum at the other capacities too.
    @Test("At each capacity a schedule has the least misses, and no policy has fewer")
    func story() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out")
            let capacities = (1...8).map { "\($0)B" }.joined(separator: ",")
            let run = try Binary.run(
                "simulate", try session(in: folder), "--policy", "lru,fifo,belady,belady-bypass,belady-size",
                "--capacity", capacities, "--bounds", "--no-charts", "--output", output.path)
            #expect(run.status == 0, "\(run.errors)")
            let bounds = rows(try output.text("least_misses.csv"))
            let (misses, bytes) = ([11, 9, 8, 8, 6, 5, 5, 4], [25, 20, 17, 16, 11, 10, 9, 8])
            #expect(column("capacity", bounds) == Array(1...8))
            for name in ["least_misses", "known_misses"] { #expect(column(name, bounds) == misses, "\(name)") }
            for name in ["least_miss_bytes", "known_miss_bytes"] { #expect(column(name, bounds) == bytes, "\(name)") }
            #expect(bounds.allSatisfy { $0["requests"] == "12" && $0["request_bytes"] == "26" })
            let policies = rows(try output.text("miss_ratio.csv"))
            #expect(policies.count == 40)
            for row in policies {
                let capacity = try #require(Int(row["capacity"] ?? ""))
                let (missed, missedBytes) = (Int(row["misses"] ?? "") ?? -1, Int(row["miss_bytes"] ?? "") ?? -1)
                #expect(missed >= misses[capacity - 1] && missedBytes >= bytes[capacity - 1], "\(row)")
            }
            #expect(run.output.contains("least byte miss ratio") && run.output.contains("misses and bytes"))
            #expect(run.output.contains("No policy that holds at most the capacity misses less"))
        }
    }

    @Test("Shares of a trace, objects of one size, and traces without sizes, without a policy")
    func capacities() throws {
        try withTemporaryFolder { folder in
            // The objects have 8 bytes, so that the half is room for 4.
            let file = try session(in: folder)
            let shares = try leastMisses(Binary.run("simulate", file, "--capacity", "50%,100%", "--bounds", "--json"))
            #expect(shares.map { $0["known_misses"] as? Int } == [8, 4])
            #expect(shares.map { $0["least_miss_bytes"] as? Int } == [16, 8])
            // There and back: with room for one object, only the fourth is kept; with room for two, the third too.
            let order = [0, 1, 2, 3, 3, 2, 1, 0]
            let keys = try folder.write(order.map { "\($0)\n" }.joined(), to: "keys.txt")
            let lines = order.enumerated().map { "\($0.offset),\($0.element),9\n" }
            let sized = try folder.write("time,key,size\n" + lines.joined(), to: "sized.csv")
            for arguments in [[keys], [sized, "--ignore-size"]] {
                let run = try Binary.run(
                    ["simulate"] + arguments + ["--capacity", "1 objects,2 objects", "--bounds", "--json"])
                let counted = try leastMisses(run)
                #expect(counted.map { $0["least_misses"] as? Int } == [7, 6], "\(arguments)")
                #expect(counted.map { $0["known_miss_bytes"] as? Int } == [7, 6], "\(arguments)")
            }
            // Capacities in objects leave missed bytes as they are.
            let objects = try leastMisses(
                Binary.run("simulate", sized, "--capacity", "2 objects", "--bounds", "--json"))
            #expect(objects.map { $0["least_misses"] as? Int } == [6])
            #expect(objects.map { $0["least_miss_bytes"] as? Int } == [54])
        }
    }

    @Test("Resuming adds bounds to a folder without them, bounds what is missing, and refuses what is damaged")
    func resume() throws {
        try withTemporaryFolder { folder in
            let file = try session(in: folder)
            let output = folder.appendingPathComponent("out")
            func run(_ more: String...) throws -> Binary.Outcome {
                try Binary.run(
                    [
                        "simulate", file, "--policy", "lru,fifo", "--capacity", "3B,5B,7B", "--no-charts", "-q",
                        "--output", output.path,
                    ] + more)
            }
            #expect(try run().status == 0)
            let table = try output.text("miss_ratio.csv")
            #expect(!FileManager.default.fileExists(atPath: output.path + "/least_misses.csv"))
            let added = try run("--resume", "--bounds")
            #expect(added.status == 0, "\(added.errors)")
            // Rows are kept: their speed is the same to the digit.
            #expect(try output.text("miss_ratio.csv") == table)
            let whole = try output.text("least_misses.csv")
            #expect(column("least_misses", rows(whole)) == [8, 6, 5])
            let lines = whole.split(separator: "\n").map(String.init)
            _ = try output.write("\(lines[0])\n\(lines[2])\n", to: "least_misses.csv")
            #expect(try run("--resume", "--bounds").status == 0)
            #expect(try output.text("least_misses.csv") == whole)
            // A command that does not ask for bounds keeps them.
            #expect(try run("--resume").status == 0)
            #expect(try output.text("least_misses.csv") == whole)
            _ = try output.write(whole.replacing(",8,8,", with: ",9,8,"), to: "least_misses.csv")
            let damaged = try run("--resume", "--bounds")
            #expect(damaged.status == 65, "\(damaged.status)")
            #expect(damaged.errors.contains("least_misses is 9, more than known_misses, 8"), "\(damaged.errors)")
            // A command without --resume removes them.
            #expect(try run("--force").status == 0)
            #expect(!FileManager.default.fileExists(atPath: output.path + "/least_misses.csv"))
        }
    }

    @Test("Shards have the capacities of all traces together, and merge joins them in order")
    func shards() throws {
        try withTemporaryFolder { folder in
            let files = try ["one", "two"].map { try session(in: folder, $0) }
            let sweep =
                ["simulate"] + files
                + ["--policy", "lru", "--capacity", "1B,2B,3B,4B,5B", "--bounds", "--no-charts"]
            let whole = folder.appendingPathComponent("whole")
            #expect(try Binary.run(sweep + ["-q", "-o", whole.path]).status == 0)
            let parts = (1...3).map { folder.appendingPathComponent("part\($0)") }
            for (index, part) in parts.enumerated() {
                let run = try Binary.run(sweep + ["-q", "-o", part.path, "--shard", "\(index + 1)/3"])
                #expect(run.status == 0, "\(run.errors)")
            }
            let counts = try parts.map { rows(try $0.text("least_misses.csv")).count }
            #expect(counts.reduce(0, +) == 10 && (counts.max() ?? 0) - (counts.min() ?? 0) <= 2, "\(counts)")
            func merge(_ more: String...) throws -> Binary.Outcome {
                let joined = folder.appendingPathComponent("joined").path
                return try Binary.run(["merge"] + parts.map(\.path) + ["-o", joined, "--no-charts", "--force"] + more)
            }
            let merged = try merge()
            #expect(merged.status == 0 && merged.output.contains("misses and bytes"), "\(merged.errors)")
            let joined = try folder.appendingPathComponent("joined").text("least_misses.csv")
            #expect(try joined == whole.text("least_misses.csv"))
            #expect(try leastMisses(merge("--json")).count == 10)
            // A shard that lacks the last byte of the file is not whole.
            let text = try parts[0].text("least_misses.csv")
            _ = try parts[0].write(String(text.dropLast()), to: "least_misses.csv")
            let torn = try merge()
            #expect(torn.status == 65 && torn.errors.contains("whole rows, and run.json says"), "\(torn.errors)")
            // Shards without bounds are those of another simulation.
            let other = try Binary.run(
                sweep.filter { $0 != "--bounds" } + ["-q", "-o", parts[0].path, "--force", "--shard", "1/3"])
            #expect(other.status == 0, "\(other.errors)")
            #expect(try merge().errors.contains("other traces, caches, settings"))
        }
    }

    @Test(
        "The message of wrong usage names the remedy",
        arguments: [
            (["--bounds"], "give --capacity"), (["--capacity", "5B"], "--bounds for the"),
            (["--bounds", "--capacity", "5B", "--sample", "50%"], "leave --sample out"),
            (["--bounds", "--capacity", "5B", "--sample-size", "2"], "leave --sample out"),
            (["--bounds", "--capacity", "5B", "--stream"], "leave --stream out"),
        ])
    func usage(arguments: [String], remedy: String) throws {
        try withTemporaryFolder { folder in
            let run = try Binary.run(["simulate", try session(in: folder)] + arguments)
            #expect(run.status == 64 && run.errors.contains(remedy), "\(run.errors)")
        }
    }

    @Test("Traces without sizes have no capacities in bytes, and a large trace is read as a whole")
    func reading() throws {
        try withTemporaryFolder { folder in
            let keys = try folder.write("0\n1\n0\n", to: "keys.txt")
            let unsized = try Binary.run("simulate", keys, "--bounds", "--capacity", "1MB")
            #expect(unsized.status == 64 && unsized.errors.contains("so 1MB would count each object as 1 byte"))
            let large = try Binary.run(
                "simulate", try session(in: folder), "--bounds", "--capacity", "5B", "--stream-above", "1B", "--json")
            #expect(large.errors.contains("as a whole because of --bounds"), "\(large.errors)")
            #expect(try leastMisses(large).map { $0["least_misses"] as? Int } == [6])
        }
    }
}
