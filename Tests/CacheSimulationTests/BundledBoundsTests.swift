import CachePolicies
import CacheTraces
import Foundation
import Testing

@testable import CacheSimulation

/// The fewest misses on the bundled sessions, in bitmaps.
@Suite("Bounds of the bundled sessions")
struct BundledBoundsTests {
    struct Row: Sendable {
        var session: String
        /// Misses at 8, 16, 32 and 64 MB. Those of sessions without failed fetches are the values of the linear program,
        /// as another solver found them.
        var bounds: [Int]
        /// The capacities at which a schedule has as few.
        var proven: Set<Int> = [8, 16, 32, 64]
    }

    static let rows = [
        Row(session: "gallery-feed", bounds: [446, 410, 370, 329], proven: []),
        Row(session: "gallery-flicks", bounds: [1386, 1134, 705, 295], proven: [8, 32, 64]),
        Row(session: "gallery-grid", bounds: [833, 788, 695, 509]),
        Row(session: "gallery-return", bounds: [526, 508, 477, 471]),
        Row(session: "gallery-search", bounds: [92, 83, 83, 83]),
        Row(session: "photo-feed", bounds: [591, 477, 361, 296]),
        // Failed fetches add 28 to 30 misses.
        Row(session: "synthetic-gallery", bounds: [418, 371, 293, 255], proven: []),
    ]

    @Test("Bounds, of which most are proven to be the optimum", arguments: rows)
    func bounds(row: Row) throws {
        let path = URL(fileURLWithPath: "\(#filePath)/../../../Traces/\(row.session).jsonl").standardized.path
        let trace = try DenseTrace(contentsOf: path, bitmaps: .required)
        for (megabytes, bound) in zip([8, 16, 32, 64], row.bounds) {
            let capacity = Capacity(megabytes * 1_000_000, .bytes)
            let least = LeastMisses(trace, capacity: capacity)
            #expect(least.bound == bound, "\(megabytes) MB")
            #expect(least.isOptimum || !row.proven.contains(megabytes), "\(megabytes) MB: \(least)")
            // No known schedule is more than 2 points above.
            #expect(Double(least.known - least.bound) <= 0.02 * Double(least.total), "\(megabytes) MB: \(least)")
            let bytes = LeastMisses(trace, capacity: capacity, counting: .bytes)
            for policy in ["belady", "belady-bypass", "belady-size", "gdsf", "lru"] {
                let counts = Simulation.run(trace, try PolicyContext().policy("\(policy)(\(megabytes)MB)"))
                #expect(counts.misses >= least.bound, "\(policy), \(megabytes) MB")
                #expect(counts.missBytes >= bytes.bound, "\(policy), \(megabytes) MB")
            }
        }
    }
}
