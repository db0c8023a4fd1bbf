import Basics
import CachePolicies
import CacheTraces
import Foundation
import Synchronization

/// Runs many policies and capacities over one trace, on several threads that share it.
///
/// Each item's policy is created on the thread that runs it, and never leaves it. Outcomes are delivered at once, one
/// at a time.
public final class Sweep: Sendable {
    /// One policy at one capacity.
    public struct Item: Sendable {
        /// The name that items of one policy share. Items of the slowest policies run first.
        public var policy: String
        public var make: @Sendable () throws -> any CachePolicy

        public init(policy: String, make: @escaping @Sendable () throws -> any CachePolicy) {
            self.policy = policy
            self.make = make
        }
    }

    public struct Outcome: Sendable {
        public var counts: SimulationCounts
        /// The counts from the start to each mark that the trace reaches.
        public var marked: [SimulationCounts] = []
        /// The requests that hit; nil if they are not noted.
        public var hits: HitBits?
        public var seconds: Double
    }

    /// The items of one policy that wait.
    private struct Queue {
        /// The last one is next.
        var items: [Int]
        /// The duration of its last item; 0 if none has ended.
        var seconds = 0.0
    }

    private struct State {
        /// By policy, in order of first appearance.
        var queues: [Queue] = []
        /// The number of policies with a started item.
        var begun = 0
        /// The policies that were begun and have waiting items.
        var open: [Int] = []
        var isCancelled = false
        var failure: (any Error)?
    }

    private let trace: DenseTrace
    private let weights: [Double]?
    private let marks: [Int]
    private let notesHits: Bool
    private let items: [Item]
    /// By item: its place among the policies.
    private let policies: [Int]
    private let state: Mutex<State>
    private let handover = Mutex(())

    /// Computes next accesses once if any of the policies knows the future.
    ///
    /// - Parameters:
    ///   - weights: By object: how many objects it stands for; nil if the trace is no sample.
    ///   - marks: Numbers of requests at which counts are kept, rising, each above 0.
    ///   - notesHits: Whether it is noted which requests hit, which takes several times as long.
    public init(
        _ trace: DenseTrace, weights: [Double]? = nil, marks: [Int] = [], notesHits: Bool = false, _ items: [Item]
    ) throws {
        var seen: Set<String> = []
        let usesFuture = try items.filter { seen.insert($0.policy).inserted }.contains {
            type(of: try $0.make()).usesFuture
        }
        self.trace = usesFuture ? trace.withNextAccesses() : trace
        self.weights = weights
        self.marks = marks
        self.notesHits = notesHits
        self.items = items
        var places: [String: Int] = [:]
        var queues: [Queue] = []
        policies = items.indices.map { index in
            let place = places[items[index].policy] ?? queues.count
            if place == queues.count {
                places[items[index].policy] = place
                queues.append(Queue(items: []))
            }
            queues[place].items.append(index)
            return place
        }
        for place in queues.indices { queues[place].items.reverse() }
        state = Mutex(State(queues: queues))
    }

    /// Ends the run soon, from any thread. Unfinished items are lost.
    public func cancel() { state.withLock { $0.isCancelled = true } }

    /// Returns when all items are done or the run was cancelled.
    ///
    /// - Throws: The error of the first item that failed.
    ///
    /// - Parameters:
    ///   - progress: Receives shares of an item, which sum to the number of items; from any thread.
    ///   - finished: Receives an item's index and outcome; from any thread, but never two at a time.
    public func run(
        jobs: Int, progress: @escaping @Sendable (Double) -> Void = { _ in },
        finished: @escaping @Sendable (Int, Outcome) throws -> Void
    ) throws {
        DetachedThread.share(threads: min(jobs, items.count)) { [self] in
            while let index = takeNext() { attempt(index, progress, finished) }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Returns the next item: first policies of unknown duration, then the slowest, so that no long item is left to the
    /// end.
    ///
    /// - Complexity: O(p) in the number of policies with waiting items.
    private func takeNext() -> Int? {
        state.withLock { state in
            guard !state.isCancelled, state.failure == nil else { return nil }
            let queue: Int
            if state.begun < state.queues.count {
                queue = state.begun
                state.begun += 1
                if state.queues[queue].items.count > 1 { state.open.append(queue) }
            } else {
                var slowest: Int?
                for place in state.open.indices
                where state.queues[state.open[place]].seconds > slowest.map({ state.queues[state.open[$0]].seconds })
                    ?? -1
                { slowest = place }
                guard let slowest else { return nil }
                queue = state.open[slowest]
                if state.queues[queue].items.count == 1 { state.open.remove(at: slowest) }
            }
            return state.queues[queue].items.popLast()
        }
    }

    private func attempt(
        _ index: Int, _ progress: @Sendable (Double) -> Void, _ finished: @Sendable (Int, Outcome) throws -> Void
    ) {
        do {
            let policy = try items[index].make()
            let start = ContinuousClock.now
            let share = 1 / Double(max(1, trace.objects.count))
            var hits = notesHits ? HitBits() : nil
            let all = Simulation.cumulativeCounts(trace, policy, at: marks, weights: weights, hits: &hits) { accesses in
                progress(Double(accesses) * share)
                return !state.withLock { $0.isCancelled }
            }
            guard let all, let counts = all.last else { return }
            let seconds = max((ContinuousClock.now - start) / .seconds(1), 1e-9)
            let outcome = Outcome(counts: counts, marked: Array(all.dropLast()), hits: hits, seconds: seconds)
            state.withLock { $0.queues[policies[index]].seconds = seconds }
            try handover.withLock { _ in try finished(index, outcome) }
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
        }
    }
}
