import Foundation
import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// A delete, or the end of a lifetime, takes a value from every cache.
@Suite("Lifetimes and deletes of key-value traces")
struct ValueLivesTests {
    /// A word for each event of the session and of the columns, which must agree.
    private func story(_ bytes: [UInt8], _ name: String, window: Int? = nil) throws -> String {
        let input = TraceInput(bytes: bytes, path: name)
        let reading = try TraceReading(input)
        let session = reading.trace.events.map { event in
            switch event.action {
            case .appear(let object, _): "\(event.time / 1_000_000)\(reading.trace.objects[Int(object)].key)"
            case .remove(let object): "-\(reading.trace.objects[Int(object)].key)"
            default: "?"
            }
        }
        var notes = ReadingNotes()
        let dense = try DenseTrace(input, DenseTrace.Options(), &notes)
        var columns: [String] = []
        var exceptions = dense.exceptions[...]
        for index in 0..<dense.objects.count {
            while let exception = exceptions.first, exception.position == index {
                guard case .removal(let object) = exception.kind else { break }
                columns.append("-\(reading.trace.objects[Int(object)].key)")
                exceptions.removeFirst()
            }
            let key = reading.trace.objects[Int(dense.objects[index])].key
            columns.append("\(dense.time(of: index) / 1_000_000)\(key)")
        }
        #expect(columns == session)
        return session.joined(separator: " ")
    }

    /// Records of `twr`: seconds, id, operation, lifetime.
    private func twr(_ rows: [(UInt32, UInt64, MemcachedOperation, UInt32)]) -> [UInt8] {
        rows.flatMap { row in
            little(row.0) + little(row.1) + little(UInt32(3 << 22 | 100))
                + little(UInt32(row.2.rawValue) << 24 | row.3)
        }
    }

    private func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static let rows: [(UInt32, UInt64, MemcachedOperation, UInt32)] = [
        (0, 7, .set, 10), (1, 7, .get, 0), (2, 8, .get, 0), (9, 7, .get, 0),
        // The first life ends at 10; no other begins.
        (10, 7, .get, 0), (30, 7, .get, 0),
        // A new value lives for 5 seconds, and the write at 33 lets it live on.
        (31, 7, .set, 5), (32, 7, .get, 0), (33, 7, .set, 5), (37, 7, .get, 0), (38, 7, .get, 0),
        // A delete of what is held, of what never was, and of what is gone.
        (40, 8, .delete, 0), (41, 9, .delete, 0), (42, 8, .get, 0),
        // A read states a lifetime, which begins with the first read.
        (50, 6, .get, 4), (52, 6, .get, 4), (54, 6, .get, 4), (57, 6, .get, 4), (58, 6, .get, 4),
        // A write without a lifetime ends the counting, and an addition to the value does not.
        (60, 5, .set, 3), (61, 5, .get, 0), (62, 5, .append, 0), (63, 5, .get, 0), (64, 5, .set, 2), (65, 5, .set, 0),
        (70, 5, .get, 0),
    ]

    private static let told = """
        1{7} 2{8} 9{7} -{7} 10{7} 30{7} 32{7} 37{7} -{7} 38{7} -{8} 42{8} 50{6} 52{6} -{6} 54{6} 57{6} -{6} 58{6} \
        61{5} -{5} 63{5} 70{5}
        """

    /// Returns the words with keys, and with times from the first request.
    private static func told(_ key: (Int) -> String) -> String {
        told.split(separator: " ").map { word in
            let parts = word.dropLast().split(separator: "{", omittingEmptySubsequences: false)
            return (Int(parts[0]).map { "\($0 - 1)" } ?? "-") + (Int(parts[1]).map(key) ?? "?")
        }.joined(separator: " ")
    }

    @Test("twr")
    func binary() throws {
        let story = try story(twr(Self.rows), "a.twr")
        #expect(story == Self.told { "\($0)" })
    }

    @Test("Twitter's CSV, and Meta's key-value CSV")
    func texts() throws {
        let twitter = Self.rows.map { "\($0.0),k\($0.1),2,100,1,\($0.2),\($0.3)" }.joined(separator: "\n")
        #expect(try story(Array(twitter.utf8), "a.csv") == Self.told { "k\($0)" })
        let meta = Self.rows.filter { $0.2 != .append }.map { row in
            let operation = row.2 == .get ? "GET" : row.2 == .delete ? "DELETE" : "SET"
            return "\(row.0),k\(row.1),2,\(operation),1,100,\(row.3)"
        }
        let text = "op_time,key,key_size,op,op_count,size,ttl\n" + meta.joined(separator: "\n")
        #expect(try story(Array(text.utf8), "a.csv") == Self.told { "k\($0)" })
    }

    @Test("lcs, version 3, in batches and in windows")
    func lcs() throws {
        var head = [UInt8](repeating: 0, count: 8192)
        head.replaceSubrange(0..<8, with: little(0x1234_5678_9ABC_DEF0 as UInt64))
        head.replaceSubrange(8..<16, with: little(3 as UInt64))
        head.replaceSubrange(8184..<8192, with: little(0x1234_5678_9ABC_DEF0 as UInt64))
        let records = Self.rows.flatMap { row in
            little(row.0) + little(row.1) + little(100 as Int64) + little(UInt32(row.2.rawValue)) + little(row.3)
                + little(-1 as Int64)
        }
        let bytes = head + records
        #expect(try story(bytes, "a.lcs") == Self.told { "\($0)" })
        var notes = ReadingNotes()
        let whole = try DenseTrace(TraceInput(bytes: bytes, path: "a.lcs"), DenseTrace.Options(), &notes)
        #expect(notes.warnings.contains { $0.hasPrefix("2 of these operations delete") })
        #expect(notes.warnings.contains { $0.hasPrefix("at 5 reads the recorded lifetime") })
        for window in 1...6 {
            var input = TraceInput(bytes: bytes, path: "a.lcs")
            var found: [DenseTrace.Exception] = []
            var start = 0
            let windows = RequestWindows(path: "a.lcs", DenseTrace.Options(window: window)) { part in
                found += part.exceptions.map { .init(position: start + $0.position, kind: $0.kind) }
                start += part.objects.count
                return true
            }
            input.windows = windows
            var requests = try LCSFormat.requests(input, &notes)
            requests.deliverWindow()
            #expect(found == whole.exceptions, "windows of \(window)")
        }
    }

    @Test("A format that stores requests alone says what it leaves out")
    func transfer() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("a.twr").path
        try Data(twr(Self.rows)).write(to: URL(fileURLWithPath: path))
        for target in [TraceFormat.oracleGeneral, .csv, .compiled] {
            switch try TransferredTrace(contentsOf: path, format: nil, to: target) {
            case .requests(let requests):
                let warnings = try requests.write(to: folder.url("copy").path, format: target)
                #expect(warnings.contains { $0.hasPrefix("6 removals") })
            case .columns(_, let warnings): #expect(warnings.contains { $0.hasPrefix("6 removals") })
            case .session: Issue.record("a session of \(target.name)")
            }
        }
        for window in [1, 2, 100] {
            let transferred = try TransferredTrace(contentsOf: path, format: nil, to: .jsonLines, window: window)
            guard case .requests(let requests) = transferred else {
                Issue.record("a session")
                continue
            }
            let copy = folder.url("copy.jsonl").path
            let warnings = try requests.write(to: copy, format: .jsonLines)
            #expect(!warnings.contains { $0.contains("removals") })
            #expect(try TraceReading(contentsOf: copy).trace.events == TraceReading(contentsOf: path).trace.events)
        }
    }
}
