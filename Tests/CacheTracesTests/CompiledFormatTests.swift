import Foundation
import TestSupport
import Testing

@testable import CacheTraces
@testable import SessionModel

@Suite("Compiled traces")
struct CompiledFormatTests {
    static let bundled: [String] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Traces")
            .standardized.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.contains(".jsonl") }.sorted().map { "\(folder)/\($0)" }
    }()

    @Test("Traces are bundled")
    func areBundled() { #expect(Self.bundled.count >= 2) }

    /// A session with everything: a prefetch, a failed fetch that is repaired, a loss, two variants, an unknown size.
    static let session: Trace = {
        var builder = TraceBuilder()
        let (cat, dog, emu) = (builder.object("cat"), builder.object("dog\n🐕"), builder.object(""))
        builder.update(cat) { $0.bytes = 700 }
        builder.update(dog) { ($0.contentType, $0.frames) = ("image/png", 65_535) }
        builder.append(TraceEvent(time: 5, .appear(cat, .thumbnail)))
        builder.append(TraceEvent(time: 6, .fetch(cat, Fetch(status: 500))))
        builder.append(TraceEvent(time: 7, .fetch(cat, Fetch(status: 200, bytes: 700))))
        builder.append(TraceEvent(time: 9, .prefetch(dog, .full)))
        builder.append(TraceEvent(time: 12, .appear(cat, .full)))
        builder.append(TraceEvent(time: 12, .memoryWarning))
        builder.append(TraceEvent(time: 20, .scroll(.dragged, offset: 1.5, velocity: -3)))
        builder.append(TraceEvent(time: 30, .remove(cat)))
        builder.append(TraceEvent(time: 30, .list(cat, .thumbnail, position: 7, row: 2)))
        builder.append(TraceEvent(time: 30, .list(cat, .full, position: .max - 1, row: .max - 1)))
        for source in ServedSource.allCases { builder.append(TraceEvent(time: 30, .served(cat, .full, source))) }
        builder.append(TraceEvent(time: 30, .cost(dog, .thumbnail, bytes: 1 << 40)))
        builder.append(TraceEvent(time: 5_000_000_000, .appear(emu, .full)))
        builder.append(TraceEvent(time: 5_000_000_001, .appear(cat, .thumbnail)))
        builder.append(TraceEvent(time: 5_000_000_002, .disappear(cat, .thumbnail)))
        builder.append(TraceEvent(time: 9_900_000_000, .terminate))
        return builder.finish(keepingTimes: true)
    }()

    private func compiled(_ trace: Trace) throws -> TraceInput {
        TraceInput(bytes: try CompiledTrace(trace).bytes(file: "t"), path: "t.crtrace")
    }

    private func dense(_ input: TraceInput, usesSizes: Bool = true) throws -> DenseTrace {
        var notes = ReadingNotes()
        return try DenseTrace(input, .init(usesSizes: usesSizes), &notes)
    }

    @Test("A compiled session is the session, and simulates as it does", arguments: bundled)
    func bundledTraces(path: String) throws {
        let trace = try Trace(contentsOf: path)
        let input = try compiled(trace)
        #expect(try TraceFormat.sniffed(input).name == "compiled")
        #expect(try TraceReading(input).trace == trace)
        for usesSizes in [true, false] {
            #expect(try dense(input, usesSizes: usesSizes).isEqual(to: DenseTrace(trace, usesSizes: usesSizes)))
        }
    }

    @Test("Prefetches, failures, losses, variants, long pauses and unknown sizes come through")
    func everything() throws {
        let input = try compiled(Self.session)
        #expect(try TraceReading(input).trace == Self.session)
        let columns = try dense(input)
        #expect(columns.isEqual(to: DenseTrace(Self.session)))
        #expect(Array(columns.objects) == [0, 1, 2, 3, 0])
        #expect(columns.variants.map(Array.init) == [0, 1, 1, 1])
        #expect(columns.sizes.map(Array.init) == [700, 700, 700, 700])
        #expect((0..<5).map(columns.time) == [5, 9, 12, 5_000_000_000, 5_000_000_001])
        #expect(columns.epochs == [.init(start: 0, time: 5), .init(start: 3, time: 5_000_000_000)])
        #expect(columns.requestBytes == 4 * 700)
        // Both variants of the removed object leave before access 3.
        #expect(columns.exceptions.map(\.position) == [0, 1, 2, 3, 3, 3, 4, 5])
    }

    @Test("Next accesses, worked by hand: A B C A B A")
    func nextAccesses() throws {
        let text = "time,key,size\n1,A,5\n1,B,6\n2,C,\n3,A,5\n4,B,6\n5,A,5\n"
        var notes = ReadingNotes()
        let source = TraceInput(bytes: Array(text.utf8), path: "a.csv")
        let input = TraceInput(bytes: try CompiledTrace(source, &notes).bytes(file: "t"), path: "t.crtrace")
        let none = DenseTrace.noAccess
        #expect(try dense(input).nextAccesses.map(Array.init) == [3, 4, none, 5, none, none])
        #expect(Array(try dense(source).computedNextAccesses()) == [3, 4, none, 5, none, none])
        #expect(try TraceReading(input).trace == TraceReading(source).trace)
        #expect(try TraceReading(input).trace.objects.map(\.bytes) == [5, 6, nil])
    }

    @Test("Random requests over days come through, with and without sizes")
    func random() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            var text = "time_us,key,size\n"
            var time: UInt64 = 1_700_000_000_000_000
            for _ in 0..<UInt64.random(in: 1...400, using: &random) {
                time += UInt64.random(in: 0...1, using: &random) * UInt64.random(in: 0...9_000_000_000, using: &random)
                let key = UInt64.random(in: 0...50, using: &random)
                text +=
                    "\(time),\(key % 3 == 0 ? "k\(key)" : "\(key)"),\(key % 7 == 0 ? "" : "\(key * 1_000_000_007)")\n"
            }
            let source = TraceInput(bytes: Array(text.utf8), path: "a.csv")
            var notes = ReadingNotes()
            let input = TraceInput(bytes: try CompiledTrace(source, &notes).bytes(file: "t"), path: "t.crtrace")
            let trace = try TraceReading(source).trace
            #expect(try TraceReading(input).trace == trace)
            for usesSizes in [true, false] {
                #expect(try dense(input, usesSizes: usesSizes).isEqual(to: DenseTrace(trace, usesSizes: usesSizes)))
                #expect(try dense(source, usesSizes: usesSizes).isEqual(to: DenseTrace(trace, usesSizes: usesSizes)))
            }
            let columns = try dense(source)
            #expect(trace.events.indices.allSatisfy { columns.time(of: $0) == trace.events[$0].time })
        }
    }

    @Test("A file that is mapped is used where it stands")
    func mapped() throws {
        let folder = try TemporaryFolder()
        var bytes: [UInt8] = []
        for index in 0..<1_500_000 {
            bytes += OracleGeneralFormatTests.record(
                UInt32(index / 500), UInt64(index &* 7_919 % 99_991), UInt32(index % 99_991), -1)
        }
        let source = TraceInput(bytes: bytes, path: "a.oracleGeneral")
        var notes = ReadingNotes()
        let path = folder.path + "/large.crtrace"
        try CompiledTrace(source, &notes).write(to: path)
        #expect(try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) > 16 << 20)
        let columns = try DenseTrace(contentsOf: path)
        #expect(columns.isEqual(to: try dense(source)))
        #expect(columns.nextAccesses == columns.computedNextAccesses())
    }

    @Test("Nothing requested compiles too")
    func empty() throws {
        let trace = Trace(header: TraceHeader(title: "nothing"), events: [TraceEvent(time: 3, .memoryWarning)])
        let input = try compiled(trace)
        #expect(try TraceReading(input).trace == trace)
        #expect(try dense(input).objects.isEmpty)
    }
}
