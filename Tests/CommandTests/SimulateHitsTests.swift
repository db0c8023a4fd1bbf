import Foundation
import TestSupport
import Testing

/// Which requests hit.
@Suite("simulate --hits", .namesCommands)
struct SimulateHitsTests {
    /// A file of `hits/`, as the page "Studying policies" describes it.
    private struct HitsFile {
        var requests = 0
        var firstCounted = 0
        var description = ""
        var bits: [UInt8] = []

        init(_ url: URL) throws {
            let bytes = [UInt8](try Data(contentsOf: url))
            func number(_ place: Int, _ length: Int) -> Int {
                bytes[place..<place + length].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            try #require(bytes.count >= 32)
            #expect(Array(bytes[0..<4]) == Array("CRHT".utf8))
            #expect(number(4, 4) == 1)
            requests = number(8, 8)
            firstCounted = number(16, 8)
            let end = 32 + number(24, 8)
            try #require(bytes.count >= end)
            description = String(decoding: bytes[32..<end], as: UTF8.self)
            bits = Array(bytes[end...])
        }

        /// The counted requests that hit.
        var hits: Int { (firstCounted..<requests).count { bits[$0 / 8] >> UInt8($0 % 8) & 1 == 1 } }
    }

    @Test("A file has the hits of each policy and capacity, byte by byte")
    func bytes() throws {
        try withTemporaryFolder { folder in
            let output = folder.appendingPathComponent("out")
            try Command.succeed(
                "simulate", try folder.writeSixRequests(), "--policy", "lru,fifo(60B)", "--capacity",
                "1 objects,2 objects", "--warmup", "2", "--hits", "--no-charts", "--output", output.path)
            let hits = output.appendingPathComponent("hits")
            let names = try FileManager.default.contentsOfDirectory(atPath: hits.path).sorted()
            #expect(names.count == 3)
            #expect(names.contains("a--lru--1-objects.hits") && names.contains("a--lru--2-objects.hits"))
            let found = try HitsFile(hits.appendingPathComponent("a--lru--2-objects.hits"))
            #expect(found.requests == 6 && found.firstCounted == 2)
            #expect(found.description == #"{"trace":"a","policy":"lru","capacity":2,"unit":"objects"}"#)
            #expect(found.bits == [0b0000_0100])
            // With 60 bytes, all three objects stay: A, B and A again.
            let own = try #require(names.first { $0.hasPrefix("a--fifo-60b") && $0.hasSuffix("--own.hits") })
            let all = try HitsFile(hits.appendingPathComponent(own))
            #expect(all.bits == [0b0011_0100])
            // Of the counted requests A, C, B and A.
            #expect(all.hits == 3)
            for row in rows(try output.text("miss_ratio.csv")) where row["policy"] == "lru" && row["capacity"] == "2" {
                #expect(row["requests"] == "4" && row["misses"] == "3")
            }
            #expect(found.hits == 1)
        }
    }

    @Test("Joined shards have the files of all, and results without hits are not continued")
    func whole() throws {
        try withTemporaryFolder { folder in
            let command = [
                "simulate", try folder.writeSixRequests(), "--policy", "lru,fifo,sieve", "--capacity",
                "1 objects,2 objects", "--no-charts", "-q",
            ]
            let output = folder.appendingPathComponent("whole")
            try Command.succeed(command + ["--hits", "-o", output.path])
            let shards = (1...2).map { folder.appendingPathComponent("shard\($0)") }
            for (index, shard) in shards.enumerated() {
                try Command.succeed(command + ["--hits", "-o", shard.path, "--shard", "\(index + 1)/2"])
            }
            let joined = folder.appendingPathComponent("joined")
            try Command.succeed(["merge"] + shards.map(\.path) + ["-o", joined.path, "--no-charts", "-q"])
            let names = try FileManager.default.contentsOfDirectory(atPath: output.path + "/hits").sorted()
            #expect(names.count == 6)
            let copied = try FileManager.default.contentsOfDirectory(atPath: joined.path + "/hits").sorted()
            #expect(copied == names)
            for name in names {
                let one = try Data(contentsOf: output.appendingPathComponent("hits/\(name)"))
                let other = try Data(contentsOf: joined.appendingPathComponent("hits/\(name)"))
                #expect(one == other, "\(name)")
            }
            try Command.refuse(73, "with hits yes", command + ["-o", output.path, "--resume"])
            try Command.succeed(command + ["-o", output.path, "--force"])
            #expect(!FileManager.default.fileExists(atPath: output.path + "/hits"))
            try Command.refuse(73, "hits unknown, not yes", command + ["--hits", "-o", output.path, "--resume"])
        }
    }

    @Test("A trace in windows writes at most 900 files of hits at a time")
    func mostFiles() throws {
        try withTemporaryFolder { folder in
            let capacities = (1...901).map { "\($0) objects" }.joined(separator: ",")
            let output = folder.appendingPathComponent("out")
            let run = try Command.run(
                "simulate", try folder.writeSixRequests(), "--policy", "lru", "--capacity", capacities, "--stream",
                "--hits", "--no-charts", "--output", output.path)
            #expect(run.status == 64 && run.errors.contains("writes 901 files at a time, more than 900; give fewer"))
            #expect(!FileManager.default.fileExists(atPath: output.path + "/hits"))
        }
    }

    @Test("Windows have the same files", arguments: [[], ["--warmup", "3us"], ["--skip", "1", "--warmup", "40%"]])
    func windows(more: [String]) throws {
        try withTemporaryFolder { folder in
            let command =
                [
                    "simulate", try folder.writeSixRequests(), "--policy", "lru,sieve,fifo(60B)", "--capacity",
                    "1 objects,2 objects", "--hits", "--no-charts", "-q",
                ] + more
            let outputs = try [[], ["--stream"]].enumerated().map { index, stream in
                let output = folder.appendingPathComponent("out\(index)")
                try Command.succeed(command + stream + ["-o", output.path])
                return output.appendingPathComponent("hits")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: outputs[0].path).sorted()
            #expect(names.count == 5)
            let streamed = try FileManager.default.contentsOfDirectory(atPath: outputs[1].path).sorted()
            #expect(streamed == names)
            for name in names {
                let one = try Data(contentsOf: outputs[0].appendingPathComponent(name))
                let other = try Data(contentsOf: outputs[1].appendingPathComponent(name))
                #expect(one == other, "\(name)")
            }
        }
    }
}
