import Basics
import CacheSimulation
import CacheTraces
import Foundation
import Runs
import Synchronization

/// The fewest misses.
extension SimulationRunner {
    /// Records the capacities at which the fewest misses are bounded, and returns those that the folder does not have,
    /// each with its place in the table.
    func begin(_ capacities: [LeastMissesRow.Identity]) -> [(place: Int, LeastMissesRow.Identity)] {
        folder?.plan(capacities)
        let start = state.withLock { state in
            let start = state.bounds.count
            state.bounds += capacities.map { keptBounds[$0] }
            state.planned += capacities.count
            state.finished += capacities.count { keptBounds[$0] != nil }
            return start
        }
        progress.advance(by: Double(capacities.count { keptBounds[$0] != nil }))
        return zip(start..., capacities).filter { keptBounds[$1] == nil }.map { (place: $0, $1) }
    }

    /// Bounds the fewest misses, with a thread for each capacity.
    func bound(_ trace: DenseTrace, _ capacities: [(place: Int, LeastMissesRow.Identity)]) throws {
        let failure = Mutex<(any Error)?>(nil)
        DetachedThread.forEach(capacities.count, threads: jobs) { [self] index in
            guard failure.withLock({ $0 == nil }) else { return }
            let (place, identity) = capacities[index]
            let row = LeastMissesRow(identity, of: trace)
            do { try folder?.add(row) } catch { return failure.withLock { $0 = error } }
            state.withLock { state in
                state.bounds[place] = row
                state.finished += 1
            }
            progress.advance(by: 1)
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension LeastMissesRow {
    /// Bounds the fewest misses of a trace.
    init(_ identity: Identity, of trace: DenseTrace) {
        let misses = LeastMisses(trace, capacity: identity.capacity)
        // Where all objects have size 1, bytes are requests.
        let hasSizes = trace.sizes != nil || trace.requestSizes != nil
        let bytes = hasSizes ? LeastMisses(trace, capacity: identity.capacity, counting: .bytes) : misses
        self.init(
            identity, requests: trace.requestCount, misses: misses.bound...misses.known,
            requestBytes: trace.requestBytes, missBytes: bytes.bound...bytes.known)
    }
}
