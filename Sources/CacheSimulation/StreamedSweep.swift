import CachePolicies
import CacheTraces
import Dispatch

/// Many policies fed by one pass over a file that is read through a window: memory is bounded by the objects, not by
/// the requests.
///
/// Policies that use the future cannot be fed so: a window does not know it.
public struct StreamedSweep {
    public struct Outcome: Sendable {
        /// By cell.
        public var counts: [SimulationCounts]
        public var seconds: Double
        public var objects: Int
    }

    /// One cell's policy and its counts. Invariant: threads use different cells, and wait for each other after each
    /// window.
    private struct Cells: @unchecked Sendable {
        let policies: UnsafeMutableBufferPointer<any CachePolicy>
        let counts: UnsafeMutableBufferPointer<SimulationCounts>
    }

    /// Returns nil where `goOn`, which is told the requests of each window, said no.
    public static func run(
        _ path: String, format: TraceFormat? = nil, usesSizes: Bool, _ policies: [any CachePolicy], jobs: Int,
        window: Int = 1 << 21,
        _ notes: inout ReadingNotes, goOn: (Int) -> Bool = { _ in true }
    ) throws -> Outcome? {
        let cells = Cells(policies: .allocate(capacity: policies.count), counts: .allocate(capacity: policies.count))
        _ = cells.policies.initialize(from: policies)
        cells.counts.initialize(repeating: SimulationCounts())
        defer {
            cells.policies.deinitialize().deallocate()
            cells.counts.deallocate()
        }
        let start = ContinuousClock.now
        var (requestBytes, objects, room, isStopped) = (0, 0, 0, false)
        try DenseTrace.forEachWindow(of: path, format: format, usesSizes: usesSizes, requests: window, &notes) {
            window in
            requestBytes += window.requestBytes
            objects = window.objectCount
            // By a quarter each time: a policy moves what it has.
            if objects > room { room = max(objects, room + room / 4) }
            let threads = max(1, min(jobs, policies.count))
            let grown = room
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for cell in stride(from: thread, to: cells.policies.count, by: threads) {
                    cells.policies[cell].reserve(grown)
                    window.run(&cells.policies[cell], into: &cells.counts[cell])
                }
            }
            isStopped = !goOn(window.objects.count)
            return !isStopped
        }
        for cell in cells.counts.indices { cells.counts[cell].requestBytes = requestBytes }
        guard !isStopped else { return nil }
        return Outcome(
            counts: Array(cells.counts), seconds: max((ContinuousClock.now - start) / .seconds(1), 1e-9),
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
