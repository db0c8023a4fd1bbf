import ArgumentParser
import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import Foundation
import Runs
import Synchronization

/// Simulates traces. Each is loaded once and shared by all threads, and each finished row is kept in the folder at
/// once.
final class SimulationRunner: Sendable {
    typealias Results = (
        rows: [MissRatioRow], curves: [CurvePoint], errors: [SampleError], bounds: [LeastMissesRow],
        parts: [MissRatioPart]
    )

    struct State {
        var sweep: Sweep?
        var isInterrupted = false
        var planned = 0
        var finished = 0
        var rows: [MissRatioRow.Identity: MissRatioRow] = [:]
        /// The parts of the rows; empty without `--every`.
        var parts: [MissRatioRow.Identity: [MissRatioPart]] = [:]
        /// The rows of the table, in order.
        var order: [MissRatioRow.Identity] = []
        var curves: [CurvePoint] = []
        var errors: [SampleError] = []
        /// The fewest misses, in order; nil for rows that are not finished.
        var bounds: [LeastMissesRow?] = []
    }

    let folder: SimulationStore?
    let plugins: LoadedPlugins
    let progress: ProgressBar
    let jobs: Int
    /// The rows that the folder had at the start. Traces have different names, so that no later row is looked up.
    private let kept: [MissRatioRow.Identity: MissRatioRow]
    private let keptParts: [MissRatioRow.Identity: [MissRatioPart]]
    let keptBounds: [LeastMissesRow.Identity: LeastMissesRow]
    let state = Mutex(State())
    /// The policies that a trace does not suit.
    let leftOut = LeftOutPolicies()

    init(folder: SimulationStore?, plugins: LoadedPlugins, progress: ProgressBar, jobs: Int) {
        self.folder = folder
        self.plugins = plugins
        self.progress = progress
        self.jobs = jobs
        kept = Dictionary((folder?.rows ?? []).map { ($0.identity, $0) }) { $1 }
        keptParts = Dictionary(grouping: folder?.parts ?? [], by: \.identity)
        keptBounds = Dictionary((folder?.bounds ?? []).map { ($0.identity, $0) }) { $1 }
    }

    /// The values of the tables: the rows in order, the curves at the requested capacities, the errors of samples, the
    /// fewest misses in order, and the parts of the rows in order.
    var results: Results {
        state.withLock { state in
            (
                state.order.compactMap { state.rows[$0] }, state.curves, state.errors,
                state.bounds.compactMap { $0 }, state.order.flatMap { state.parts[$0] ?? [] }
            )
        }
    }

    /// Ends the work, from the thread of signals. Between sweeps the process ends at once: no row of a policy is
    /// unfinished, and the fewest misses of a capacity are found again when the command is resumed.
    func interrupt() {
        let sweep = state.withLock { state in
            state.isInterrupted = true
            return state.sweep
        }
        if let sweep { return sweep.cancel() }
        reportInterrupt()
        try? StandardStreams.flushOutput()
        EndSignals.end()
    }

    private func reportInterrupt() {
        progress.finish()
        let (finished, planned) = state.withLock { ($0.finished, $0.planned) }
        guard let folder else {
            return printToStandardError("Interrupted. With --output, finished rows are kept.")
        }
        try? folder.orderRows()
        printToStandardError(
            """
            Interrupted: \(finished) of \(planned) rows are finished and are in \(folder.path). `--resume --output \
            \(folder.path)` continues.
            """
        )
    }

    func run(_ work: SimulationWork) throws {
        let suited = try supported(work.items, of: work.workload) { capacity in
            work.samples.map(\.rate).min().map { capacity.scaled(by: $0) } ?? capacity
        }
        let missing = begin(SimulationWork.own(suited, work.isOwn))
        if work.curve { try drawCurves(work) }
        let unbounded = begin(work.boundedCapacities)
        try simulate(work, missing)
        try bound(work.trace, unbounded)
    }

    /// Returns the items whose policies support their capacities, and reports the others.
    ///
    /// - Throws: ``SpecError`` if no policy supports its capacity, or if a policy cannot be made for another reason.
    func supported(
        _ items: [SimulationWork.Item], of workload: Workload, at capacity: (Capacity) -> Capacity = { $0 }
    ) throws -> [SimulationWork.Item] {
        var refusals: [(item: SimulationWork.Item, error: SpecError)] = []
        let supported = try items.filter { item in
            do { _ = try item.policy.policy(workload, item.capacity.map { capacity($0).size }) } catch let error
                as SpecError where error.refusesCapacity
            {
                refusals.append((item, error))
                return false
            }
            return true
        }
        if supported.isEmpty, let first = refusals.first { throw first.error }
        for (item, error) in refusals {
            leftOut.add(
                trace: item.identity.trace, policy: item.policy.text, capacity: item.capacity, error.message)
            progress.advance(by: 1)
        }
        return supported
    }

    /// Records the planned items, and returns those that the folder does not have.
    func begin(_ items: [SimulationWork.Item]) -> [SimulationWork.Item] {
        folder?.plan(items.map(\.identity))
        state.withLock { state in
            state.order += items.map(\.identity)
            state.planned += items.count
            for item in items {
                guard let row = kept[item.identity] else { continue }
                state.rows[item.identity] = row
                state.parts[item.identity] = keptParts[item.identity]
                state.finished += 1
                progress.advance(by: 1)
            }
        }
        return items.filter { kept[$0.identity] == nil }
    }

    /// Keeps a row and its parts. They come first: a row that is not simulated again has its parts.
    func keep(_ row: MissRatioRow, _ parts: [MissRatioPart] = []) throws {
        try folder?.add(parts)
        try folder?.add(row)
        state.withLock { state in
            if !parts.isEmpty { state.parts[row.identity] = parts }
            state.rows[row.identity] = row
            state.finished += 1
        }
    }

    // MARK: Sweeps

    private func simulate(_ work: SimulationWork, _ items: [SimulationWork.Item]) throws {
        guard !items.isEmpty else { return }
        let count = max(1, work.samples.count)
        var (seconds, samplingSeconds) = ([MissRatioRow.Identity: Double](), 0.0)
        let estimates = Mutex<[MissRatioRow.Identity: [MissRatioRow]]>([:])
        for place in 0..<count {
            var one = work
            one.share = 1 / Double(count)
            var (trace, weights) = (work.trace, [Double]?.none)
            if !work.samples.isEmpty {
                one.samples = [work.samples[place]]
                let (drawn, spent) = timed { work.sample(place) }
                (trace, weights) = (drawn.trace, drawn.weights)
                samplingSeconds += spent
            }
            let spent = try sweep(one, items, trace, weights) { [one] item, outcome in
                let row = Self.row(item, outcome, of: one)
                let rows = estimates.withLock { estimates in
                    estimates[item.identity, default: []].append(row)
                    return estimates[item.identity] ?? []
                }
                guard rows.count == count else { return }
                // The hits come first: a row that is not simulated again has its file.
                if let hits = Self.hits(item, outcome, of: one) { try self.folder?.add(hits) }
                let parts = Self.parts(
                    item.identity, outcome.marked + [outcome.counts], one.parts, from: one.warmup?.marks.count ?? 0)
                try self.keep(count > 1 ? MissRatioRow(meanOf: rows) : row, parts)
            }
            seconds.merge(spent, uniquingKeysWith: +)
        }
        if work.checksSample { try compare(work, items, seconds, samplingSeconds) }
    }

    /// Simulates all objects, and reports the errors of the estimates.
    private func compare(
        _ work: SimulationWork, _ items: [SimulationWork.Item], _ seconds: [MissRatioRow.Identity: Double],
        _ samplingSeconds: Double
    ) throws {
        guard let rate = work.rate else { return }
        let exact = Mutex<[MissRatioRow.Identity: (row: MissRatioRow, seconds: Double)]>([:])
        var whole = work
        whole.samples = []
        _ = try sweep(whole, items, work.trace, nil) { [whole] item, outcome in
            exact.withLock { $0[item.identity] = (Self.row(item, outcome, of: whole), outcome.seconds) }
        }
        let rows = exact.withLock { $0 }
        let estimates = state.withLock { $0.rows }
        let errors = work.policies.compactMap { policy -> SampleError? in
            let own = items.map(\.identity).filter { $0.policy == policy.text }
            let pairs = own.compactMap { identity in
                rows[identity].flatMap { exact in
                    estimates[identity].map {
                        (
                            exact: (exact.row.missRatio, exact.row.byteMissRatio),
                            estimate: ($0.missRatio, $0.byteMissRatio)
                        )
                    }
                }
            }
            guard !pairs.isEmpty else { return nil }
            return SampleError(
                trace: work.name, policy: policy.text, sampleRate: rate, pairs: pairs,
                exactSeconds: own.reduce(0) { $0 + (rows[$1]?.seconds ?? 0) },
                sampleSeconds: own.reduce(samplingSeconds) { $0 + (seconds[$1] ?? 0) })
        }
        try keep(errors)
    }

    /// Runs the items over a trace, which is a sample if the work has one. Returns the seconds of each.
    private func sweep(
        _ work: SimulationWork, _ items: [SimulationWork.Item], _ trace: DenseTrace, _ weights: [Double]?,
        finished: @escaping @Sendable (SimulationWork.Item, Sweep.Outcome) throws -> Void
    ) throws -> [MissRatioRow.Identity: Double] {
        let (workload, rate, share) = (work.workload, work.rate, work.share)
        let sweep = try Sweep(
            trace, weights: weights, marks: work.marks, notesHits: work.notesHits,
            items.map { item in
                Sweep.Item(policy: item.policy.text) {
                    try item.policy.policy(
                        workload, item.capacity.map { capacity in (rate.map(capacity.scaled) ?? capacity).size })
                }
            })
        let isInterrupted = state.withLock { state in
            state.sweep = sweep
            return state.isInterrupted
        }
        if isInterrupted { sweep.cancel() }
        let seconds = Mutex<[MissRatioRow.Identity: Double]>([:])
        let progress = progress
        try sweep.run(jobs: jobs, progress: { progress.advance(by: $0 * share) }) { index, outcome in
            try self.plugins.check()
            seconds.withLock { $0[items[index].identity] = outcome.seconds }
            try finished(items[index], outcome)
        }
        let wasInterrupted = state.withLock { state in
            state.sweep = nil
            return state.isInterrupted
        }
        guard !wasInterrupted else {
            reportInterrupt()
            throw ExitCode(EndSignals.status)
        }
        return seconds.withLock { $0 }
    }

    /// Returns the row of an item. Each miss of a sample counts with the weight of its object.
    ///
    /// A sample with a few popular objects too many or too few has too many or too few requests, but nearly all of them
    /// are hits. The weighted misses are therefore divided by the requests of the whole trace, as SHARDS-adj does.
    ///
    /// Requests per second count the requests that were simulated, with those of the warm-up.
    static func row(_ item: SimulationWork.Item, _ outcome: Sweep.Outcome, of work: SimulationWork)
        -> MissRatioRow
    {
        let warmup = work.warmup ?? WarmUp(requests: 0, bytes: 0)
        let requests = work.whole.requests - warmup.requests
        let bytes = work.whole.requestBytes - warmup.bytes
        let before = warmup.requests > 0 ? outcome.marked.first : nil
        let counts = outcome.counts.since(before ?? SimulationCounts())
        func whole(_ count: Int, _ estimate: Double, atMost most: Int) -> Int {
            work.samples.isEmpty ? count : Int(min(estimate.rounded(), Double(most)))
        }
        var row = MissRatioRow(
            item.identity, requests: requests, misses: whole(counts.misses, counts.weightedMisses, atMost: requests),
            requestBytes: bytes, missBytes: whole(counts.missBytes, counts.weightedMissBytes, atMost: bytes),
            requestsPerSecond: Double(outcome.counts.requests) / outcome.seconds)
        row.warmupRequests = work.warmup?.requests
        row.sampleRate = work.rate
        return row
    }

    /// Returns the parts of an item behind the warm-up.
    ///
    /// - Parameters:
    ///   - counts: The counts from the start to the end of each part.
    ///   - requests: The requests of each part; empty without `--every`.
    ///   - first: The number of parts before those that count.
    static func parts(
        _ identity: MissRatioRow.Identity, _ counts: [SimulationCounts], _ requests: [RequestParts.Part],
        from first: Int
    ) -> [MissRatioPart] {
        var parts: [MissRatioPart] = []
        for index in requests.indices where index >= first && index < counts.count {
            let own = counts[index].since(index > 0 ? counts[index - 1] : SimulationCounts())
            let requests = requests[index]
            var part = MissRatioPart(
                identity, firstRequest: requests.first, time: requests.time ?? 0, requests: requests.requests,
                requestBytes: requests.bytes)
            part.misses = own.misses
            part.missBytes = own.missBytes
            parts.append(part)
        }
        return parts
    }

    /// Returns which requests of an item hit; nil without `--hits`.
    private static func hits(
        _ item: SimulationWork.Item, _ outcome: Sweep.Outcome, of work: SimulationWork
    ) -> RequestHits? {
        outcome.hits.map { hits in
            RequestHits(
                item.identity, requests: hits.count, firstCounted: work.warmup?.requests ?? 0, bits: hits.bytes)
        }
    }

    func keep(_ errors: [SampleError]) throws {
        try folder?.add(errors)
        state.withLock { $0.errors += errors }
    }

    func timed<Value>(_ body: () throws -> Value) rethrows -> (Value, Double) {
        let start = ContinuousClock.now
        let value = try body()
        return (value, max((ContinuousClock.now - start) / .seconds(1), 1e-9))
    }
}
