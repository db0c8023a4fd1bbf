import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import Synchronization

/// Measures LRU's curve in one pass, exact and from a sample, and a sweep on two threads compared with one, on a loaded
/// trace.
func curveBenchmarks(_ trace: SimulatedTrace) throws -> [BenchmarkRow] {
    var notes = ReadingNotes()
    let dense = try DenseTrace(contentsOf: trace.compiled, .init(usesSizes: false), &notes)
    let capacities = (1...100).map { trace.objects * $0 / 100 }
    let low = trace.capacities
    var exact: LRUCurve?
    var estimate: LRUCurve?
    let times = try alternating(
        rounds: 5,
        [
            { seconds { exact = LRUCurve(dense, unit: .objects, exactAt: capacities + low) } },
            {
                seconds {
                    estimate = LRUCurve(
                        dense, unit: .objects, sample: ObjectSample(rate: 0.01, of: dense), exactAt: capacities + low)
                }
            },
        ])
    guard let exact, let estimate else { throw BenchmarkError(description: "no curve") }
    for capacity in low {
        let misses = Simulation.run(dense, try PolicyContext(capacity: .objects(capacity)).policy("lru")).misses
        guard misses == exact.misses(at: capacity) else {
            throw BenchmarkError(
                description: "the curve misses \(exact.misses(at: capacity)) at \(capacity), lru \(misses)")
        }
    }
    let errors = capacities.map { abs(exact.missRatio(at: $0) - estimate.missRatio(at: $0)) }
    let cells = ContestedPolicy.sweep.flatMap { policy in
        trace.capacities.map { capacity in
            Sweep.Item(policy: policy.ours) { try PolicyContext(capacity: .objects(capacity)).policy(policy.ours) }
        }
    }
    func sweep(_ jobs: Int) throws -> Double {
        let finished = Mutex(0)
        let time = try seconds { try Sweep(dense, cells).run(jobs: jobs) { _, _ in finished.withLock { $0 += 1 } } }
        guard finished.withLock({ $0 }) == cells.count else { throw BenchmarkError(description: "a sweep ended early") }
        return time
    }
    let sweeps = try alternating(rounds: 5, [{ try sweep(2) }, { try sweep(1) }])
    return [
        BenchmarkRow(
            "LRU at every capacity, exact, \(trace.name)", metric: "requests", unit: "1/s", .higherIsBetter,
            ours: Double(trace.requests) / times[0], peerName: "the bar set for it", peer: 5e6),
        BenchmarkRow(
            "LRU at every capacity, SHARDS at 1 %, \(trace.name)", metric: "time", unit: "s", .lowerIsBetter,
            ours: times[1],
            peerName: "exact", peer: times[0]),
        BenchmarkRow(
            "SHARDS at 1 %, mean absolute error at 1 % to 100 % of the objects", metric: "miss ratio", unit: "1",
            .lowerIsBetter,
            ours: errors.reduce(0, +) / Double(errors.count), peerName: "the bar set for it", peer: 0.01),
        BenchmarkRow(
            "sweep of \(ContestedPolicy.sweep.count) policies at \(trace.capacities.count) capacities, two threads",
            metric: "time", unit: "s",
            .lowerIsBetter, ours: sweeps[0], peerName: "one thread", peer: sweeps[1]),
    ]
}
