import CachePolicies
import CacheTraces
import SessionModel
import Testing

@testable import CacheSimulation

/// Sessions whose fewest misses are worked out by hand.
@Suite("The fewest misses, by hand")
struct LeastMissesStories {
    /// Sizes: a 3, b 2, c 2, d 1.
    static let session = SmallSession("a b c a b d a c b d a b", sizes: [3, 2, 2, 1])

    struct Row: Sendable {
        var capacity: Int
        var uniform, tightened, best, sharp: Double
        var optimum, mustStore, known: Int
        /// In bytes.
        var uniformBytes, tightenedBytes, bestBytes: Double
        var optimumBytes: Int
    }

    static let rows = [
        Row(
            capacity: 1, uniform: 11, tightened: 11, best: 11, sharp: 11, optimum: 11, mustStore: 11, known: 11,
            uniformBytes: 25, tightenedBytes: 25, bestBytes: 25, optimumBytes: 25),
        Row(
            capacity: 2, uniform: 8.25, tightened: 8.5, best: 9, sharp: 9, optimum: 9, mustStore: 12, known: 10,
            uniformBytes: 19.5, tightenedBytes: 20, bestBytes: 20, optimumBytes: 20),
        Row(
            capacity: 3, uniform: 7, tightened: 64 / 9, best: 23 / 3, sharp: 23 / 3, optimum: 8, mustStore: 12,
            known: 8, uniformBytes: 15.25, tightenedBytes: 15.5, bestBytes: 17, optimumBytes: 17),
        Row(
            capacity: 4, uniform: 5.8, tightened: 55 / 9, best: 20 / 3, sharp: 7, optimum: 8, mustStore: 11, known: 8,
            uniformBytes: 12.5, tightenedBytes: 13.25, bestBytes: 14, optimumBytes: 16),
        Row(
            capacity: 5, uniform: 4.75, tightened: 5.2, best: 17 / 3, sharp: 17 / 3, optimum: 6, mustStore: 8,
            known: 7, uniformBytes: 9.8, tightenedBytes: 11, bestBytes: 11, optimumBytes: 11),
        Row(
            capacity: 6, uniform: 4, tightened: 55 / 12, best: 5, sharp: 5, optimum: 5, mustStore: 7, known: 5,
            uniformBytes: 8, tightenedBytes: 9.4, bestBytes: 10, optimumBytes: 10),
        Row(
            capacity: 7, uniform: 4, tightened: 25 / 6, best: 4.5, sharp: 4.5, optimum: 5, mustStore: 5, known: 5,
            uniformBytes: 8, tightenedBytes: 8.4, bestBytes: 9, optimumBytes: 9),
        Row(
            capacity: 8, uniform: 4, tightened: 4, best: 4, sharp: 4, optimum: 4, mustStore: 4, known: 4,
            uniformBytes: 8, tightenedBytes: 8, bestBytes: 8, optimumBytes: 8),
    ]

    /// The intervals have the volumes a 9, 9, 12; b 6, 8, 6; c 10; d 4. With room for 5, the volume of the 11 gaps is
    /// 55: it holds 4 + 6 + 6 + 8 + 9 + 9 + 10 = 52, and 3/12 of the last interval. That is 7.25 hits of 12 requests,
    /// 4.75 misses. Of the 11 gaps, the first and the last have less than 5 to keep, so that the volume is
    /// 3 + 9 · 5 + 2 = 50: 42 of whole intervals, and 8/10 of the next one.
    @Test("A session of four objects, in misses", arguments: rows)
    func misses(row: Row) {
        let reuse = Self.session.intervals(row.capacity, .misses)
        #expect(isEqual(SlowBounds.uniform(reuse, volume: row.capacity * 11), row.uniform))
        #expect(isEqual(SlowBounds.uniform(reuse, volume: SlowBounds.tightVolume(reuse)), row.tightened))
        #expect(isEqual(SlowBounds.best(reuse, isSharp: false), row.best))
        #expect(isEqual(SlowBounds.best(reuse, isSharp: true), row.sharp))
        #expect(Self.session.optimum(row.capacity) == row.optimum)
        #expect(Self.session.optimum(row.capacity, mustStore: true) == row.mustStore)
        #expect(reuse.totalWeight - Packing(reuse).hits() == row.known)
        let least = LeastMisses(reuse)
        #expect((least.bound, least.known, least.total) == (row.optimum, row.optimum, 12))
    }

    @Test("A session of four objects, in bytes", arguments: rows)
    func bytes(row: Row) {
        let reuse = Self.session.intervals(row.capacity, .bytes)
        #expect(isEqual(SlowBounds.uniform(reuse, volume: row.capacity * 11), row.uniformBytes))
        #expect(isEqual(SlowBounds.uniform(reuse, volume: SlowBounds.tightVolume(reuse)), row.tightenedBytes))
        #expect(isEqual(SlowBounds.best(reuse, isSharp: false), row.bestBytes))
        #expect(Self.session.optimum(row.capacity, .bytes) == row.optimumBytes)
        let least = LeastMisses(reuse)
        #expect((least.bound, least.known, least.total) == (row.optimumBytes, row.optimumBytes, 26))
    }

    /// Gaps 2, 5 and 8 cost 5 · (1/6 + 1/3 + 1/3) = 25/6. Of the eight intervals, those of a pass two gaps each.
    @Test("Certificates: prices in three gaps, one price in all, and no price")
    func certificates() {
        let reuse = Self.session.intervals(5, .misses)
        let capacities = [Int](repeating: 5, count: 11)
        var prices = [Double](repeating: 0, count: 11)
        (prices[2], prices[5], prices[8]) = (1 / 6, 1 / 3, 1 / 3)
        #expect(isEqual(SlowBounds.value(reuse, prices, capacities), 17 / 3))
        #expect(PriceCertificate.mostHits(reuse, prices: prices, capacities: capacities) == 6)
        let even = [Double](repeating: 0.1, count: 11)
        #expect(isEqual(SlowBounds.value(reuse, even, capacities), 4.7))
        // Without prices, each request but the first one of an object is a hit.
        #expect(PriceCertificate.mostHits(reuse, prices: even.map { $0 * 0 }, capacities: capacities) == 8)
    }

    @Test("Absurd prices prove less, and nothing wrong", arguments: [-1, .nan, .infinity, 1e300, 1e-300, 0x1p60, 1e18])
    func absurd(price: Double) {
        let reuse = Self.session.intervals(5, .misses)
        let capacities = GapCapacities(reuse).values
        for gap in 0..<11 {
            var prices = [Double](repeating: 0, count: 11)
            prices[gap] = price
            #expect((6...8).contains(PriceCertificate.mostHits(reuse, prices: prices, capacities: capacities)))
        }
    }

    @Test("Sizes and weights near 2^63 do not overflow")
    func largeNumbers() {
        var reuse = ReuseIntervals(capacity: .max, objectCount: 2, accessCount: 4)
        for object in [0, 1, 0, 1] { reuse.access(object, size: .max, weight: .max) }
        reuse.finish()
        let least = LeastMisses(reuse)
        #expect(least.bound <= least.known)
        #expect(least.known <= least.total)
    }

    /// Room for 3 holds one object of size 2, and not one and a half: 5 misses, and not 4.5.
    @Test("Room for a part of an object is worth nothing")
    func parts() {
        let session = SmallSession("a b c a b c", sizes: [2, 2, 2])
        let reuse = session.intervals(3, .misses)
        #expect(isEqual(SlowBounds.best(reuse, isSharp: false), 4.5))
        #expect(isEqual(SlowBounds.best(reuse, isSharp: true), 5))
        #expect(GapCapacities(reuse).values == [2, 2, 2, 2, 2])
        #expect(session.leastMisses(3).bound == 5)
        #expect(session.leastMisses(3).isOptimum)
        #expect(session.leastMisses(3, .bytes).bound == 10)
    }

    /// With room for 500,000, the capacity has too many units of 1, but few of 300,000.
    @Test("Capacities of gaps are in the units of each gap, and plain where there are too many units")
    func units() {
        let apart = SmallSession("c c a b a b", sizes: [300_000, 300_000, 7])
        #expect(GapCapacities(apart.intervals(500_000, .misses)).values == [7, 0, 300_000, 300_000, 300_000])
        let together = SmallSession("c a b a b c", sizes: [300_000, 300_000, 7])
        #expect(
            GapCapacities(together.intervals(500_000, .misses)).values
                == [7, 300_007, 500_000, 300_007, 7])
    }

    @Test("Nothing, one request, no room, room for all, and objects that do not fit")
    func edges() {
        #expect(SmallSession("", sizes: []).leastMisses(1) == SmallSession("|", sizes: []).leastMisses(0))
        #expect(SmallSession("", sizes: []).leastMisses(1).total == 0)
        let once = SmallSession("a", sizes: [1]).leastMisses(1)
        #expect((once.bound, once.known, once.total) == (1, 1, 1))
        for capacity in [-1, 0] {
            let none = Self.session.leastMisses(capacity)
            #expect((none.bound, none.known) == (12, 12))
        }
        let all = Self.session.leastMisses(.max)
        #expect((all.bound, all.known) == (4, 4))
        // Only d fits.
        #expect(Self.session.leastMisses(1, .bytes).bound == 25)
        // Without a size, an object takes no room, and its bytes are none.
        let empty = SmallSession("a b a b", sizes: [0, 1]).leastMisses(0)
        #expect((empty.bound, empty.known) == (3, 3))
        #expect(SmallSession("a b a b", sizes: [0, 1]).leastMisses(0, .bytes).bound == 2)
    }

    /// a is kept through the relaunch by no cache, and after its removal by none; b is prefetched.
    @Test("Events of a session, and fetches that fail")
    func events() {
        let actions: [TraceEvent.Action] = [
            .appear(0, .full), .appear(0, .full), .terminate, .appear(0, .full), .remove(0), .appear(0, .full),
            .prefetch(1, .full), .appear(1, .full), .memoryWarning, .appear(1, .full), .appear(1, .thumbnail),
        ]
        func trace(_ more: [TraceEvent.Action]) -> DenseTrace {
            DenseTrace(
                Trace(
                    objects: [TraceObject(key: "a", bytes: 3), TraceObject(key: "b", bytes: 5)],
                    events: (actions + more).enumerated().map { TraceEvent(time: Int64($0.offset), $0.element) }))
        }
        let bytes = LeastMisses(trace([]), capacity: Capacity(5, .bytes), counting: .bytes)
        #expect((bytes.bound, bytes.known, bytes.total) == (19, 19, 27))
        let objects = LeastMisses(trace([]), capacity: Capacity(1, .objects))
        #expect((objects.bound, objects.known, objects.total) == (5, 5, 7))
        #expect(LeastMisses(trace([]), capacity: Capacity(2, .bytes)).bound == 7)
        // No fetch of b succeeds, so that nothing is kept after its prefetch.
        let failure = TraceEvent.Action.fetch(1, Fetch(status: 500))
        let failing = LeastMisses(trace([failure]), capacity: Capacity(1, .objects))
        #expect((failing.bound, failing.known, failing.total) == (6, 6, 7))
        // The first fetch, by the prefetch, succeeds.
        let later = LeastMisses(trace([.fetch(1, Fetch()), failure]), capacity: Capacity(1, .objects))
        #expect((later.bound, later.known) == (5, 5))
        // The second one, after the memory warning, fails. The bound does not know that it is the second one.
        let last = LeastMisses(
            trace([.appear(1, .full), .fetch(1, Fetch()), failure]), capacity: Capacity(1, .objects))
        #expect((last.bound, last.known, last.total) == (5, 6, 8))
    }

    /// a has 1 byte, then 4. With room for 4, the bound keeps a with 1 byte, and b with 3; no schedule can.
    @Test("An object whose size varies takes its smallest size in a bound, and its largest one in a schedule")
    func varyingSizes() {
        var reuse = ReuseIntervals(capacity: 4, objectCount: 2, accessCount: 4)
        for (object, size) in [(0, 1), (1, 3), (0, 4), (1, 3)] { reuse.access(object, size: size, weight: 1) }
        reuse.finish()
        let least = LeastMisses(reuse)
        #expect((least.bound, least.known) == (2, 3))
    }

    private func isEqual(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }
}
