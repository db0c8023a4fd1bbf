import CachePolicies
import TestSupport
import Testing

/// W-TinyLFU with `climb: true` beside published hit ratios of `ConcurrentLfu` of BitFaster.Caching, a port of
/// Caffeine's policy with its hill climbing, on ARC's trace OLTP
/// (<https://github.com/bitfaster/BitFaster.Caching/pull/191>). Its table of LRU shows that the trace is the same.
@Suite("Hill climbing beside a port of Caffeine's policy", .enabled(if: SharedData.isPresent))
struct ClimbingReferenceTests {
    private static let published: [(capacity: Int, lru: Double, climbing: Double)] = [
        (250, 0.16473, 0.24727), (500, 0.23445, 0.33698), (750, 0.28281, 0.37115), (1_000, 0.32831, 0.39950),
        (1_250, 0.36210, 0.42331), (1_500, 0.38696, 0.43711), (1_750, 0.40788, 0.45014), (2_000, 0.42470, 0.46073),
    ]

    @Test("Hit ratios differ by at most 1.2 points, and no climbing misses more by 1.6 to 5.5")
    func oltp() throws {
        let trace = try ReferenceTrace("arc_OLTP")
        for row in Self.published {
            func hitRatio(_ specification: String) throws -> Double {
                var policy = try PolicyContext(capacity: .objects(row.capacity)).policy(specification)
                policy.reserve(trace.sizes.count)
                var counts = SimulationCounts()
                trace.objects.withUnsafeBufferPointer { objects in
                    guard let base = objects.baseAddress else { return }
                    policy.run(RequestColumns(objects: base, sizes: nil), 0..<objects.count, into: &counts)
                }
                return 1 - Double(counts.misses) / Double(trace.objects.count)
            }
            let (lru, climbing) = (try hitRatio("lru"), try hitRatio("w-tinylfu(climb: true)"))
            #expect(abs(lru - row.lru) < 0.00001, "\(row.capacity): \(lru)")
            #expect(abs(climbing - row.climbing) < 0.012, "\(row.capacity): \(climbing)")
            let gain = climbing - (try hitRatio("w-tinylfu"))
            #expect((0.016..<0.055).contains(gain), "\(row.capacity): \(gain)")
        }
    }
}
