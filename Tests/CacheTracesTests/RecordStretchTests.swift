import SessionModel
import TestSupport
import Testing

@testable import CacheTraces

/// Files of records that are longer than what is scanned at once (4 MiB).
@Suite("Long files of records")
struct RecordStretchTests {
    private static let count = 200_000

    /// Request n is of object n % 1000, of size 10 + n % 1000, in second n / 1000.
    private static func check(_ trace: DenseTrace) {
        #expect(trace.objects.count == count)
        #expect(trace.objects.enumerated().allSatisfy { $1 == $0 % 1000 })
        #expect((0..<1000).allSatisfy { trace.size(of: UInt32($0)) == 10 + $0 })
        for index in [0, 999, 1000, 174_762, 174_763, count - 1] {
            #expect(trace.time(of: index) == Int64(index / 1000) * 1_000_000)
        }
    }

    private static let records: [UInt8] = {
        var records: [UInt8] = []
        for index in 0..<UInt32(count) {
            let object = index % 1000
            records += OracleGeneralFormatTests.record(5 + index / 1000, UInt64(object) * 3, 10 + object, -1)
        }
        return records
    }()

    @Test("oracleGeneral, as it is and compressed", arguments: ["a.oracleGeneral", "a.oracleGeneral.gz"])
    func oracleGeneral(name: String) throws {
        let folder = try TemporaryFolder()
        let bytes = try Compression(fileName: name)?.compress(Self.records, file: name) ?? Self.records
        Self.check(try DenseTrace(contentsOf: folder.file(name, bytes)))
    }

    @Test("A compressed file that ends within a record says where")
    func cut() throws {
        let folder = try TemporaryFolder()
        let bytes = try Compression.gzip.compress(Self.records.dropLast(5), file: "a")
        let path = try folder.file("a.oracleGeneral.gz", bytes)
        let error = #expect(throws: TraceError.self) { try DenseTrace(contentsOf: path) }
        #expect(error?.place == .byte((Self.count - 1) * 24))
        #expect(error?.message.contains("19 of 24 bytes") == true)
    }

    @Test("lcs begins behind its header, as it is and compressed", arguments: ["a.lcs", "a.lcs.gz"])
    func lcs(name: String) throws {
        let folder = try TemporaryFolder()
        let content = ClassicBinaryFormatTests.lcsHeader + Self.records
        let bytes = try Compression(fileName: name)?.compress(content, file: name) ?? content
        Self.check(try DenseTrace(contentsOf: folder.file(name, bytes)))
    }

    @Test("Records are the same through a window of any size", arguments: [8, 24, 25, 1000, 1024, 1100, 4096])
    func windows(capacity: Int) throws {
        let content = ClassicBinaryFormatTests.lcsHeader + Self.records.prefix(1000 * 24)
        var notes = ReadingNotes()
        let whole = try DenseTrace(TraceInput(bytes: content, path: "a.lcs"), .init(), &notes)
        let stream = try TraceStream(contents: content, path: "a.lcs")
        let input = TraceInput(headOf: stream, try ByteWindow(stream, capacity: capacity))
        let read = try #require(TraceFormat.lcs.requests)
        let streamed = try read(input, &notes).dense(usesSizes: true)
        #expect(streamed.objects == whole.objects && streamed.ticks == whole.ticks && streamed.sizes == whole.sizes)
        #expect(whole.objects.count == 1000)
    }

    @Test("The times of vscsi count from the first record of the file")
    func vscsi() throws {
        var bytes: [UInt8] = []
        for index in 0..<UInt64(Self.count) {
            bytes += ClassicBinaryFormatTests.vscsi1(index % 1000, 7 + index / 1000 * 1_000_000)
        }
        var notes = ReadingNotes()
        let trace = try DenseTrace(TraceInput(bytes: bytes, path: "a.vscsi"), .init(), &notes)
        #expect(trace.time(of: Self.count - 1) == 199_000_000)
        #expect(trace.objects.enumerated().allSatisfy { $1 == $0 % 1000 })
    }

    /// 209,715 records of 20 bytes are scanned at once.
    @Test("An error behind the first stretch has the offset in the file")
    func offset() throws {
        let one = ClassicBinaryFormatTests.twr(1, 9, key: 1, value: 1, op: 1)
        var bytes: [UInt8] = []
        for _ in 0..<210_000 { bytes += one }
        bytes[209_900 * 20 + 19] = 77
        let error = #expect(throws: TraceError.self) { try Trace(TraceInput(bytes: bytes, path: "a.twr")) }
        #expect(error?.place == .byte(209_900 * 20 + 16))
    }
}
