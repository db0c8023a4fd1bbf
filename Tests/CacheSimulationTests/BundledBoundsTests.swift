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
        /// Misses at 8, 16, 32 and 64 MB. For most sessions but the recorded ones, another solver of the linear program
        /// gave the same ones. For stress-feed at 8 and 16 MB, one for whole numbers did.
        var bounds: [Int]
        /// The capacities at which a schedule has as few.
        var proven: Set<Int> = [8, 16, 32, 64]
    }

    static let rows = [
        Row(session: "stress-feed", bounds: [455, 416, 371, 330], proven: [64]),
        Row(session: "stress-flicks", bounds: [1386, 1134, 705, 295], proven: [8, 32, 64]),
        Row(session: "stress-grid", bounds: [833, 788, 695, 509]),
        Row(session: "stress-return", bounds: [526, 508, 477, 471]),
        Row(session: "stress-search", bounds: [92, 83, 83, 83]),
        Row(session: "photo-feed", bounds: [591, 477, 361, 296]),
        Row(session: "recorded/feed", bounds: [343, 315, 289, 279]),
        Row(session: "recorded/grid", bounds: [2963, 2705, 2278, 1886]),
        Row(session: "recorded/search", bounds: [960, 593, 389, 376]),
        // Failed fetches add 28 to 30 misses.
        Row(session: "synthetic-gallery", bounds: [419, 371, 293, 255], proven: []),
    ]

    @Test("Bounds, of which most are proven to be the optimum", arguments: rows)
    func bounds(row: Row) throws {
        let trace = try trace(row.session)
        for (megabytes, bound) in zip([8, 16, 32, 64], row.bounds) {
            let capacity = Capacity(megabytes * 1_000_000, .bytes)
            let least = LeastMisses(trace, capacity: capacity)
            #expect(least.bound == bound, "\(megabytes) MB")
            #expect(least.isOptimum || !row.proven.contains(megabytes), "\(megabytes) MB: \(least)")
            // No known schedule is more than 2 points above.
            #expect(Double(least.known - least.bound) <= 0.02 * Double(least.total), "\(megabytes) MB: \(least)")
        }
    }

    /// A policy that exceeds its limit is compared at the most that it held. The models of libCacheSim have counters
    /// for each byte of the limit, and take seconds; they are tested with small limits.
    @Test("No registered policy has fewer misses", arguments: rows)
    func policies(row: Row) throws {
        let session = SmallSession(try trace(row.session))
        var bounds: [Int: [LeastMisses]] = [:]
        for specification in SmallSession.specifications("16MB") where !specification.contains("libcachesim") {
            let counts = try session.run(specification)
            let capacity = max(16_000_000, counts.peak)
            let least = bounds[capacity] ?? LeastMisses.Measure.allCases.map { session.leastMisses(capacity, $0) }
            bounds[capacity] = least
            #expect(counts.misses >= least[0].bound, "\(specification)")
            #expect(counts.bytes >= least[1].bound, "\(specification)")
        }
    }

    private func trace(_ session: String) throws -> DenseTrace {
        let file = session == "recorded/grid" ? "\(session).jsonl.gz" : "\(session).jsonl"
        let path = URL(fileURLWithPath: "\(#filePath)/../../../Traces/\(file)").standardized.path
        return try DenseTrace(contentsOf: path, bitmaps: .required)
    }
}
