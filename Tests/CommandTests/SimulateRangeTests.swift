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
            let run = try Command.succeed("simulate", file, "--policy", "lru", "--capacity", capacity, "--json")
            #expect(try run.objects().map { $0["capacity"] as? Int ?? -1 } == expected)
        }
    }
}
