import CachePolicies
import CacheTraces
import Dispatch
import Synchronization

/// Runs many policies in one pass over a file that is read through a window. The number of objects bounds the memory,
/// not the number of requests. With several threads, a window is simulated while the next one is read.
///
/// Policies that know the future cannot run so, because a window does not contain it.
public struct StreamedSweep {
    public struct Outcome: Sendable {
        /// By item.
        public var counts: [SimulationCounts]
        /// By item: the counts from the start to each mark that the trace reaches.
        public var marked: [[SimulationCounts]]
        /// The requests between the marks.
        public var parts: [RequestParts.Part]
        /// The seconds in which policies ran, without those in which they waited for the file.
        public var seconds: Double
        public var objects: Int
    }

    /// The items' drivers. Unchecked because threads use different items, and wait for each other after each window.
    private struct Items: @unchecked Sendable {
        let drivers: UnsafeMutableBufferPointer<Simulation.Driver>

        /// Runs all items over a window.
        func run(_ step: WindowPipe.Step, threads: Int) {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for item in stride(from: thread, to: drivers.count, by: threads) {
                    drivers[item].reserve(step.room)
                    step.window.withColumns { drivers[item].run($0, over: step.window) }
                }
            }
        }
    }

    /// Returns the outcome of all policies.
    ///
    /// - Parameter marks: Numbers of requests at which counts are kept, rising, each above 0.
    /// - Throws: `TraceError`.
    public static func run(
        _ path: String, _ options: DenseTrace.Options, _ policies: [any CachePolicy], marks: [Int] = [], jobs: Int,
        _ notes: inout ReadingNotes
    ) throws -> Outcome {
        let items = Items(drivers: .allocate(capacity: policies.count))
        _ = items.drivers.initialize(from: policies.map { Simulation.Driver(policy: $0, marks: marks) })
        defer { items.drivers.deinitialize().deallocate() }
        let busy = Mutex(Duration.zero)
        let simulate: @Sendable (WindowPipe.Step) -> Void = { step in
            let time = ContinuousClock().measure { items.run(step, threads: max(1, min(jobs, items.drivers.count))) }
            busy.withLock { $0 += time }
        }
        var (requestBytes, objects, room) = (0, 0, 0)
        var parts = RequestParts(at: marks)
        let pipe = jobs > 1 ? WindowPipe.started(simulate) : nil
        // Before the drivers are freed, also after an error.
        defer { pipe?.finish() }
        var sizes = WindowSizes()
        try DenseTrace.forEachWindow(of: path, options, &notes) { window in
            // Only marks need the parts.
            if !marks.isEmpty { parts.add(window) }
            requestBytes += window.requestBytes
            objects = window.objectCount
            // Grows by a quarter at least, because a policy copies its arrays when they grow.
            if objects > room { room = max(objects, room + room / 4) }
            if let pipe {
                pipe.send { WindowPipe.Step(window: sizes.outliving(window), room: room) }
            } else {
                simulate(WindowPipe.Step(window: window, room: room))
            }
            return true
        }
        pipe?.finish()
        let counts = items.drivers.map { driver in
            var counts = driver.counts
            counts.requestBytes = requestBytes
            return counts
        }
        return Outcome(
            counts: counts, marked: items.drivers.map { $0.marked }, parts: parts.parts,
            seconds: max(busy.withLock { $0 } / .seconds(1), 1e-9), objects: objects)
    }
}
