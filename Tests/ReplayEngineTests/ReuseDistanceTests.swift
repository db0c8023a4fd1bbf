import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import SessionModel
import Testing
import TraceAnalysis
import TraceSynthesis

@Suite("Reuse distances and LRU")
struct ReuseDistanceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "The requests with a distance below k are the hits of an LRU cache of k objects",
        arguments: [
            "Traces/photo-feed.jsonl", "Traces/synthetic-gallery.jsonl", "made up",
        ])
    func agreement(name: String) throws {
        var trace: Trace
        if name == "made up" {
            var model = PeopleModel()
            model.app = .search
            model.days = 60
            model.requests = 20_000
            trace = try Population.trace(model, person: 0)
        } else {
            trace = try Trace(contentsOf: Self.root.appendingPathComponent(name).path)
        }
        // Distances are of requests alone: no prefetches, no failed fetches, nothing that empties a cache.
        trace.events = trace.events.filter { if case .appear = $0.action { true } else { false } }
        let reuse = ReuseDistances(RequestLog(trace))
        let dense = DenseTrace(trace, usesSizes: false)
        for capacity in [1, 2, 5, 10, 30, 100, 150, 300, 1_000] {
            let context = PolicyContext(
                workload: Workload(uniqueBytes: dense.uniqueBytes, objects: dense.objectCount, ignoresSizes: true),
                capacity: .objects(capacity), registry: .builtIn)
            let counts = Simulation.run(dense, try context.policy("lru"))
            #expect(counts.requests - counts.misses == reuse.hits(capacity: capacity), "\(capacity)")
        }
    }
}
