import Foundation
import Testing

/// A long trace whose only policy runs while it is read.
@Suite("simulate: reading and simulating at once", .namesCommands)
struct SimulateOverlapTests {
    /// 700,000 records, 16.8 MB: request n is of object n * n % 9973, whose size changes after half of the trace.
    private static func records() -> Data {
        let count = 700_000
        var data = Data(capacity: count * 24)
        for index in 0..<count {
            let object = UInt64(index) * UInt64(index) % 9_973
            let size = UInt32(100 + object % 500 + (index > count / 2 ? 7 : 0))
            withUnsafeBytes(of: UInt32(index / 100).littleEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: object.littleEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: size.littleEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: Int64(-1).littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    private static func row(_ arguments: [String]) throws -> [String: String] {
        let run = try Command.succeed(["simulate"] + arguments + ["--json"])
        var row = try #require(run.objects().first).mapValues { "\($0)" }
        row["requests_per_s"] = nil
        row["warnings"] = run.errors
        return row
    }

    @Test("The figures and warnings are those of reading first")
    func equal() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("a.oracleGeneral.bin").path
            try Self.records().write(to: URL(fileURLWithPath: path))
            for policy in ["lru", "ttl(s3fifo, lifetime: 100s)"] {
                for sizes in ["insertion", "latest"] {
                    let arguments = [path, "--policy", policy, "--capacity", "500KB", "--sizes", sizes]
                    let one = try Self.row(arguments + ["--jobs", "1"])
                    #expect(one["requests"] == "700000")
                    #expect(try Self.row(arguments + ["--jobs", "2"]) == one)
                    #expect(try Self.row(arguments + ["--jobs", "2", "--stream"]) == one)
                }
            }
            // A capacity that is a share needs the whole trace, also beside a policy with a size of its own.
            let share = try Self.row([path, "--policy", "lru", "--capacity", "10%", "--jobs", "2"])
            #expect(share["requests"] == "700000")
            let own = try Self.row([path, "--policy", "lru(500KB)", "--capacity", "10%", "--jobs", "2"])
            #expect(own["requests"] == "700000")
        }
    }

    @Test("A file that is cut is the same error")
    func cut() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("a.oracleGeneral.bin").path
            try Self.records().dropLast(5).write(to: URL(fileURLWithPath: path))
            for jobs in ["1", "2"] {
                let run = try Command.run("simulate", path, "--policy", "lru(1MB)", "--jobs", jobs)
                #expect(run.status == 65)
                #expect(run.errors.contains("19 of 24 bytes"))
            }
        }
    }
}
