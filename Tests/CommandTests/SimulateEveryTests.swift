import Foundation
import TestSupport
import Testing

/// The miss ratio over time.
@Suite("simulate --every", .namesCommands)
struct SimulateEveryTests {
    private static let table = "miss_ratio_over_time.csv"

    @Test(
        "Each part counts its own requests, and the cache passes from part to part",
        arguments: [
            (
                ["--every", "2"],
                [
                    "first_request,time_us,requests,misses,request_bytes,miss_bytes", "0,0,2,2,30,30", "2,2,2,1,40,30",
                    "4,4,2,2,30,30",
                ]
            ),
            (["--every", "4us"], ["", "0,0,4,3,70,60", "4,4,2,2,30,30"]),
            (["--every", "1h"], ["", "0,0,6,5,100,90"]),
            (["--every", "900"], ["", "0,0,6,5,100,90"]),
            (["--every", "3", "--warmup", "1"], ["", "1,1,3,2,60,50", "4,4,2,2,30,30"]),
            (["--every", "4us", "--warmup", "1"], ["", "1,1,3,2,60,50", "4,4,2,2,30,30"]),
            // A and C miss; B and A miss.
            (["--every", "2", "--skip", "2"], ["", "0,2,2,2,40,40", "2,4,2,2,30,30"]),
            (["--every", "2", "--skip", "2", "--stream"], ["", "0,2,2,2,40,40", "2,4,2,2,30,30"]),
            (["--every", "4us", "--warmup", "1", "--stream"], ["", "1,1,3,2,60,50", "4,4,2,2,30,30"]),
            (["--every", "900", "--stream"], ["", "0,0,6,5,100,90"]),
        ] as [([String], [String])])
    func parts(more: [String], expected: [String]) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out")
            try Command.succeed(
                [
                    "simulate", try folder.writeSixRequests(), "--policy", "lru", "--capacity", "2 objects",
                    "--no-charts", "--output", output.path,
                ] + more)
            let lines = try output.text(Self.table).split(separator: "\n").map(String.init)
            try #require(lines.count == expected.count)
            let header = "trace,policy,capacity,unit,first_request,time_us,requests,misses,request_bytes,miss_bytes,"
            #expect(lines[0] == header + "miss_ratio,byte_miss_ratio")
            for (line, figures) in zip(lines.dropFirst(), expected.dropFirst()) {
                #expect(line.hasPrefix("a,lru,2,objects,\(figures),"), "\(line)")
            }
        }
    }

    @Test("A resumed simulation and joined shards have the parts of the whole")
    func whole() throws {
        try withTemporaryFolder { folder in
            let file = try folder.writeSixRequests()
            let command = [
                "simulate", file, "--policy", "lru,fifo,sieve", "--capacity", "1 objects,2 objects", "--every", "2",
                "--no-charts", "-q",
            ]
            let output = folder.appendingPathComponent("whole")
            try Command.succeed(command + ["-o", output.path])
            let whole = try output.text(Self.table)
            #expect(whole.split(separator: "\n").count == 1 + 6 * 3)
            // As after an interruption: the second row is missing, and its parts are there.
            let rows = try output.text("miss_ratio.csv").split(separator: "\n").map(String.init)
            let kept = rows.enumerated().filter { $0.offset != 2 }.map(\.element)
            _ = try output.write(kept.joined(separator: "\n") + "\n", to: "miss_ratio.csv")
            try Command.succeed(command + ["-o", output.path, "--resume"])
            let again = try output.text(Self.table)
            #expect(again == whole)
            let shards = (1...2).map { folder.appendingPathComponent("shard\($0)") }
            for (index, shard) in shards.enumerated() {
                try Command.succeed(command + ["-o", shard.path, "--shard", "\(index + 1)/2"])
            }
            let joined = folder.appendingPathComponent("joined")
            try Command.succeed(["merge"] + shards.map(\.path) + ["-o", joined.path, "--no-charts", "-q"])
            let parts = try joined.text(Self.table)
            #expect(parts == whole)
        }
    }

    @Test("More than 10,000 parts are refused", arguments: [[], ["--stream"]])
    func tooManyParts(more: [String]) throws {
        try withTemporaryFolder { folder in
            let rows = (0..<10_001).map { "\($0),A,10" }
            let file = try folder.write("time_us,key,size\n" + rows.joined(separator: "\n") + "\n", to: "a.csv")
            let command = ["simulate", file, "--policy", "lru(1 objects)", "--json", "-q"] + more
            let run = try Command.run(command + ["--every", "1"])
            #expect(run.status == 64 && run.errors.contains("--every 1 makes "), "\(run.errors)")
            #expect(run.errors.contains("parts of the trace, more than 10000; give a longer one"), "\(run.errors)")
            try Command.succeed(command + ["--every", "1", "--first", "10000"])
        }
    }
}
