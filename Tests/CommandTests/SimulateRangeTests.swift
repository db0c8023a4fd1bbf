import Foundation
import TestSupport
import Testing

/// Ranges of capacities in `simulate --capacity`.
@Suite("Ranges of simulate --capacity", .namesCommands)
struct SimulateRangeTests {
    /// Five objects of 10 bytes.
    private static func file(in folder: URL) throws -> String {
        let rows = (0..<10).map { "\($0),k\($0 % 5),10\n" }.joined()
        return try folder.write("time_us,key,size\n" + rows, to: "a.csv")
    }

    @Test(
        "A range is its first capacity, the doubles of it, and the last one; the others repeat nothing",
        arguments: [
            ("1 objects..5 objects", [1, 2, 4, 5]), ("1 objects..4 objects", [1, 2, 4]), ("7B..7B", [7]),
            ("10B..40B,20B,50B", [10, 20, 40, 50]), ("10B .. 30B", [10, 20, 30]), ("20%..100%", [10, 20, 40, 50]),
        ] as [(String, [Int])])
    func ranges(capacity: String, expected: [Int]) throws {
        try withTemporaryFolder { folder in
            let file = try Self.file(in: folder)
            let run = try Binary.run("simulate", file, "--policy", "lru", "--capacity", capacity, "--json")
            #expect(run.status == 0, "\(run.errors)")
            let rows = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]] ?? []
            #expect(rows.map { $0["capacity"] as? Int ?? -1 } == expected)
        }
    }

    @Test("A range works in windows, too")
    func windows() throws {
        try withTemporaryFolder { folder in
            let file = try Self.file(in: folder)
            let run = try Binary.run(
                "simulate", file, "--policy", "lru", "--capacity", "10B..50B", "--stream", "--json")
            #expect(run.status == 0, "\(run.errors)")
            let rows = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]] ?? []
            // A loop of five objects hits only where all of them fit.
            #expect(rows.map { $0["misses"] as? Int ?? -1 } == [10, 10, 10, 5])
        }
    }

    @Test(
        "What is no range is refused with a remedy",
        arguments: [
            ("4MB..1MB", "write the smaller one first"), ("0B..1MB", "does not rise from a value above 0"),
            ("1MB..5%", "has two units"), ("1MB..2MB..3MB", "is not a range such as 1MB..64MB"),
            ("1..5 objects", "'1' has no unit"), ("1MB..", "is not a size such as"),
        ] as [(String, String)])
    func refusals(capacity: String, hint: String) throws {
        try withTemporaryFolder { folder in
            let file = try Self.file(in: folder)
            let run = try Binary.run("simulate", file, "--policy", "lru", "--capacity", capacity)
            #expect(run.status == 64 && run.errors.contains(hint), "\(run.errors)")
        }
    }
}
