import CacheTraces
import Foundation
import SessionModel
import TestSupport
import Testing

/// One file of the shared data with its reference counts.
struct IndexRow: Sendable, CustomTestStringConvertible {
    var path: String
    var requests: Int
    var keys: Int

    var testDescription: String { path }

    /// The rows under `folder` that give both counts.
    static func all(under folder: String) -> [IndexRow] {
        guard let text = try? String(contentsOfFile: SharedData.path("index.csv"), encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
            let fields = split(line)
            guard fields.count > 3, fields[0].hasPrefix(folder + "/"), let requests = Int(fields[2]),
                let keys = Int(fields[3])
            else { return nil }
            return IndexRow(path: fields[0], requests: requests, keys: keys)
        }
    }

    /// At commas outside quotes.
    private static func split(_ line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}

@Suite("Classic traces, as their repositories hold them", .enabled(if: SharedData.isPresent))
struct ClassicSharedDataTests {
    /// The format that each file must be recognised as.
    static func format(of path: String) -> String {
        let names = [
            ("lirs_", "lirs"), ("arc_", "arc"), ("adaptsize", "webcachesim"), ("cache2k", "cache2k"),
            ("corda", "corda"), ("address", "address"),
            (".vscsi", "vscsi"), (".csv", "csv"), (".txt", "text"), ("oracleGeneral", "oracleGeneral"),
        ]
        return names.first { path.contains($0.0) }?.1 ?? "?"
    }

    @Test(
        "Every file is recognised and gives the requests and keys of the index",
        arguments: IndexRow.all(under: "traces"))
    func counts(row: IndexRow) throws {
        let path = SharedData.path(row.path)
        let input = try TraceInput(path: path)
        #expect(try TraceFormat.sniffed(input).name == Self.format(of: row.path))
        var notes = ReadingNotes()
        let dense = try DenseTrace(input, .init(), &notes)
        #expect(dense.objects.count == row.requests)
        #expect(dense.objectCount == row.keys)
    }

    @Test(
        "Keys and order come through: what is made of events is what is made of numbers",
        arguments: IndexRow.all(under: "traces").filter { $0.requests < 200_000 })
    func sameByBothWays(row: IndexRow) throws {
        let path = SharedData.path(row.path)
        let trace = try Trace(contentsOf: path)
        #expect(Set(trace.objects.map(\.key)).count == row.keys)
        #expect(try DenseTrace(contentsOf: path).isEqual(to: DenseTrace(trace)))
    }

    @Test("One trace in four encodings is one sequence of keys and, if they are recorded, of sizes and seconds")
    func encodings() throws {
        let names = [
            "cloudPhysicsIO.oracleGeneral.bin", "cloudPhysicsIO.csv", "cloudPhysicsIO.vscsi", "cloudPhysicsIO.txt",
        ]
        let traces = try names.map { try Trace(contentsOf: SharedData.path("traces/" + $0)) }
        for trace in traces.dropFirst() {
            #expect(trace.objects.map(\.key) == traces[0].objects.map(\.key))
            #expect(trace.events.map(\.action) == traces[0].events.map(\.action))
        }
        #expect(traces[1].objects == traces[0].objects)
        #expect(traces[2].objects == traces[0].objects)
        #expect(traces[3].objects.allSatisfy { $0.bytes == nil })
        #expect(abs(traces[2].duration - traces[0].duration) <= 1_000_000)
    }
}

extension DenseTrace {
    /// Whether it simulates alike: next accesses, which only compiled traces bring, are left out.
    func isEqual(to other: DenseTrace) -> Bool {
        objects == other.objects && ticks == other.ticks && epochs == other.epochs && sizes == other.sizes
            && requestSizes == other.requestSizes && variants == other.variants
            && exceptions == other.exceptions && objectCount == other.objectCount && uniqueBytes == other.uniqueBytes
            && requestBytes == other.requestBytes
    }
}
