import CachePolicies
import CacheTraces
import SessionModel
import Testing

@testable import CacheSimulation

/// Counts at marks on the way through a trace.
@Suite("Counts at marks")
struct WarmUpStories {
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

    private static func counts(_ trace: DenseTrace, _ policy: String, at marks: [Int]) throws -> [SimulationCounts] {
        let made = try PolicyContext().policy(policy)
        return Simulation.cumulativeCounts(trace, made, at: marks) { _ in true } ?? []
    }

    /// LRU of two objects: A and B miss, A hits, C pushes B out, B pushes A out, A pushes C out.
    @Test("LRU of two objects, by hand")
    func story() throws {
        let trace = try Self.trace()
        let counts = try Self.counts(trace, "lru(2 objects)", at: [2, 4])
        #expect(counts.map(\.requests) == [2, 4, 6])
        #expect(counts.map(\.misses) == [2, 3, 5])
        #expect(counts.map(\.missBytes) == [30, 60, 90])
        #expect(counts.map(\.evictions) == [0, 1, 3])
        let counted = counts[2].since(counts[0])
        #expect(counted.requests == 4 && counted.misses == 3 && counted.missBytes == 60)
        let parts = trace.requestParts(at: [2, 4])
        #expect(parts.map(\.first) == [0, 2, 4])
        #expect(parts.map(\.requests) == [2, 2, 2])
        #expect(parts.map(\.bytes) == [30, 40, 30])
        #expect(parts.map(\.time) == [0, 2, 4])
    }

    @Test("A mark at the end is reached, and one behind it is not")
    func ends() throws {
        let trace = try Self.trace()
        let atEnd = try Self.counts(trace, "lru(2 objects)", at: [6])
        #expect(atEnd.map(\.misses) == [5, 5])
        let behind = try Self.counts(trace, "lru(2 objects)", at: [7])
        #expect(behind.map(\.misses) == [5])
        #expect(trace.requestParts(at: [6]).map(\.requests) == [6])
        #expect(trace.requestParts(at: []).map(\.bytes) == [100])
    }

    @Test("Marks count requests, not prefetches, and pass losses of memory")
    func prefetches() throws {
        // a misses, b is prefetched, a hits; all is lost; c, b and a miss.
        let actions: [TraceEvent.Action] = [
            .appear(0, .full), .prefetch(1, .full), .appear(0, .full), .memoryWarning, .appear(2, .full), .remove(0),
            .appear(1, .full), .appear(0, .full),
        ]
        let events = actions.enumerated().map { TraceEvent(time: Int64($0.offset), $0.element) }
        let objects = ["a", "b", "c"].map { TraceObject(key: $0, bytes: 1) }
        let trace = DenseTrace(Trace(objects: objects, events: events))
        let counts = try Self.counts(trace, "lru(9 objects)", at: [1, 2, 3])
        #expect(counts.map(\.requests) == [1, 2, 3, 5])
        #expect(counts.map(\.misses) == [1, 1, 2, 4])
        #expect(trace.requestParts(at: [1, 2, 3]).map(\.requests) == [1, 1, 1, 2])
    }

    @Test("The requests before a time", arguments: [(0, 0), (1, 1), (3, 3), (5, 5), (6, 6), (900, 6)])
    func times(time: Int, requests: Int) throws {
        let trace = try Self.trace()
        #expect(trace.requests(before: Int64(time)) == requests)
    }

    @Test(
        "Marks change no counts of a whole trace",
        arguments: ["lru(300B)", "s3fifo(600B)", "ttl(lru(300B), lifetime: 90us)"])
    func whole(policy: String) throws {
        var rows = "time_us,key,size\n"
        for index in 0..<500 { rows += "\(index),\(index * index % 37),\(10 + index * index % 37)\n" }
        var notes = ReadingNotes()
        let trace = try DenseTrace(TraceInput(bytes: rows.utf8, path: "a.csv"), .init(), &notes)
        let plain = Simulation.run(trace, try PolicyContext().policy(policy))
        let marked = try Self.counts(trace, policy, at: Array(stride(from: 1, to: 500, by: 7)))
        #expect(marked.last == plain)
        #expect(marked.count == 73)
        #expect(plain.misses >= 19)
    }
}
