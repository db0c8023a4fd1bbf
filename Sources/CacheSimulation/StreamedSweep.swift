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
        /// The requests before those that count; nil if the trace ends before the time of a warm-up.
        public var warmup: Int?
        /// The seconds in which policies ran, without those in which they waited for the file.
        public var seconds: Double
        public var objects: Int
        /// The requests of the file that were read, with those that are left out.
        public var read: Int
    }

    /// The requests that are simulated, and the places at which counts are kept.
    public struct Parts: Sendable {
        /// The number of requests that the policies do not see.
        public var skip = 0
        /// The most requests behind the skipped ones; nil for all.
        public var first: Int?
        /// The length of the warm-up, which follows the skipped requests: a number of requests, or the requests before
        /// a time of the trace. Counts are kept after it. nil without a warm-up.
        public var warmup: PartMarks.Length?
        /// The length of the parts behind the warm-up, whose counts are kept; nil for one part.
        public var every: PartMarks.Length?
        /// The most parts behind the warm-up.
        public var most = Int.max
        /// Receives which requests of an item hit, in bytes as ``HitBits`` has them, one call behind the other for the
        /// whole trace; from any thread, for several items at a time. nil: hits are not noted, which takes less time.
        public var hits: (@Sendable (_ item: Int, _ bytes: [UInt8]) throws -> Void)?

        public init(warmup: PartMarks.Length? = nil) { self.warmup = warmup }

        /// Whether requests are left out.
        var cuts: Bool { skip > 0 || first != nil }
        /// Whether counts are kept before the end.
        var hasMarks: Bool { warmup != nil || every != nil }
    }

    /// The error of a trace with more parts than are allowed.
    public struct TooManyParts: Error, Equatable {}

    /// The most requests of a window for a single policy: its columns stay in the processor's second-level cache until
    /// the policy has read them, which takes a tenth less time. Several policies need longer windows, because each
    /// loads its own memory into that cache anew for each window: with 12 policies, these windows take a third more.
    private static let shortWindow = 1 << 16

    /// The first error of several threads.
    private final class FirstError: Sendable {
        private let error = Mutex<(any Error)?>(nil)

        func keep(_ error: any Error) { self.error.withLock { $0 = $0 ?? error } }

        func check() throws { if let error = error.withLock({ $0 }) { throw error } }
    }

    /// The items' drivers. Unchecked because threads use different items, and wait for each other after each window.
    private struct Items: @unchecked Sendable {
        let drivers: UnsafeMutableBufferPointer<Simulation.Driver>

        func run(_ step: WindowPipe.Step, threads: Int) {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for item in stride(from: thread, to: drivers.count, by: threads) {
                    drivers[item].reserve(step.room)
                    drivers[item].expect(step.marks)
                    step.window.withColumns { drivers[item].run($0, over: step.window) }
                }
            }
        }
    }

    /// Returns the outcome of all policies.
    ///
    /// - Parameter cut: Which requests are simulated, and where counts are kept.
    /// - Throws: `TraceError`, ``TooManyParts``, and what the receiver of hits throws.
    public static func run(
        _ path: String, _ options: DenseTrace.Options, _ policies: [any CachePolicy], of cut: Parts = Parts(),
        jobs: Int, _ notes: inout ReadingNotes
    ) throws -> Outcome {
        var options = options
        if policies.count == 1 { options.window = min(options.window, shortWindow) }
        let items = Items(drivers: .allocate(capacity: policies.count))
        let failure = FirstError()
        _ = items.drivers.initialize(from: drivers(policies, cut.hits, failing: failure))
        defer { items.drivers.deinitialize().deallocate() }
        let busy = Mutex(Duration.zero)
        let simulate: @Sendable (WindowPipe.Step) -> Void = { step in
            let time = ContinuousClock().measure { items.run(step, threads: max(1, min(jobs, items.drivers.count))) }
            busy.withLock { $0 += time }
        }
        var (requestBytes, objects, room) = (0, 0, 0)
        var parts = RequestParts(at: [])
        var marks = PartMarks(behind: cut.warmup ?? .requests(0), every: cut.every)
        // A part of a window is valid within one call only.
        let pipe = jobs > 1 && !cut.cuts ? WindowPipe.started(simulate) : nil
        // Before the drivers are freed, also after an error.
        defer { pipe?.finish() }
        var sizes = WindowSizes()
        func run(_ window: DenseTrace) throws {
            try failure.check()
            var found: [Int] = []
            // Only marks need the parts.
            if cut.hasMarks {
                found = marks.marks(in: window)
                parts.expect(found)
                parts.add(window)
                let uncounted = marks.warmup == 0 ? 0 : 1
                guard parts.parts.count - uncounted <= cut.most else { throw TooManyParts() }
            }
            requestBytes += window.requestBytes
            objects = window.objectCount
            // Grows by a quarter at least, because a policy copies its arrays when they grow.
            if objects > room { room = max(objects, room + room / 4) }
            if let pipe {
                pipe.send { WindowPipe.Step(window: sizes.outliving(window), room: room, marks: found) }
            } else {
                simulate(WindowPipe.Step(window: window, room: room, marks: found))
            }
        }
        let read = try forEachWindow(path, options, of: cut, &notes) { try run($0) }
        pipe?.finish()
        try failure.check()
        if let receive = cut.hits {
            for (index, driver) in items.drivers.enumerated() { try receive(index, driver.hits?.bytes ?? []) }
        }
        let counts = items.drivers.map { driver in
            var counts = driver.counts
            (counts.requestBytes, counts.hasLearnedModel) = (requestBytes, driver.hasLearnedModel)
            return counts
        }
        return Outcome(
            counts: counts, marked: items.drivers.map { $0.marked }, parts: parts.parts,
            warmup: cut.hasMarks ? marks.warmup : 0, seconds: max(busy.withLock { $0 } / .seconds(1), 1e-9),
            objects: objects, read: read)
    }

    /// Returns a driver for each policy.
    ///
    /// - Parameters:
    ///   - receive: Receives which requests hit; nil if they are not noted.
    ///   - failure: Keeps the error of `receive`.
    private static func drivers(
        _ policies: [any CachePolicy], _ receive: (@Sendable (Int, [UInt8]) throws -> Void)?,
        failing failure: FirstError
    ) -> [Simulation.Driver] {
        policies.enumerated().map { index, policy in
            var driver = Simulation.Driver(policy: policy)
            guard let receive else { return driver }
            driver.hits = HitBits()
            driver.deliverHits = { bytes in
                do { try receive(index, bytes) } catch { failure.keep(error) }
            }
            return driver
        }
    }

    /// Returns samples of the objects of a file, which are in memory as a whole, and the number of requests that were
    /// read, with those that are left out.
    ///
    /// - Parameters:
    ///   - cut: Which requests are read. It has no warm-up and no parts.
    ///   - rate: The share of the objects, from 0 to 1.
    ///   - seeds: The seed of the hash of each sample.
    /// - Throws: `TraceError`.
    public static func samples(
        _ path: String, _ options: DenseTrace.Options, of cut: Parts, rate: Double, seeds: [UInt32],
        _ notes: inout ReadingNotes
    ) throws -> (samples: WindowedSamples, read: Int) {
        var samples = WindowedSamples(rate: rate, seeds: seeds)
        let read = try forEachWindow(path, options, of: cut, &notes) { samples.add($0) }
        return (samples, read)
    }

    /// Returns LRU's curve of a file, which is read for the second time.
    ///
    /// - Parameters:
    ///   - cut: Which requests are read. It has no warm-up and no parts.
    ///   - totals: The requests and objects, which ``samples(_:_:of:rate:seeds:_:)`` has counted.
    ///   - capacities: The capacities in bytes at which the curve is exact, besides the capacities of its own ladder.
    /// - Throws: `TraceError`.
    public static func curve(
        _ path: String, _ options: DenseTrace.Options, of cut: Parts, _ totals: WindowedSamples, unit: CapacityUnit,
        exactAt capacities: [Int]
    ) throws -> LRUCurve {
        // The first time had the warnings.
        var notes = ReadingNotes()
        return try LRUCurve(of: totals, unit: unit, exactAt: capacities) { walk in
            _ = try forEachWindow(path, options, of: cut, &notes) { walk($0) }
        }
    }

    /// Calls `body` with each window of some requests, and returns the number of requests that were read.
    private static func forEachWindow(
        _ path: String, _ options: DenseTrace.Options, of cut: Parts, _ notes: inout ReadingNotes,
        _ body: (DenseTrace) throws -> Void
    ) throws -> Int {
        var part = WindowedPart(skipping: cut.skip, first: cut.first)
        var read = 0
        try DenseTrace.forEachWindow(of: path, options, &notes) { window in
            guard cut.cuts else {
                try body(window)
                read += window.requestCount
                return true
            }
            _ = try part.withPart(of: window, body)
            read = part.read
            return !part.isComplete
        }
        return read
    }
}
