import CachePolicies
import Foundation
import TestSupport
import Testing

/// Which policies `simulate --policy` chooses.
@Suite("simulate --policy", .namesCommands)
struct SimulatePolicyTests {
    /// 100 requests of 20 objects of 10 bytes in a loop. LRU with room for 10 of them misses each request.
    private static func loop(in folder: URL) throws -> String {
        let rows = (0..<100).map { "\($0),k\($0 % 20),10\n" }.joined()
        return try folder.write("time_us,key,size\n" + rows, to: "loop.csv")
    }

    @Test("all stands for every policy that needs only a capacity, once")
    func all() throws {
        try withTemporaryFolder { folder in
            let file = try Self.loop(in: folder)
            let run = try Command.succeed(
                "simulate", file, "--policy", "unbounded,sieve,ALL", "--capacity", "100B", "--json")
            let rows = try run.objects()
            let names = rows.compactMap { $0["policy"] as? String }
            let others = PolicyRegistry.builtIn.entries.filter(\.needsOnlyCapacity).map(\.name).filter { $0 != "sieve" }
            #expect(names == ["unbounded", "sieve"] + others)
            let misses = Dictionary(uniqueKeysWithValues: zip(names, rows.map { $0["misses"] as? Int }))
            #expect(misses["unbounded"] == 20)
            #expect(misses["lru"] == 100)
            #expect(misses["fifo"] == 100)
        }
    }

    @Test("Policies that know the future are left out of a trace in windows, by name, and the sweep goes on")
    func leftOut() throws {
        try withTemporaryFolder { folder in
            let file = try Self.loop(in: folder)
            let output = folder.appendingPathComponent("out")
            let run = try Command.succeed(
                "simulate", file, "--policy", "all", "--capacity", "100B,150B", "--stream", "--no-charts", "--output",
                output.path)
            let future = ["belady", "belady-bypass", "belady-size"]
            for name in future {
                #expect(run.errors.contains("loop: warning: \(name) is left out: it needs the future requests"))
            }
            let table = rows(try output.text("miss_ratio.csv"))
            let count = PolicyRegistry.builtIn.entries.filter(\.needsOnlyCapacity).count
            #expect(table.count == 2 * (count - future.count))
            let data = try Data(contentsOf: output.appendingPathComponent("run.json"))
            let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let leftOut = json?["leftOut"] as? [[String: String]] ?? []
            #expect(leftOut.compactMap { $0["policy"] } == future)
            #expect(leftOut.allSatisfy { $0["trace"] == "loop" && $0["capacity"] == nil })
            let named = try Command.run("simulate", file, "--policy", "lru,belady", "--capacity", "100B", "--stream")
            #expect(named.status == 0 && named.errors.contains("belady is left out"), "\(named.errors)")
            let alone = try Command.run("simulate", file, "--policy", "belady", "--capacity", "100B", "--stream")
            #expect(alone.status == 64 && alone.errors.contains("leave one of the two out"), "\(alone.errors)")
        }
    }

    @Test("Names are read in any case, and results have the names of the registry")
    func names() throws {
        try withTemporaryFolder { folder in
            let file = try Self.loop(in: folder)
            let run = try Command.succeed(
                "simulate", file, "--policy", "LRU,S3-FIFO,2Q(50B),TTL(Lru, lifetime: 9s),lru", "--capacity", "100B",
                "--json")
            let names = try run.objects().map { $0["policy"] as? String }
            #expect(names == ["lru", "s3fifo", "2q(50B)", "ttl(lru, lifetime: 9s)"])
            let wrong = try Command.run("simulate", file, "--policy", "LUR", "--capacity", "100B")
            #expect(wrong.status == 64 && wrong.errors.contains("there is no policy 'LUR'; did you mean 'lru'?"))
        }
    }
}
