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
        public var seconds: Double
    }

    private struct State {
        var waiting: [Int]
        /// By policy: the duration of its last item.
        var seconds: [String: Double] = [:]
        /// The policies of which an item was started.
        var begun: Set<String> = []
        var isCancelled = false
        var failure: (any Error)?
    }

    private let trace: DenseTrace
    private let items: [Item]
    private let state: Mutex<State>
    private let handover = Mutex(())

    /// Computes next accesses once if any of the policies knows the future.
    public init(_ trace: DenseTrace, _ items: [Item]) throws {
        var seen: Set<String> = []
        let usesFuture = try items.filter { seen.insert($0.policy).inserted }.contains {
            type(of: try $0.make()).usesFuture
        }
        self.trace = usesFuture ? trace.withNextAccesses() : trace
        self.items = items
        state = Mutex(State(waiting: Array(items.indices)))
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
        let threads = DispatchGroup()
        for _ in 0..<max(1, min(jobs, items.count)) {
            threads.enter()
            let thread = Thread { [self] in
                while let index = takeNext() { attempt(index, progress, finished) }
                threads.leave()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        threads.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Returns the next item: first policies of unknown duration, then the slowest, so that no long item is left to the
    /// end.
    private func takeNext() -> Int? {
        state.withLock { state in
            guard !state.isCancelled, state.failure == nil else { return nil }
            func rank(_ item: Int) -> Double {
                let policy = items[item].policy
                return state.begun.contains(policy) ? state.seconds[policy] ?? 0 : .infinity
            }
            var best: (place: Int, rank: Double)?
            for (place, item) in state.waiting.enumerated() {
                let rank = rank(item)
                if rank > best?.rank ?? -1 { best = (place, rank) }
            }
            guard let best else { return nil }
            let item = state.waiting.remove(at: best.place)
            state.begun.insert(items[item].policy)
            return item
        }
    }

    private func attempt(
        _ index: Int, _ progress: @Sendable (Double) -> Void, _ finished: @Sendable (Int, Outcome) throws -> Void
    ) {
        do {
            let policy = try items[index].make()
            let start = ContinuousClock.now
            let share = 1 / Double(max(1, trace.objects.count))
            let counts = Simulation.run(trace, policy) { accesses in
                progress(Double(accesses) * share)
                return !state.withLock { $0.isCancelled }
            }
            guard let counts else { return }
            let seconds = max((ContinuousClock.now - start) / .seconds(1), 1e-9)
            state.withLock { $0.seconds[items[index].policy] = seconds }
            try handover.withLock { _ in try finished(index, Outcome(counts: counts, seconds: seconds)) }
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
        }
    }
}
