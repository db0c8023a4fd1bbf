import Basics
import CacheReports
import Foundation
import MeasuredTiers
import ReplayEngine
import Runs
import SessionModel
import Synchronization

/// Makes the runs of a plan, several at a time: in threads of this process, or each in a process of its own.
///
/// A worker takes a trace, makes it ready, and makes its runs; workers without a trace help with the runs of others. At
/// most one trace for each worker is in memory. A finished run is on disk at once. A run that fails affects no other
/// run.
final class ReplayRunner: Sendable {
    /// A trace whose runs are being made.
    private final class Work: Sendable {
        let entry: ReplayPlan.TraceEntry
        let runs: [ReplayPlan.Run]
        let prepared: PreparedTrace?
        let origin: OriginProcess?

        init(
            _ entry: ReplayPlan.TraceEntry, _ runs: [ReplayPlan.Run], prepared: PreparedTrace?, origin: OriginProcess?
        ) {
            (self.entry, self.runs, self.prepared, self.origin) = (entry, runs, prepared, origin)
        }
    }

    private struct State {
        var running: [ObjectIdentifier: ChildProcess] = [:]
        var origins: [ObjectIdentifier: ChildProcess] = [:]
        var failures: [CommandFailure] = []
        var endedCaches: [CommandFailure] = []
        /// By number of the trace.
        var skipped: [Int: SkippedSource] = [:]
        var sources: [Int: TraceSource] = [:]
        var deadOrigins: Set<String> = []
        var interrupted = false
    }

    private let plan: ReplayPlan
    private let folder: ReplayStore
    private let isIsolated: Bool
    /// Libraries that each process loads again.
    private let plugins: [String]
    private let progress: ProgressBar
    private let batch: Batch<Work>
    private let state = Mutex(State())

    init(
        _ plan: ReplayPlan, into folder: ReplayStore, isIsolated: Bool, plugins: [String],
        progress: ProgressBar
    ) {
        self.plan = plan
        batch = Batch(groups: plan.files.count)
        self.folder = folder
        self.isIsolated = isIsolated
        self.plugins = plugins
        self.progress = progress
    }

    var interrupted: Bool { state.withLock { $0.interrupted } }
    var failures: [CommandFailure] { state.withLock { $0.failures } }
    /// The runs whose cache of the user's own ended before the replay did, in this or in an earlier command. They have
    /// results.
    var endedCaches: [CommandFailure] { state.withLock { $0.endedCaches } }
    /// The traces that could not be read, in the order of the plan.
    var skipped: [SkippedSource] { state.withLock { $0.skipped.sorted { $0.key < $1.key }.map(\.value) } }
    /// The facts of the traces that were read, by the number of the trace.
    var sources: [Int: TraceSource] { state.withLock { $0.sources } }

    /// Makes all runs. Returns early if the command is interrupted, or if a trace cannot be read that must be.
    func run(jobs: Int) {
        ScratchFolder.removeAbandoned(in: folder.path, prefix: IsolatedRun.scratchPrefix)
        let watch = InterruptWatch { [self] in interrupt() }
        defer { watch.cancel() }
        // Threads that wait for children do not depend on the number of processors.
        batch.run(
            threads: min(jobs, plan.count),
            prepare: { [self] index in prepare(index).map { ($0, items: $0.runs.count) } },
            release: { [self] work, _ in release(work) },
            work: { [self] work, _, run in attempt(work, run) })
    }

    /// Ends the children. The workers then find no further run.
    private func interrupt() {
        // Before the batch ends, so that work that has ended early never looks complete.
        state.withLock { state in
            state.interrupted = true
            for child in state.running.values { child.end() }
            // A worker can wait for an origin that stands still.
            for origin in state.origins.values { origin.end() }
        }
        batch.cancel()
        // Or for the program of a cache.
        SpawnedProcess.endGroups()
    }

    /// Makes a trace ready for its runs. Returns nil if it cannot be read.
    private func prepare(_ index: Int) -> Work? {
        do {
            let work = try prepared(index)
            state.withLock { $0.sources[index] = work.entry.source }
            return work
        } catch {
            skip(index, after: error)
            progress.advance(by: Double(plan.runsOfTrace))
            return nil
        }
    }

    /// Skips a trace that cannot be read. Another error is a failure.
    private func skip(_ index: Int, after error: any Error) {
        do {
            let skipped = try plan.files[index].skipped(after: error, isStrict: plan.isStrict)
            state.withLock { $0.skipped[index] = skipped }
        } catch {
            fail(error)
            // The runs of other traces do not need the origin of this one.
            if error is TraceError || CommandFailure(error)?.status != .ioError { batch.beginNoGroup() }
        }
    }

    private func prepared(_ index: Int) throws -> Work {
        let (entry, prepared) = try plan.read(index, isCompiled: isIsolated)
        let runs = try plan.runs(of: entry)
        var origin: OriginProcess?
        if plan.settings.timing == .measured, let compiled = entry.compiled,
            try !runs.allSatisfy(isComplete)
        {
            origin = try OriginProcess(compiled, bodies: plan.settings.bodies) { child in
                state.withLock { state in
                    state.origins[ObjectIdentifier(child)] = child
                    if state.interrupted { child.end() }
                }
            }
        }
        return Work(entry, runs, prepared: prepared, origin: origin)
    }

    /// Returns whether a run is finished, with those with other models that follow from its result.
    private func isComplete(_ run: ReplayPlan.Run) throws -> Bool {
        guard let result = folder.finished(run.identity) else { return false }
        return try run.otherModels(after: result).allSatisfy { folder.isFinished($0.identity) }
    }

    /// The runs of a trace have ended.
    private func release(_ work: Work) {
        if let origin = work.origin {
            state.withLock { $0.origins[origin.identity] = nil }
            origin.end()
        }
        plan.removeCompiled(work.entry)
    }

    /// Makes a run, and those with other models of NSCache that its result asks for.
    private func attempt(_ work: Work, _ index: Int) {
        let first = work.runs[index]
        guard let result = attempt(work, first, number: index * NSCacheModelChoice.allCases.count, counts: true) else {
            return
        }
        do {
            for (offset, run) in try first.otherModels(after: result).enumerated() {
                let number = index * NSCacheModelChoice.allCases.count + offset + 1
                _ = attempt(work, run, number: number, counts: false)
            }
        } catch {
            fail(error)
        }
    }

    /// Makes a run, or takes its earlier result. Returns nil if there is none, or if nothing depends on it.
    ///
    /// - Parameter counts: Whether the run is one of those that the progress counts.
    private func attempt(_ work: Work, _ run: ReplayPlan.Run, number: Int, counts: Bool) -> RunResult? {
        if folder.isFinished(run.identity) {
            if counts { progress.advance(by: 1) }
            // The result has to be read from the file. The runs with other models depend on it.
            guard run.job.cache.model != nil || run.job.cache.own != nil else { return nil }
            let result = folder.finished(run.identity)
            if let result { noteEnd(of: run, result) }
            return result
        }
        do {
            guard originIsUp(work), !interrupted else { return nil }
            guard var result = try makeRun(work, run, number, counts: counts) else { return nil }
            // The interruption ends the program of a cache, and with it the figures of the run.
            if run.job.cache.own != nil, interrupted { return nil }
            result.user = run.trace.user
            try folder.add(result)
            noteEnd(of: run, result)
            return result
        } catch is Interrupted {
            return nil
        } catch {
            if originIsUp(work) { fail(error) }
            return nil
        }
    }

    /// Notes that the cache of a run has ended before the replay did.
    private func noteEnd(of run: ReplayPlan.Run, _ result: RunResult) {
        guard let failure = CommandFailure(endOfCache: result, name: run.name) else { return }
        state.withLock { $0.endedCaches.append(failure) }
    }

    private func fail(_ error: any Error) {
        let failure = CommandFailure(error) ?? CommandFailure(.ioError, "\(error)")
        state.withLock { $0.failures.append(failure) }
    }

    /// Returns false if the run's origin has ended. That failure is reported once, not for each run that needs the
    /// origin.
    private func originIsUp(_ work: Work) -> Bool {
        guard let origin = work.origin, !origin.isRunning else { return true }
        let name = work.entry.file.name
        state.withLock { state in
            guard state.deadOrigins.insert(name).inserted else { return }
            state.failures.append(
                CommandFailure(
                    .ioError,
                    """
                    \(name): the loopback origin ended unexpectedly, so its remaining runs were not made; --resume \
                    makes them.
                    """
                ))
        }
        return false
    }

    /// The command was interrupted during a run in this process.
    private struct Interrupted: Error {}

    /// Makes one run; returns nil if it was interrupted.
    private func makeRun(_ work: Work, _ run: ReplayPlan.Run, _ number: Int, counts: Bool) throws -> RunResult? {
        var shown = 0.0
        func show(_ share: Double) {
            if counts { progress.advance(by: share - shown) }
            shown = share
        }
        guard let prepared = work.prepared else {
            defer { show(1) }
            return try makeIsolatedRun(work, run, number, progress: show)
        }
        let total = Double(max(prepared.trace.events.count, 1))
        func report(_ events: Int) throws {
            if interrupted { throw Interrupted() }
            show(Double(events) / total)
        }
        defer { show(1) }
        var result: RunResult
        do {
            let format = plan.settings.requests
            let rows: String?
            (result, rows) = try run.job.run(prepared, identity: run.identity, rows: format, progress: report)
            if let format, let rows { try folder.addRequests(rows, of: result.identity, as: format) }
            if plan.settings.writesEvents {
                // The same replay again: in modelled timing, it takes the same course.
                let events = try run.job.runWithEvents(prepared).events
                let chrome = ChromeTrace(prepared.trace, events, name: "\(run.identity.trace), \(run.identity.cache)")
                try folder.addEvents(of: run.identity) { try chrome.write(to: $0) }
            }
        } catch {
            guard !(error is CommandFailure), let failure = CommandFailure(error) else { throw error }
            throw CommandFailure(failure.status, "\(run.name): \(failure.description)")
        }
        result.notes = run.trace.warnings.map(RunNote.traceWarning) + result.notes
        return result
    }

    /// Makes a run in a process of its own; returns nil if it was interrupted.
    private func makeIsolatedRun(
        _ work: Work, _ run: ReplayPlan.Run, _ number: Int, progress: (Double) -> Void
    ) throws -> RunResult? {
        let isolated = IsolatedRun(
            run: run, folder: folder, plugins: plugins, requests: plan.settings.requests, origin: work.origin,
            number: number)
        var child: ObjectIdentifier?
        defer { if let child { state.withLock { $0.running[child] = nil } } }
        do {
            let result = try isolated.result(
                started: { process in
                    child = ObjectIdentifier(process)
                    state.withLock { state in
                        state.running[ObjectIdentifier(process)] = process
                        if state.interrupted { process.end() }  // The interruption came after this run had begun.
                    }
                }, progress: progress)
            return interrupted ? nil : result
        } catch {
            // An interruption ends the process, which is no failure.
            guard !interrupted else { return nil }
            throw error
        }
    }
}
