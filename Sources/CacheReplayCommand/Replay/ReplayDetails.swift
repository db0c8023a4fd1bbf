import Basics
import CacheReports
import Foundation
import MeasuredTiers
import ReplayEngine
import Synchronization

/// Makes the runs that the report shows in detail again, with their timelines, if the results are too many to keep all
/// timelines.
///
/// A modelled run is deterministic, so its figures equal the results.
final class ReplayDetails: Sendable {
    private struct State {
        var results: [RunResult] = []
        /// The events that are replayed, of all runs.
        var events = 0
        var interrupted = false
    }

    private let plan: ReplayPlan
    /// The place of each run in the file.
    private let wanted: [RunIdentity: Int]
    private let state = Mutex(State())

    /// The most events that are replayed again, so that the report of long sessions takes less time than the replay.
    private static let mostEvents = 5_000_000

    init(_ plan: ReplayPlan, _ wanted: [RunIdentity]) {
        self.plan = plan
        self.wanted = Dictionary(zip(wanted, 0...)) { first, _ in first }
    }

    var interrupted: Bool { state.withLock { $0.interrupted } }

    /// Makes the runs. Those that fail are left out: the report then lacks their timelines, and says so.
    func run(threads: Int) -> [RunResult] {
        let watch = InterruptWatch { [self] in state.withLock { $0.interrupted = true } }
        defer { watch.cancel() }
        let traces = Set(wanted.keys.map(\.trace))
        let places = plan.files.indices.filter { traces.contains(plan.files[$0].name) }
        DetachedThread.forEach(places.count, threads: threads) { [self] in try? run(trace: places[$0]) }
        return state.withLock(\.results).sorted { wanted[$0.identity] ?? 0 < wanted[$1.identity] ?? 0 }
    }

    private struct Interrupted: Error {}

    private func run(trace index: Int) throws {
        guard !interrupted else { return }
        let (entry, read) = try plan.read(index, isCompiled: false)
        guard let prepared = read else { return }
        for run in try plan.runs(of: entry).flatMap({ try [$0] + $0.otherModels() }) where wanted[run.identity] != nil {
            // A program of the user may answer differently, or not at all.
            guard run.job.cache.own == nil, reserve(prepared.trace.events.count) else { continue }
            var job = run.job
            job.timeline = .everySecond
            let result = try job.runForResults(prepared, identity: run.identity, measured: .real) { _ in
                if interrupted { throw Interrupted() }
            }
            state.withLock { $0.results.append(result) }
        }
    }

    private func reserve(_ events: Int) -> Bool {
        state.withLock { state in
            guard state.events + events <= Self.mostEvents else { return false }
            state.events += events
            return true
        }
    }
}
