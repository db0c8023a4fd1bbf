import CacheTraces
import Foundation
import Testing

/// What `simulate` says where memory, a capacity or a file sets a limit.
@Suite("Limits of simulate", .namesCommands)
struct SimulateLimitsTests {
    /// Runs the command with an address space of some kilobytes.
    private static func run(addresses kilobytes: Int, _ arguments: [String]) throws -> Binary.Outcome {
        try Binary.execute("/bin/sh", ["-c", "ulimit -v \(kilobytes) && exec \"$0\" \"$@\"", Binary.path] + arguments)
    }

    #if os(Linux)
    @Test("A compressed session whose content does not fit in memory ends with a sentence")
    func bomb() throws {
        try withTemporaryFolder { folder in
            // A gzip file is a row of members: 100 times 10 MB.
            let row = Array("{\"t\":1,\"e\":\"appear\",\"key\":\"a\"}\n".utf8)
            let member = try Compression.gzip.compress(
                Array([[UInt8]](repeating: row, count: 10_000_000 / row.count).joined()), file: "bomb")
            let path = folder.appendingPathComponent("bomb.jsonl.gz")
            try Data([[UInt8]](repeating: member, count: 100).joined()).write(to: path)
            let run = try Self.run(addresses: 600_000, ["simulate", path.path, "--policy", "lru", "--capacity", "10%"])
            #expect(run.status == 74)
            #expect(
                run.errors.contains("there is not enough memory for its content") && run.errors.contains("--stream"))
        }
    }

    @Test("A trace that does not fit in memory is refused before it is read, with the amounts, or read in windows")
    func large() throws {
        try withTemporaryFolder { folder in
            // 100 million requests of object 0, of which no byte is on the disk.
            let path = folder.appendingPathComponent("a.oracleGeneral.bin").path
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, 2_400_000_000) == 0)
            let run = try Self.run(addresses: 1_000_000, ["simulate", path, "--policy", "lru", "--capacity", "10%"])
            #expect(run.status == 74)
            #expect(run.errors.contains("takes 2.8 GB of memory or more") && run.errors.contains("are available"))
            #expect(run.errors.contains("use --stream"))
        }
    }
    #endif

    @Test("A capacity that a policy does not support leaves out its row, and no other")
    func unsupportedCapacity() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("a.csv")
            try Data("time_us,key,size\n0,a,10\n1,b,10\n2,a,10\n".utf8).write(to: file)
            let output = folder.appendingPathComponent("results")
            for more in [[], ["--stream"]] {
                let run = try Command.succeed(
                    [
                        "simulate", file.path, "--policy", "lru,w-tinylfu(compat: libcachesim)", "--capacity",
                        "1MB,64MB", "--output", output.path, "--force", "--no-charts",
                    ] + more)
                #expect(
                    run.errors.contains(
                        "a: warning: w-tinylfu(compat: libcachesim) at 64MB is left out: compat: libcachesim counts in")
                )
                #expect(try output.text("miss_ratio.csv").split(separator: "\n").count == 4)
            }
            let alone = try Command.run(
                "simulate", file.path, "--policy", "w-tinylfu(compat: libcachesim)", "--capacity", "64MB")
            #expect(alone.status == 64 && alone.errors.contains("at most 16777216"))
        }
    }

    @Test("--sizes chooses among the sizes of an object, and is refused where there is one for each")
    func sizes() throws {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("a.csv")
            let rows = ["0,A,10", "1,B,10", "2,A,30", "3,C,10", "4,B,10", "5,A,10"]
            try Data(("time_us,key,size\n" + rows.joined(separator: "\n") + "\n").utf8).write(to: file)
            func misses(_ more: String...) throws -> [Int] {
                let run = try Command.run(["simulate", file.path, "--policy", "lru(40B)", "--json"] + more)
                let row = try #require(run.objects().first)
                return [row["misses"] as? Int ?? -1, row["request_bytes"] as? Int ?? -1]
            }
            #expect(try misses() == [3, 80])
            #expect(try misses("--sizes", "insertion") == [3, 80])
            #expect(try misses("--sizes", "first") == [3, 60])
            #expect(try misses("--sizes", "latest") == [5, 80])
            #expect(try misses("--sizes", "latest", "--stream") == [5, 80])
            let curve = try Command.run("simulate", file.path, "--curve")
            #expect(curve.status == 64 && curve.errors.contains("--sizes first"))
            #expect(try Command.run("simulate", file.path, "--curve", "--sizes", "first").status == 0)
            let session = try Command.run(
                "simulate", "Traces/photo-feed.jsonl", "--policy", "lru(4MB)", "--sizes", "latest")
            #expect(session.status == 64 && session.errors.contains("one for each object"))
        }
    }
}
