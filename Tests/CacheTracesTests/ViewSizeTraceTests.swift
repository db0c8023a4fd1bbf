import Foundation
import Testing
import TraceAnalysis

@testable import CacheTraces
@testable import SessionModel

@Suite("Sizes of views in compiled traces, after changes of a trace, and in its figures")
struct ViewSizeTraceTests {
    private static let small = ViewSize(width: 240, height: 180)
    private static let large = ViewSize(width: 65535, height: 1)

    /// Two images: the first appears in two sizes as thumbnail, the second is prefetched in one.
    private static let trace = Trace(
        objects: [TraceObject(key: "a", bytes: 700), TraceObject(key: "b", bytes: 900)],
        events: [
            TraceEvent(time: 0, .appear(0, .thumbnail), viewSize: small),
            TraceEvent(time: 10, .prefetch(1, .full), viewSize: large),
            TraceEvent(time: 20, .disappear(0, .thumbnail)),
            TraceEvent(time: 30, .appear(0, .thumbnail), viewSize: large),
            TraceEvent(time: 40, .appear(1, .full)),
        ])

    private static func withoutSizes(_ trace: Trace) -> Trace {
        var trace = trace
        for index in trace.events.indices { trace.events[index].viewSize = nil }
        return trace
    }

    // MARK: Compiled

    @Test("A compiled session keeps the sizes, and simulates as without them")
    func compiled() throws {
        let bytes = try CompiledTrace(Self.trace).bytes(file: "t")
        let input = TraceInput(bytes: bytes, path: "t.crtrace")
        #expect(try TraceReading(input).trace == Self.trace)
        var notes = ReadingNotes()
        let dense = try DenseTrace(input, .init(), &notes)
        #expect(dense.isEqual(to: DenseTrace(Self.withoutSizes(Self.trace))))
    }

    @Test("Sizes alone are a reason to keep the session beside the columns")
    func requestsAlone() throws {
        let plain = Trace(objects: [TraceObject(key: "a", bytes: 7)], events: [TraceEvent(time: 5, .appear(0, .full))])
        var sized = plain
        sized.events[0].viewSize = Self.small
        let bytes = try CompiledTrace(sized).bytes(file: "t")
        #expect(try TraceReading(TraceInput(bytes: bytes, path: "t.crtrace")).trace == sized)
        let plainFile = try CompiledFile(
            TraceInput(bytes: try CompiledTrace(plain).bytes(file: "t"), path: "t.crtrace"))
        let holdsSession = try plainFile.holdsSession
        #expect(!holdsSession)
    }

    /// Where the events of 64 bytes begin: behind 16 bytes of counts, 21 of the header, and 37 of each object.
    private static let events = 16 + 21 + 2 * 37

    @Test("A session differs from one without sizes in flag 1 and in two words of each sized event alone")
    func bytes() throws {
        let sized = SessionBytes.encode(Self.trace)
        let plain = SessionBytes.encode(Self.withoutSizes(Self.trace))
        try #require(sized.count == Self.events + 5 * 64)
        #expect(plain.count == sized.count)
        var expected = plain
        for (event, size) in [(0, Self.small), (1, Self.large), (3, Self.large)] {
            let size = try #require(size)
            let start = Self.events + event * 64
            expected[start + 18] = 1
            expected[start + 24] = UInt8(size.width & 0xFF)
            expected[start + 25] = UInt8(size.width >> 8)
            expected[start + 32] = UInt8(size.height & 0xFF)
            expected[start + 33] = UInt8(size.height >> 8)
        }
        #expect(sized == expected)
        // Flags and words of an appearance are 0 without a size, as before.
        #expect(plain[Self.events + 18..<Self.events + 64].allSatisfy { $0 == 0 })
        #expect(plain[Self.events + 4 * 64 + 18..<Self.events + 5 * 64].allSatisfy { $0 == 0 })
    }

    @Test(
        "A size or a flag that no view has is damage",
        arguments: [
            (18, [2], "the flags 2 of a request are unknown"), (18, [255], "the flags 255 of a request are unknown"),
            (24, [0], "the view size 0 × 180 is out of range"), (32, [0], "the view size 240 × 0 is out of range"),
            (26, [1], "the view size 65776 × 180 is out of range"), (31, [255], "× 180 is out of range"),
            (39, [255], "is out of range"),
        ])
    func damage(place: Int, bytes: [UInt8], message: String) throws {
        var session = SessionBytes.encode(Self.trace)
        session.replaceSubrange(Self.events + place..<Self.events + place + bytes.count, with: bytes)
        let error = #expect(throws: SessionBytes.Damage.self) {
            try session.withUnsafeBytes { try SessionBytes.decode($0) }
        }
        #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    }

    @Test("Any byte of a session can be any other: it is read, or refused")
    func anyByte() throws {
        let session = SessionBytes.encode(Self.trace)
        for place in session.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var bytes = session
                bytes[place] = value
                let trace = try? bytes.withUnsafeBytes { try SessionBytes.decode($0) }
                let sizes = trace?.events.compactMap(\.viewSize) ?? []
                #expect(sizes.allSatisfy { $0.width > 0 && $0.height > 0 })
            }
        }
    }

    // MARK: Changes of a trace

    @Test("Sorting, another start, thumbnails and the first events of a trace keep the sizes")
    func changes() throws {
        var builder = TraceBuilder()
        let object = builder.object("a")
        builder.append(TraceEvent(time: 9, .prefetch(object, .full), viewSize: Self.large))
        builder.append(TraceEvent(time: 5, .appear(object, .full), viewSize: Self.small))
        var trace = builder.finish()
        #expect(
            trace.events == [
                TraceEvent(time: 0, .appear(0, .full), viewSize: Self.small),
                TraceEvent(time: 4, .prefetch(0, .full), viewSize: Self.large),
            ])
        trace.markThumbnails { _ in true }
        #expect(
            trace.prefix(2).events == [
                TraceEvent(time: 0, .appear(0, .thumbnail), viewSize: Self.small),
                TraceEvent(time: 4, .prefetch(0, .thumbnail), viewSize: Self.large),
            ])
    }

    @Test("Formats that hold only requests say how many sizes they leave out", arguments: ["csv", "oracleGeneral"])
    func lossyFormats(name: String) throws {
        let format = try #require(TraceFormat.all.first { $0.name == name })
        let encode = try #require(format.encode)
        let expected =
            "the sizes of the views of 2 requests cannot be stored in this format and are left out"
        for (trace, isWarned) in [(Self.trace, true), (Self.withoutSizes(Self.trace), false)] {
            var notes = ReadingNotes()
            _ = try encode(trace, &notes)
            #expect(notes.warnings.contains(expected) == isWarned, "\(notes.warnings)")
        }
    }

    // MARK: Figures

    private static func reading(_ trace: Trace) throws -> TraceReading {
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        return try TraceReading(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
    }

    @Test("A summary has the appearances with a size, and the images in more than one size")
    func summary() throws {
        let reading = try Self.reading(Self.trace)
        let summary = TraceSummary(reading.trace)
        let sizes = try #require(summary.viewSizes)
        #expect((sizes.appearances, sizes.prefetches, sizes.objectsInSeveralSizes) == (2, 1, 1))
        let text = summary.text(reading)
        #expect(text.contains("view sizes  2 of 3 appearances; 1 image is shown in more than one size\n"), "\(text)")
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(summary.json(reading).utf8)) as? [String: Any])
        #expect(
            json["view_sizes"] as? [String: Int]
                == ["appearances": 2, "prefetches": 1, "objects_in_several_sizes": 1])
    }

    @Test("The same size twice is one, and both variants of a key have a size of their own")
    func severalSizes() throws {
        func trace(_ requests: [(ObjectID, Variant, ViewSize?)]) -> Trace {
            Trace(
                objects: [TraceObject(key: "a"), TraceObject(key: "b")],
                events: requests.enumerated().map { index, request in
                    TraceEvent(time: Int64(index), .appear(request.0, request.1), viewSize: request.2)
                })
        }
        let one = trace([
            (0, .thumbnail, Self.small), (0, .full, Self.large), (0, .thumbnail, nil), (0, .thumbnail, Self.small),
        ])
        #expect(TraceSummary(one).viewSizes?.appearances == 3)
        #expect(TraceSummary(one).viewSizes?.objectsInSeveralSizes == 0)
        let text = TraceSummary(one).text(try Self.reading(one))
        #expect(text.contains("3 of 4 appearances; no image is shown in more than one size"), "\(text)")
        let two = trace([
            (0, .full, Self.small), (1, .full, Self.small), (0, .full, Self.large), (1, .full, Self.large),
            (0, .full, Self.small),
        ])
        #expect(TraceSummary(two).viewSizes?.objectsInSeveralSizes == 2)
    }
}
