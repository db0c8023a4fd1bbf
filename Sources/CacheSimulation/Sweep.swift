import CachePolicies
import CacheTraces
import Foundation
import Synchronization

/// Many policies and capacities over one trace, on several threads that share it.
///
/// Each cell's policy is made on the thread that runs it, and never leaves it. What is finished is handed over at once,
/// one cell at a time.
public final class Sweep: Sendable {
    /// One policy at one capacity.
    public struct Cell: Sendable {
        /// Tells cells of one policy from those of others: the longest are run first.
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
        /// By policy: how long a cell of it took.
        var seconds: [String: Double] = [:]
        /// A cell of these policies was begun.
        var begun: Set<String> = []
        var isCancelled = false
        var failure: (any Error)?
    }

    private let trace: DenseTrace
    private let cells: [Cell]
    private let state: Mutex<State>
    private let handover = Mutex(())

    /// Next accesses are found once, if any of the policies uses the future.
    public init(_ trace: DenseTrace, _ cells: [Cell]) throws {
        var seen: Set<String> = []
        let usesFuture = try cells.filter { seen.insert($0.policy).inserted }.contains {
            type(of: try $0.make()).usesFuture
        }
        self.trace = usesFuture ? trace.knowingNextAccesses() : trace
        self.cells = cells
        state = Mutex(State(waiting: Array(cells.indices)))
    }

    /// Ends the run soon; cells that are not finished are lost. From any thread.
    public func cancel() { state.withLock { $0.isCancelled = true } }

    /// Returns when all cells are done, or the run was cancelled, or one failed: then its error is thrown.
    ///
    /// - Parameters:
    ///   - progress: gets shares of a cell, which sum to the number of cells; from any thread.
    ///   - finished: gets a cell's index and outcome; from any thread, but never two at a time.
    public func run(
        jobs: Int, progress: @escaping @Sendable (Double) -> Void = { _ in },
        finished: @escaping @Sendable (Int, Outcome) throws -> Void
    ) throws {
        let threads = DispatchGroup()
        for _ in 0..<max(1, min(jobs, cells.count)) {
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

    /// A policy of which nothing is known yet comes first, then the slowest: so that no long cell is left to the end.
    private func takeNext() -> Int? {
        state.withLock { state in
            guard !state.isCancelled, state.failure == nil else { return nil }
            func rank(_ cell: Int) -> Double {
                let policy = cells[cell].policy
                return state.begun.contains(policy) ? state.seconds[policy] ?? 0 : .infinity
            }
            var best: (place: Int, rank: Double)?
            for (place, cell) in state.waiting.enumerated() {
                let rank = rank(cell)
                if rank > best?.rank ?? -1 { best = (place, rank) }
            }
            guard let best else { return nil }
            let cell = state.waiting.remove(at: best.place)
            state.begun.insert(cells[cell].policy)
            return cell
        }
    }

    private func attempt(
        _ index: Int, _ progress: @Sendable (Double) -> Void, _ finished: @Sendable (Int, Outcome) throws -> Void
    ) {
        do {
            let policy = try cells[index].make()
            let start = ContinuousClock.now
            let share = 1 / Double(max(1, trace.objects.count))
            let counts = Simulation.run(trace, policy) { accesses in
                progress(Double(accesses) * share)
                return !state.withLock { $0.isCancelled }
            }
            guard let counts else { return }
            let seconds = max((ContinuousClock.now - start) / .seconds(1), 1e-9)
            state.withLock { $0.seconds[cells[index].policy] = seconds }
            try handover.withLock { _ in try finished(index, Outcome(counts: counts, seconds: seconds)) }
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
        }
    }
}
