import Basics
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
            let run = try Command.succeed(
                "simulate", try session(in: folder), "--policy", "lru,fifo,belady,belady-bypass,belady-size",
                "--capacity", capacities, "--bounds", "--no-charts", "--output", output.path)
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

    @Test("At random, the bound is at most what is known, and that is at most every row, also of a later policy")
    func random() throws {
        try withTemporaryFolder { folder in
            var random = SplitMix64(seed: 56)
            for number in 0..<4 {
                var text = "time,key,size\n"
                for time in 0..<3_000 {
                    let key = min(Int(random.next() % 400), Int(random.next() % 400))
                    text += "\(time),\(key),\(1 + key % 13 + (number > 1 ? Int(random.next() % 5) : 0))\n"
                }
                let file = try folder.write(text, to: "\(number).csv")
                let output = folder.appendingPathComponent("out-\(number)")
                let own = [
                    "simulate", file, "--capacity", "90B,300B", "--bounds", "--no-charts", "--output", output.path,
                ]
                let lists = [
                    ["lru,gdsf", "--sizes", "latest"],
                    ["lru,gdsf,belady-bypass,belady-size,s3fifo", "--sizes", "latest", "--resume"],
                ]
                for list in lists {
                    try Command.succeed(own + ["--policy"] + list)
                    let policies = rows(try output.text("miss_ratio.csv"))
                    for bound in rows(try output.text("least_misses.csv")) {
                        let same = policies.filter { $0["capacity"] == bound["capacity"] }
                        #expect(same.count == list[0].split(separator: ",").count)
                        for (least, known, figure) in [
                            ("least_misses", "known_misses", "misses"),
                            ("least_miss_bytes", "known_miss_bytes", "miss_bytes"),
                        ] {
                            let (least, known) = (column(least, [bound])[0], column(known, [bound])[0])
                            #expect(least <= known && column(figure, same).allSatisfy { known <= $0 })
                        }
                    }
                }
            }
        }
    }

    @Test("Shares of a trace, objects of one size, and traces without sizes, without a policy")
    func capacities() throws {
        try withTemporaryFolder { folder in
            // The objects have 8 bytes, so that the half is room for 4.
            let file = try session(in: folder)
            let shares = try leastMisses(Command.run("simulate", file, "--capacity", "50%,100%", "--bounds", "--json"))
            #expect(shares.map { $0["known_misses"] as? Int } == [8, 4])
            #expect(shares.map { $0["least_miss_bytes"] as? Int } == [16, 8])
            // There and back: with room for one object, only the fourth is kept; with room for two, the third too.
            let order = [0, 1, 2, 3, 3, 2, 1, 0]
            let keys = try folder.write(order.map { "\($0)\n" }.joined(), to: "keys.txt")
            let lines = order.enumerated().map { "\($0.offset),\($0.element),9\n" }
            let sized = try folder.write("time,key,size\n" + lines.joined(), to: "sized.csv")
            for arguments in [[keys], [sized, "--ignore-size"]] {
                let run = try Command.run(
                    ["simulate"] + arguments + ["--capacity", "1 objects,2 objects", "--bounds", "--json"])
                let counted = try leastMisses(run)
                #expect(counted.map { $0["least_misses"] as? Int } == [7, 6], "\(arguments)")
                #expect(counted.allSatisfy { $0["known_miss_bytes"] is NSNull && $0["request_bytes"] is NSNull })
            }
            // Capacities in objects leave missed bytes as they are.
            let objects = try leastMisses(
                Command.run("simulate", sized, "--capacity", "2 objects", "--bounds", "--json"))
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
                try Command.run(
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

    @Test("Traces without sizes have no capacities in bytes, and a large trace is read as a whole")
    func reading() throws {
        try withTemporaryFolder { folder in
            let keys = try folder.write("0\n1\n0\n", to: "keys.txt")
            let unsized = try Command.run("simulate", keys, "--bounds", "--capacity", "1MB")
            #expect(unsized.status == 64 && unsized.errors.contains("so 1MB would count each object as 1 byte"))
            let large = try Command.run(
                "simulate", try session(in: folder), "--bounds", "--capacity", "5B", "--stream-above", "1B", "--json")
            #expect(large.errors.contains("as a whole because of --bounds"), "\(large.errors)")
            #expect(try leastMisses(large).map { $0["least_misses"] as? Int } == [6])
        }
    }
}
