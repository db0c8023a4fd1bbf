import Foundation
import TestSupport
import Testing

/// The options of `simulate` about which requests of a trace count.
@Suite("Parts of a trace in simulate", .namesCommands)
struct SimulatePartTests {
    private static let figures = ["requests", "misses", "request_bytes", "miss_bytes", "warmup_requests"]

    /// Returns figures of the only row of LRU with two objects; -1 for those that are missing.
    private func simulate(_ file: String, _ more: [String]) throws -> [Int] {
        let run = try Command.succeed(["simulate", file, "--policy", "lru(2 objects)", "--json"] + more)
        let row = try #require(try run.objects().first)
        return Self.figures.map { row[$0] as? Int ?? -1 }
    }

    @Test(
        "Requests of the warm-up change the cache, and are not counted",
        arguments: [
            ([], [6, 5, 100, 90, -1]),
            (["--warmup", "2"], [4, 3, 70, 60, 2]),
            (["--warmup", "3"], [3, 3, 60, 60, 3]),
            (["--warmup", "50%"], [3, 3, 60, 60, 3]),
            (["--warmup", "3us"], [3, 3, 60, 60, 3]),
            (["--warmup", "1%"], [6, 5, 100, 90, 0]),
            (["--warmup", "2", "--stream"], [4, 3, 70, 60, 2]),
            (["--warmup", "50%", "--stream"], [3, 3, 60, 60, 3]),
            (["--warmup", "3us", "--stream"], [3, 3, 60, 60, 3]),
            (["--warmup", "1%", "--stream"], [6, 5, 100, 90, 0]),
            (["--skip", "1", "--first", "3", "--warmup", "33%", "--stream"], [2, 2, 40, 40, 1]),
            (["--skip", "1", "--first", "3", "--warmup", "2us", "--stream"], [2, 2, 40, 40, 1]),
            (["--warmup", "2", "--ignore-size"], [4, 3, -1, -1, 2]),
            // A and C miss, B misses, A, which C and B pushed out, misses.
            (["--skip", "2"], [4, 4, 70, 70, -1]),
            (["--first", "3"], [3, 2, 40, 30, -1]),
            (["--first", "900"], [6, 5, 100, 90, -1]),
            // B, A, C.
            (["--skip", "1", "--first", "3"], [3, 3, 60, 60, -1]),
            (["--skip", "1", "--first", "3", "--warmup", "1"], [2, 2, 40, 40, 1]),
            (["--skip", "2", "--stream"], [4, 4, 70, 70, -1]),
            (["--first", "3", "--stream"], [3, 2, 40, 30, -1]),
            (["--skip", "1", "--first", "3", "--warmup", "1", "--stream"], [2, 2, 40, 40, 1]),
        ] as [([String], [Int])])
    func warmup(more: [String], expected: [Int]) throws {
        try withTemporaryFolder { folder in
            let found = try simulate(folder.writeSixRequests(), more)
            #expect(found == expected)
        }
    }

    @Test("Shares are shares of the part, and a curve is that of the part")
    func shares() throws {
        try withTemporaryFolder { folder in
            let file = try folder.writeSixRequests()
            // A and B have 30 bytes.
            let run = try Command.succeed(
                "simulate", file, "--first", "3", "--policy", "lru", "--capacity", "100%", "--curve", "--json")
            let json = try #require(try run.object() as? [String: [[String: Any]]])
            let row = try #require(json["rows"]?.first)
            #expect(row["capacity"] as? Int == 30)
            #expect(row["misses"] as? Int == 2)
            let point = try #require(json["curve"]?.first)
            #expect(point["capacity"] as? Int == 30)
        }
    }

    @Test("Results name the warm-up, and are resumed only with the same one")
    func results() throws {
        try withTemporaryFolder { folder in
            let file = try folder.writeSixRequests()
            let output = folder.appendingPathComponent("out")
            func run(_ more: String...) throws -> Binary.Outcome {
                try Command.run(
                    [
                        "simulate", file, "--policy", "lru", "--capacity", "2 objects", "--no-charts", "--output",
                        output.path,
                    ]
                        + more)
            }
            #expect(
                try run("--warmup", "2").output.contains(
                    "The first 2 requests of a trace change the caches, and are not counted"))
            let table = try output.text("miss_ratio.csv")
            #expect(table.hasPrefix("trace,policy,capacity,unit,requests,"))
            let row = try #require(rows(table).first)
            #expect(row["warmup_requests"] == "2" && row["requests"] == "4" && row["misses"] == "3")
            #expect(try run("--warmup", "2", "--resume").status == 0)
            #expect(try output.text("miss_ratio.csv") == table)
            let other = try run("--resume")
            #expect(other.status == 73 && other.errors.contains("with warmup 2, not none"), "\(other.errors)")
        }
    }

    @Test("A warm-up as a share of a pipe is refused: its requests cannot be counted first")
    func share() throws {
        try withTemporaryFolder { folder in
            let pipe = folder.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let run = try Command.run(
                "simulate", pipe, "--format", "csv", "--policy", "lru(2 objects)", "--stream", "--warmup", "50%")
            #expect(run.status == 64 && run.errors.contains("this is a pipe or a device; give a number of requests"))
        }
    }

    @Test(
        "What parts and a warm-up exclude is refused with a remedy",
        arguments: [
            (["--warmup", "6"], "--warmup 6 has all 6 requests of the trace"),
            (["--warmup", "7", "--stream"], "--warmup 7 has all 6 requests of the trace"),
            (["--warmup", "1h"], "give a shorter warm-up"),
            (["--warmup", "2", "--curve"], "leave --warmup out, or give --policy lru"),
            (["--warmup", "2", "--bounds", "--capacity", "2 objects"], "leave --warmup out"),
            (["--warmup", "2", "--sample", "10%"], "leave --sample out"),
            (["--warmup", "1h", "--stream"], "--warmup 1h has all 6 requests of the trace"),
            (["--warmup", "0"], "a number of requests above 0"),
            (["--warmup", "100%"], "below 100%"),
            (["--warmup", "soon"], "a time such as 1h"),
            (["--skip", "0"], "--skip is 0, but must be at least 1"),
            (["--first", "0"], "--first is 0, but must be at least 1"),
            (["--skip", "6", "--stream"], "--skip 6 leaves none of the trace's 6 requests"),
            (["--skip", "6"], "--skip 6 leaves none of the trace's 6 requests"),
        ] as [([String], String)])
    func refusals(more: [String], hint: String) throws {
        try withTemporaryFolder { folder in
            let file = try folder.writeSixRequests()
            try Command.refuse(64, hint, ["simulate", file, "--policy", "lru(2 objects)"] + more)
        }
    }
}
