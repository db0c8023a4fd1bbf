import CachePolicies
import CacheTraces
import SessionModel
import Testing

@testable import CacheSimulation

/// Which requests of a simulation hit.
@Suite("Hits by request")
struct HitBitsTests {
    private static func trace(_ text: String) throws -> DenseTrace {
        var notes = ReadingNotes()
        return try DenseTrace(TraceInput(bytes: text.utf8, path: "a.csv"), .init(), &notes)
    }

    /// Returns the counts at a mark and at the end, and which requests hit.
    private static func noted(
        _ trace: DenseTrace, _ policy: String, at mark: Int
    ) throws -> (counts: [SimulationCounts], hits: HitBits) {
        var hits: HitBits? = HitBits()
        let made = try PolicyContext().policy(policy)
        let counts = Simulation.cumulativeCounts(trace, made, at: [mark], hits: &hits) { _ in true }
        return (try #require(counts), try #require(hits))
    }

    @Test("Eight requests are a byte, the first one in the least significant bit")
    func bits() {
        var hits = HitBits()
        let all = [true, false, true, true, false, false, false, true, false, true]
        for isHit in all { hits.append(isHit) }
        // 1 + 4 + 8 + 128, and 2.
        #expect(hits.bytes == [141, 2])
        #expect(hits.count == 10)
        #expect((0..<10).map { hits[$0] } == all)
    }

    /// LRU of two objects: A and B miss, A hits, C pushes B out, B pushes A out, A pushes C out, and hits.
    @Test("LRU of two objects, by hand")
    func story() throws {
        let text = "time_us,key,size\n0,A,10\n1,B,20\n2,A,10\n3,C,30\n4,B,20\n5,A,10\n6,A,10\n"
        let found = try Self.noted(Self.trace(text), "lru(2 objects)", at: 4)
        #expect(found.hits.bytes == [0b0100_0100])
        #expect(found.hits.count == 7)
        #expect(found.counts.map(\.misses) == [3, 5])
    }

    /// A misses, B is prefetched, A and B hit; all is lost; B and A miss.
    @Test("Prefetches have no bit, and losses of memory are passed")
    func prefetches() throws {
        let actions: [TraceEvent.Action] = [
            .appear(0, .full), .prefetch(1, .full), .appear(0, .full), .appear(1, .full), .memoryWarning,
            .appear(1, .full), .appear(0, .full),
        ]
        let events = actions.enumerated().map { TraceEvent(time: Int64($0.offset), $0.element) }
        let objects = ["a", "b"].map { TraceObject(key: $0, bytes: 1) }
        let found = try Self.noted(DenseTrace(Trace(objects: objects, events: events)), "lru(9 objects)", at: 1)
        #expect(found.hits.bytes == [0b0000_0110])
        #expect(found.hits.count == 5)
        #expect(found.counts.map(\.misses) == [1, 3])
    }

    @Test("Every policy has the counts that it has without notes", arguments: SmallSession.specifications("300B"))
    func whole(policy: String) throws {
        var rows = "time_us,key,size\n"
        for index in 0..<500 { rows += "\(index),\(index * index % 37),\(10 + index * index % 37)\n" }
        let trace = try Self.trace(rows)
        let plain = Simulation.run(trace, try PolicyContext().policy(policy))
        let found = try Self.noted(trace, policy, at: 250)
        #expect(found.counts.last == plain)
        #expect(found.hits.count == 500)
        let hits = (0..<500).count { found.hits[$0] }
        #expect(hits == plain.requests - plain.misses)
        let first = (0..<250).count { found.hits[$0] }
        #expect(first == 250 - found.counts[0].misses)
    }
}
