import Foundation
import TestSupport
import Testing

/// The miss ratio over time.
@Suite("simulate --every", .namesCommands)
struct SimulateEveryTests {
    /// LRU of two objects: A and B miss, A hits, C pushes B out, B pushes A out, A pushes C out.
    private static func file(in folder: URL) throws -> String {
        let rows = ["0,A,10", "1,B,20", "2,A,10", "3,C,30", "4,B,20", "5,A,10"]
        return try folder.write("time_us,key,size\n" + rows.joined(separator: "\n") + "\n", to: "a.csv")
    }

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
            let run = try Binary.run(
                [
                    "simulate", try Self.file(in: folder), "--policy", "lru", "--capacity", "2 objects", "--no-charts",
                    "--output", output.path,
                ] + more)
            #expect(run.status == 0, "\(run.errors)")
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
            let file = try Self.file(in: folder)
            let command = [
                "simulate", file, "--policy", "lru,fifo,sieve", "--capacity", "1 objects,2 objects", "--every", "2",
                "--no-charts", "-q",
            ]
            let output = folder.appendingPathComponent("whole")
            let first = try Binary.run(command + ["-o", output.path])
            #expect(first.status == 0, "\(first.errors)")
            let whole = try output.text(Self.table)
            #expect(whole.split(separator: "\n").count == 1 + 6 * 3)
            // As after an interruption: the second row is missing, and its parts are there.
            let rows = try output.text("miss_ratio.csv").split(separator: "\n").map(String.init)
            let kept = rows.enumerated().filter { $0.offset != 2 }.map(\.element)
            _ = try output.write(kept.joined(separator: "\n") + "\n", to: "miss_ratio.csv")
            let resumed = try Binary.run(command + ["-o", output.path, "--resume"])
            #expect(resumed.status == 0, "\(resumed.errors)")
            let again = try output.text(Self.table)
            #expect(again == whole)
            let shards = (1...2).map { folder.appendingPathComponent("shard\($0)") }
            for (index, shard) in shards.enumerated() {
                let run = try Binary.run(command + ["-o", shard.path, "--shard", "\(index + 1)/2"])
                #expect(run.status == 0, "\(run.errors)")
            }
            let joined = folder.appendingPathComponent("joined")
            let merged = try Binary.run(["merge"] + shards.map(\.path) + ["-o", joined.path, "--no-charts", "-q"])
            #expect(merged.status == 0, "\(merged.errors)")
            let parts = try joined.text(Self.table)
            #expect(parts == whole)
        }
    }

    @Test("JSON has the parts in each row, also without a folder and of kept rows", arguments: [false, true])
    func json(hasFolder: Bool) throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out").path
            let command =
                [
                    "simulate", try Self.file(in: folder), "--policy", "lru", "--capacity", "1 objects,2 objects",
                    "--every", "4us", "--no-charts", "-q",
                ] + (hasFolder ? ["--output", output] : [])
            if hasFolder {
                let first = try Binary.run(command)
                #expect(first.status == 0, "\(first.errors)")
            }
            let run = try Binary.run(command + ["--json"] + (hasFolder ? ["--resume"] : []))
            #expect(run.status == 0, "\(run.errors)")
            let rows = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
            try #require(rows?.count == 2)
            let parts = try #require(rows?[1]["over_time"] as? [[String: Any]])
            let names = ["first_request", "time_us", "requests", "misses", "request_bytes", "miss_bytes"]
            #expect(
                parts.map { part in names.map { part[$0] as? Int ?? -1 } } == [
                    [0, 0, 4, 3, 70, 60], [4, 4, 2, 2, 30, 30],
                ])
            #expect(parts.map { $0["miss_ratio"] as? Double } == [0.75, 1])
        }
    }

    @Test(
        "What --every excludes is refused with a remedy",
        arguments: [
            (["--every", "2", "--policy", "lru(1B)"], "--every needs --output"),
            (["--every", "2", "--curve", "--output", "none"], "--every needs --policy"),
            (["--every", "10%", "--policy", "lru(1B)", "--output", "none"], "or a time such as 1h"),
            (
                ["--every", "2", "--policy", "lru", "--capacity", "1B", "--output", "none", "--sample", "10%"],
                "leave --sample out"
            ),
        ] as [([String], String)])
    func refusals(more: [String], hint: String) throws {
        try withTemporaryFolder { folder in
            let run = try Binary.run(["simulate", try Self.file(in: folder)] + more)
            #expect(run.status == 64 && run.errors.contains(hint), "\(run.errors)")
        }
    }

    @Test("More than 10,000 parts are refused", arguments: [[], ["--stream"]])
    func tooManyParts(more: [String]) throws {
        try withTemporaryFolder { folder in
            let rows = (0..<10_001).map { "\($0),A,10" }
            let file = try folder.write("time_us,key,size\n" + rows.joined(separator: "\n") + "\n", to: "a.csv")
            let command = ["simulate", file, "--policy", "lru(1 objects)", "--json", "-q"] + more
            let run = try Binary.run(command + ["--every", "1"])
            #expect(run.status == 64 && run.errors.contains("--every 1 makes "), "\(run.errors)")
            #expect(run.errors.contains("parts of the trace, more than 10000; give a longer one"), "\(run.errors)")
            let fewer = try Binary.run(command + ["--every", "1", "--first", "10000"])
            #expect(fewer.status == 0, "\(fewer.errors)")
        }
    }
}
