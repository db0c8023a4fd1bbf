import CacheTraces
import SessionModel
import TestSupport
import Testing
import TraceAnalysis

@Suite("libCacheSim's oracleGeneral")
struct OracleGeneralFormatTests {
    /// One record, as the format's specification lays it out.
    static func record(_ seconds: UInt32, _ id: UInt64, _ size: UInt32, _ next: Int64) -> [UInt8] {
        withUnsafeBytes(of: seconds.littleEndian, Array.init) + withUnsafeBytes(of: id.littleEndian, Array.init)
            + withUnsafeBytes(of: size.littleEndian, Array.init) + withUnsafeBytes(of: next.littleEndian, Array.init)
    }

    /// A B A, A's second request with another size.
    static let aba = record(100, 7, 512, 3) + record(100, .max, 0, -1) + record(103, 7, 600, -1)

    @Test("Records become requests, ids keys, seconds microseconds from the first")
    func reading() throws {
        let reading = try TraceReading(TraceInput(bytes: Self.aba, path: "small.oracleGeneral.bin"))
        #expect(reading.format.name == "oracleGeneral")
        #expect(
            reading.trace.objects == [
                TraceObject(key: "7", bytes: 512), TraceObject(key: "18446744073709551615", bytes: 0),
            ])
        #expect(
            reading.trace.events == [
                TraceEvent(time: 0, .appear(0, .full)), TraceEvent(time: 0, .appear(1, .full)),
                TraceEvent(time: 3_000_000, .appear(0, .full)),
            ])
        #expect(
            reading.warnings == [
                "1 requests have a different size than the first of their object; each object keeps its first size"
            ])
    }

    @Test("The records are recognised without a telling name; text and noise are not taken for them")
    func sniffing() throws {
        #expect(try TraceFormat.sniffed(TraceInput(bytes: Self.aba, path: "trace.bin")).name == "oracleGeneral")
        #expect(throws: TraceError.self) {
            try TraceFormat.sniffed(TraceInput(bytes: Array(repeating: 0x61, count: 48), path: "a.bin"))
        }
    }

    @Test("A file cut within a record is refused, with the offset of that record")
    func cut() throws {
        let error = #expect(throws: TraceError.self) {
            try Trace(TraceInput(bytes: Self.aba.dropLast(5), path: "small.oracleGeneral"))
        }
        #expect(error?.place == .byte(48))
        #expect(error?.message.contains("19 of 24 bytes") == true)
    }

    @Test("Writing gives the same bytes again, next accesses included")
    func writing() throws {
        let folder = try TemporaryFolder()
        let bytes =
            Self.record(0, 7, 512, 3) + Self.record(0, 9, 100, -1) + Self.record(3, 7, 512, 4)
            + Self.record(4, 7, 512, -1)
        let trace = try Trace(TraceInput(bytes: bytes, path: "a.oracleGeneral"))
        let path = folder.path + "/b.oracleGeneral"
        #expect(try trace.write(to: path, format: .oracleGeneral).isEmpty)
        #expect(try TraceInput(path: path).withBytes { Array($0) } == bytes)
    }

    @Test("A whole trace of block requests is counted as the reference counts it", .enabled(if: SharedData.isPresent))
    func sharedTrace() throws {
        // shared/data/index.csv: 113,872 requests, 48,974 keys. The CSV holds the same requests.
        let binary = try TraceReading(contentsOf: SharedData.path("traces/cloudPhysicsIO.oracleGeneral.bin"))
        let text = try TraceReading(contentsOf: SharedData.path("traces/cloudPhysicsIO.csv"))
        #expect(binary.format.name == "oracleGeneral")
        #expect(text.format.name == "csv")
        let summary = TraceSummary(binary.trace)
        #expect(summary.requests == 113_872)
        #expect(summary.objects == 48_974)
        #expect(binary.trace.events == text.trace.events)
        #expect(binary.trace.objects == text.trace.objects)
    }
}

extension Trace {
    /// A trace from bytes in memory.
    init(_ input: TraceInput, format: TraceFormat? = nil) throws {
        self = try TraceReading(input, format: format).trace
    }
}
