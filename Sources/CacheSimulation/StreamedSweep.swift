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

    /// The items' policies and counts. Unchecked because threads use different items, and wait for each other after
    /// each window.
    private struct Items: @unchecked Sendable {
        let policies: UnsafeMutableBufferPointer<any CachePolicy>
        let counts: UnsafeMutableBufferPointer<SimulationCounts>
    }

    /// Returns the outcome, or nil if `shouldContinue` ended the run.
    ///
    /// - Parameter shouldContinue: Receives the number of requests of each window, and returns whether to continue.
    public static func run(
        _ path: String, format: TraceFormat? = nil, usesSizes: Bool, _ policies: [any CachePolicy], jobs: Int,
        window: Int = 1 << 21,
        _ notes: inout ReadingNotes, shouldContinue: (Int) -> Bool = { _ in true }
    ) throws -> Outcome? {
        let items = Items(policies: .allocate(capacity: policies.count), counts: .allocate(capacity: policies.count))
        _ = items.policies.initialize(from: policies)
        items.counts.initialize(repeating: SimulationCounts())
        defer {
            items.policies.deinitialize().deallocate()
            items.counts.deallocate()
        }
        let start = ContinuousClock.now
        var (requestBytes, objects, room, isStopped) = (0, 0, 0, false)
        try DenseTrace.forEachWindow(of: path, format: format, usesSizes: usesSizes, requests: window, &notes) {
            window in
            requestBytes += window.requestBytes
            objects = window.objectCount
            // Grows by a quarter at least, because a policy copies its arrays when they grow.
            if objects > room { room = max(objects, room + room / 4) }
            let threads = max(1, min(jobs, policies.count))
            let grown = room
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for item in stride(from: thread, to: items.policies.count, by: threads) {
                    items.policies[item].reserve(grown)
                    window.run(&items.policies[item], into: &items.counts[item])
                }
            }
            isStopped = !shouldContinue(window.objects.count)
            return !isStopped
        }
        for item in items.counts.indices { items.counts[item].requestBytes = requestBytes }
        guard !isStopped else { return nil }
        return Outcome(
            counts: Array(items.counts), seconds: max((ContinuousClock.now - start) / .seconds(1), 1e-9),
            objects: objects)
    }
}

extension DenseTrace {
    /// Runs all requests of a trace without exceptions.
    fileprivate func run(_ policy: inout any CachePolicy, into counts: inout SimulationCounts) {
        withColumns { columns in
            var columns = columns
            forEachEpoch { epoch, range in
                columns.epoch = epoch.time
                policy.run(columns, range, into: &counts)
            }
        }
    }
}
