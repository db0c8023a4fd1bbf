import CachePolicies
import CacheTraces
import Dispatch

/// Runs many policies in one pass over a file that is read through a window. The number of objects bounds the memory,
/// not the number of requests.
///
/// Policies that know the future cannot run so, because a window does not contain it.
public struct StreamedSweep {
    public struct Outcome: Sendable {
        /// By item.
        public var counts: [SimulationCounts]
        public var seconds: Double
        public var objects: Int
    }

    /// The items' drivers. Unchecked because threads use different items, and wait for each other after each window.
    private struct Items: @unchecked Sendable {
        let drivers: UnsafeMutableBufferPointer<Simulation.Driver>
    }

    /// Returns the outcome, or nil if `shouldContinue` ended the run.
    ///
    /// - Parameter shouldContinue: Receives the number of requests of each window, and returns whether to continue.
    public static func run(
        _ path: String, _ options: DenseTrace.Options, _ policies: [any CachePolicy], jobs: Int,
        _ notes: inout ReadingNotes, shouldContinue: (Int) -> Bool = { _ in true }
    ) throws -> Outcome? {
        let items = Items(drivers: .allocate(capacity: policies.count))
        _ = items.drivers.initialize(from: policies.map { Simulation.Driver(policy: $0) })
        defer { items.drivers.deinitialize().deallocate() }
        let start = ContinuousClock.now
        var (requestBytes, objects, room, isStopped) = (0, 0, 0, false)
        try DenseTrace.forEachWindow(of: path, options, &notes) { window in
            requestBytes += window.requestBytes
            objects = window.objectCount
            // Grows by a quarter at least, because a policy copies its arrays when they grow.
            if objects > room { room = max(objects, room + room / 4) }
            let threads = max(1, min(jobs, items.drivers.count))
            let grown = room
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for item in stride(from: thread, to: items.drivers.count, by: threads) {
                    items.drivers[item].reserve(grown)
                    window.withColumns { items.drivers[item].run($0, over: window) }
                }
            }
            isStopped = !shouldContinue(window.objects.count)
            return !isStopped
        }
        guard !isStopped else { return nil }
        let counts = items.drivers.map { driver in
            var counts = driver.counts
            counts.requestBytes = requestBytes
            return counts
        }
        return Outcome(
            counts: counts, seconds: max((ContinuousClock.now - start) / .seconds(1), 1e-9), objects: objects)
    }
}
