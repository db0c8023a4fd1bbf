import CacheTraces
import SessionModel
import Testing

/// Parts of a trace, by hand.
@Suite("Parts of a trace")
struct RequestPartStories {
    /// A and B, then A again, C, B and A.
    private static let text = """
        time_us,key,size
        0,A,10
        1,B,20
        2,A,10
        3,C,30
        4,B,20
        5,A,10

        """

    private static func trace() throws -> DenseTrace {
        var notes = ReadingNotes()
        return try DenseTrace(TraceInput(bytes: text.utf8, path: "a.csv"), .init(), &notes)
    }

    @Test("A part has its own numbers of objects and sums of bytes, and the times of the whole")
    func middle() throws {
        // A, C and B.
        let part = try Self.trace().part(requests: 2..<5)
        #expect(Array(part.objects) == [0, 1, 2])
        #expect((0..<3).map { part.size(ofAccess: $0) } == [10, 30, 20])
        #expect((0..<3).map { part.time(of: $0) } == [2, 3, 4])
        #expect(part.objectCount == 3 && part.uniqueBytes == 60 && part.requestBytes == 60)
    }

    @Test("A part that ends behind the trace has the rest of it, and one that is all equals the whole")
    func ends() throws {
        let trace = try Self.trace()
        let rest = trace.part(requests: 4..<100)
        #expect(Array(rest.objects) == [0, 1] && rest.requestBytes == 30)
        let all = trace.part(requests: 0..<6)
        #expect(Array(all.objects) == Array(trace.objects) && all.requestBytes == 100)
        #expect(all.uniqueBytes == trace.uniqueBytes && all.objectCount == 3)
        #expect(trace.part(requests: 6..<9).objects.isEmpty)
    }

    @Test("Prefetches do not count, and stay where they were; events before the part are left out")
    func prefetches() {
        let actions: [TraceEvent.Action] = [
            .memoryWarning, .appear(0, .full), .prefetch(1, .full), .appear(0, .full), .prefetch(2, .full),
            .remove(1), .appear(1, .full), .memoryWarning, .appear(2, .full),
        ]
        let events = actions.enumerated().map { TraceEvent(time: Int64($0.offset), $0.element) }
        let objects = ["a", "b", "c"].map { TraceObject(key: $0, bytes: 7) }
        let trace = DenseTrace(Trace(objects: objects, events: events))
        // The second request, the prefetch of c, the removal of b, and the request of b.
        let part = trace.part(requests: 1..<3)
        #expect(Array(part.objects) == [0, 1, 2])
        #expect(part.requestBytes == 14)
        #expect(part.exceptions.map(\.position) == [1, 2])
        #expect(part.exceptions.map(\.kind.isAccess) == [true, false])
        // From the last request on, only the loss before it stays.
        let last = trace.part(requests: 3..<4)
        #expect(last.exceptions.map(\.kind) == [.memoryWarning])
        #expect(last.exceptions.map(\.position) == [0])
        #expect(last.requestBytes == 7)
    }

    @Test(
        "A mark is at the first request of each period of time behind the first request",
        arguments: [
            (every: 1, from: 0, marks: [1, 2, 3, 4, 5]), (every: 2, from: 0, marks: [2, 4]),
            (every: 4, from: 0, marks: [4]), (every: 4, from: 1, marks: [4]), (every: 4, from: 4, marks: []),
            (every: 2, from: 1, marks: [2, 4]), (every: 6, from: 0, marks: []),
        ] as [(every: Int, from: Int, marks: [Int])])
    func periods(every: Int, from first: Int, marks: [Int]) throws {
        let found = try Self.trace().marks(every: Int64(every), from: first)
        #expect(found == marks)
    }

    @Test("Periods without requests have no mark, and prefetches neither")
    func gaps() {
        let events = [
            TraceEvent(time: 0, .appear(0, .full)), TraceEvent(time: 30, .prefetch(1, .full)),
            TraceEvent(time: 95, .appear(0, .full)), TraceEvent(time: 99, .appear(1, .full)),
        ]
        let objects = ["a", "b"].map { TraceObject(key: $0, bytes: 7) }
        let trace = DenseTrace(Trace(objects: objects, events: events))
        #expect(trace.marks(every: 10, from: 0) == [1])
        #expect(trace.requestParts(at: [1]).map(\.time) == [0, 95])
    }
}
