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
        rows: [MissRatioRow], curves: [CurvePoint], bounds: [LeastMissesRow], parts: [MissRatioPart]
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

    /// The values of the tables: the rows in order, the curves at the requested capacities, the fewest misses in order,
    /// and the parts of the rows in order.
    var results: Results {
        state.withLock { state in
            let rows = state.order.compactMap { state.rows[$0] }
            let bounds = state.bounds.compactMap { bound in
                var bound = bound
                bound?.know(rows)
                return bound
            }
            return (rows, state.curves, bounds, state.order.flatMap { state.parts[$0] ?? [] })
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
        let estimates = Mutex<[MissRatioRow.Identity: [MissRatioRow]]>([:])
        for place in 0..<count {
            var one = work
            one.share = 1 / Double(count)
            var (trace, weights) = (work.trace, [Double]?.none)
            if !work.samples.isEmpty {
                one.samples = [work.samples[place]]
                let drawn = work.sample(place)
                (trace, weights) = (drawn.trace, drawn.weights)
            }
            try sweep(one, items, trace, weights) { [one] item, outcome in
                let row = Self.row(item, outcome, of: one)
                let rows = estimates.withLock { estimates in
                    estimates[item.identity, default: []].append(row)
                    return estimates[item.identity] ?? []
                }
                guard rows.count == count else { return }
                // The hits come first: a row that is not simulated again has its file.
                if let hits = Self.hits(item, outcome, of: one) { try self.folder?.add(hits) }
                let parts = Self.parts(
                    item.identity, outcome.marked + [outcome.counts], one.parts, from: one.warmup?.marks.count ?? 0,
                    hasSizes: !one.ignoresSizes)
                try self.keep(count > 1 ? MissRatioRow(meanOf: rows) : row, parts)
            }
        }
    }

    /// Runs the items over a trace, which is a sample if the work has one.
    private func sweep(
        _ work: SimulationWork, _ items: [SimulationWork.Item], _ trace: DenseTrace, _ weights: [Double]?,
        finished: @escaping @Sendable (SimulationWork.Item, Sweep.Outcome) throws -> Void
    ) throws {
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
        let progress = progress
        try sweep.run(jobs: jobs, progress: { progress.advance(by: $0 * share) }) { index, outcome in
            try self.plugins.check()
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
    }

    /// Returns the row of an item. Each miss of a sample counts with the weight of its object.
    ///
    /// A sample with a few popular objects too many or too few has too many or too few requests, but nearly all of them
    /// are hits. The weighted misses are therefore divided by the requests of the whole trace, as SHARDS-adj does.
    ///
    /// Requests per second count all simulated requests, the warm-up included.
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
            requestBytes: work.ignoresSizes ? nil : bytes,
            missBytes: work.ignoresSizes ? nil : whole(counts.missBytes, counts.weightedMissBytes, atMost: bytes),
            requestsPerSecond: Double(outcome.counts.requests) / outcome.seconds)
        row.warmupRequests = work.warmup?.requests
        row.sampleRate = work.rate
        row.hasModel = counts.hasLearnedModel
        return row
    }

    /// Returns the parts of an item behind the warm-up. `first` is the number of parts before them.
    static func parts(
        _ identity: MissRatioRow.Identity, _ counts: [SimulationCounts], _ requests: [RequestParts.Part],
        from first: Int, hasSizes: Bool
    ) -> [MissRatioPart] {
        var parts: [MissRatioPart] = []
        for index in requests.indices where index >= first && index < counts.count {
            let own = counts[index].since(index > 0 ? counts[index - 1] : SimulationCounts())
            let requests = requests[index]
            var part = MissRatioPart(
                identity, firstRequest: requests.first, time: requests.time ?? 0, requests: requests.requests,
                requestBytes: hasSizes ? requests.bytes : nil)
            part.misses = own.misses
            part.missBytes = hasSizes ? own.missBytes : nil
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
}

extension SimulationRunner {
    /// Records the capacities at which the fewest misses are bounded, and returns those that the folder does not have,
    /// each with its place in the table.
    func begin(_ capacities: [LeastMissesRow.Identity]) -> [(place: Int, LeastMissesRow.Identity)] {
        folder?.plan(capacities)
        let start = state.withLock { state in
            let start = state.bounds.count
            state.bounds += capacities.map { keptBounds[$0] }
            state.planned += capacities.count
            state.finished += capacities.count { keptBounds[$0] != nil }
            return start
        }
        progress.advance(by: Double(capacities.count { keptBounds[$0] != nil }))
        return zip(start..., capacities).filter { keptBounds[$1] == nil }.map { (place: $0, $1) }
    }

    /// Bounds the fewest misses, with a thread for each capacity.
    func bound(_ trace: DenseTrace, _ capacities: [(place: Int, LeastMissesRow.Identity)]) throws {
        let failure = Mutex<(any Error)?>(nil)
        DetachedThread.forEach(capacities.count, threads: jobs) { [self] index in
            guard failure.withLock({ $0 == nil }) else { return }
            let (place, identity) = capacities[index]
            let row = LeastMissesRow(identity, of: trace)
            do { try folder?.add(row) } catch { return failure.withLock { $0 = error } }
            state.withLock { state in
                state.bounds[place] = row
                state.finished += 1
            }
            progress.advance(by: 1)
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension LeastMissesRow {
    /// Bounds the fewest misses of a trace.
    init(_ identity: Identity, of trace: DenseTrace) {
        let misses = LeastMisses(trace, capacity: identity.capacity)
        let hasSizes = trace.sizes != nil && !trace.lacksSizes
        let bytes = hasSizes ? LeastMisses(trace, capacity: identity.capacity, counting: .bytes) : nil
        self.init(
            identity, requests: trace.requestCount, misses: misses.bound...misses.known,
            requestBytes: hasSizes ? trace.requestBytes : nil, missBytes: bytes.map { $0.bound...$0.known })
    }
}

extension SimulationRunner {
    private static let curvePoints = 200

    /// Computes the curves of a trace, and keeps them.
    func drawCurves(_ work: SimulationWork) throws {
        var all: [CurvePoint] = []
        var shown: [CurvePoint] = []
        for unit in work.curveUnits {
            let capacities = work.capacities.filter { $0.unit == unit }.map(\.value)
            let whole = unit == .bytes ? work.whole.uniqueBytes : work.whole.objects
            let ladder = Self.ladder(
                to: whole, unit == .bytes ? work.whole.uniqueBytes / max(1, work.whole.objects) : 1)
            let asked =
                capacities.isEmpty ? CapacityList.shares.map { Int($0 * Double(whole)) }.filter { $0 > 0 } : capacities
            let curves = try Self.curves(work, unit, ladder + asked)
            func point(_ capacity: Int) -> CurvePoint {
                let points = curves.map { curve in
                    CurvePoint(
                        trace: work.name, capacity: Capacity(capacity, unit), missRatio: curve.missRatio(at: capacity),
                        byteMissRatio: work.ignoresSizes ? nil : curve.byteMissRatio(at: capacity),
                        sampleRate: work.rate.map { _ in curve.rate },
                        isExact: work.samples.isEmpty && capacity >= curve.exactFrom)
                }
                return points.count > 1 ? CurvePoint(meanOf: points) : points[0]
            }
            all += Set(ladder + asked).sorted().map(point)
            shown += asked.map(point)
        }
        try folder?.add(all)
        state.withLock { $0.curves += shown }
    }

    /// Returns the curve of each sample, or the curve of all objects if there is no sample.
    static func curves(
        _ work: SimulationWork, _ unit: CapacityUnit, _ capacities: [Int]
    ) throws -> [LRUCurve] {
        if let readCurve = work.readCurve { return [try readCurve(unit, capacities)] }
        guard !work.samples.isEmpty else { return [LRUCurve(work.trace, unit: unit, exactAt: capacities)] }
        guard work.drawn.isEmpty else {
            let whole = (requests: work.whole.requests, bytes: work.whole.requestBytes)
            return work.drawn.map { LRUCurve($0, of: whole, unit: unit, exactAt: capacities) }
        }
        return work.samples.map { LRUCurve(work.trace, unit: unit, sample: $0, exactAt: capacities) }
    }

    /// Returns capacities evenly spaced on a logarithmic scale, from an object of mean size or a ten thousandth of the
    /// trace, whichever is more, to the whole trace.
    private static func ladder(to whole: Int, _ mean: Int) -> [Int] {
        let low = Double(max(1, mean, whole / 10_000))
        guard Double(whole) > low else { return [max(1, whole)] }
        let step = log(Double(whole) / low) / Double(curvePoints - 1)
        return Set((0..<curvePoints).map { $0 == curvePoints - 1 ? whole : Int(low * exp(Double($0) * step)) }).sorted()
    }
}

/// Traces that are read in windows.
extension SimulationRunner {
    /// Returns the policies that run over a trace in windows, and reports the others: those that know the future.
    ///
    /// - Parameter capacities: The number of capacities, each of which is a row of a policy without a size of its own.
    /// - Throws: ``CommandFailure`` if no policy is left.
    func leaveOutFuture(_ policies: [PolicyChoice], _ trace: String, capacities: Int) throws -> [PolicyChoice] {
        let suited = policies.filter { !$0.usesFuture }
        if suited.isEmpty, let first = policies.first {
            throw CommandFailure(
                .usage,
                "\(first.text) needs the future requests, which --stream does not have: leave one of the two out.")
        }
        for policy in policies where policy.usesFuture {
            leftOut.add(
                trace: trace, policy: policy.text, capacity: nil,
                "it needs the future requests, which a trace that is read in windows does not have")
            progress.advance(by: policy.hasOwnSize ? 1 : Double(max(1, capacities)))
        }
        return suited
    }

    /// Simulates all missing items in one pass over a file.
    ///
    /// - Parameter part: Which requests are simulated, where counts are kept, and whether hits are noted; with the
    ///   warm-up.
    /// - Throws: ``CommandFailure`` if no request counts, if there are too many parts, or too many files of hits.
    func stream(
        _ file: TraceFile, _ options: DenseTrace.Options, _ items: [SimulationWork.Item], _ isOwn: (Int) -> Bool,
        _ part: (options: TracePartOptions, warmup: PartMarks.Length?), _ notes: inout ReadingNotes
    ) throws {
        let workload = Workload(uniqueBytes: 0, objects: 0, ignoresSizes: !options.usesSizes)
        let missing = begin(SimulationWork.own(try supported(items, of: workload), isOwn))
        let made = try missing.map { try $0.policy.policy(workload, $0.capacity?.size) }
        guard !missing.isEmpty else { return }
        let hits = part.options.hits ? try beginHits(missing, file.path) : []
        var cut = part.options.streamed(warmup: part.warmup)
        if !hits.isEmpty { cut.hits = { item, bytes in try hits[item].append(bytes) } }
        let outcome: StreamedSweep.Outcome
        do {
            outcome = try StreamedSweep.run(file.place, options, made, of: cut, jobs: jobs, &notes)
        } catch is StreamedSweep.TooManyParts {
            throw SimulateCommand.tooManyParts(file.path, part.options.every?.text ?? "", "parts")
        }
        let all = outcome.counts[0].requests
        if cut.skip > 0, all == 0 {
            throw SimulateCommand.allSkipped(file.path, cut.skip, of: outcome.read)
        }
        if let length = part.options.warmup, outcome.warmup.map({ $0 >= all }) ?? true {
            throw SimulateCommand.onlyWarmUp(file.path, length.text, requests: all)
        }
        try plugins.check()
        progress.advance(by: Double(missing.count))
        let warmup = outcome.warmup ?? 0
        let first = warmup > 0 ? 1 : 0
        let uncountedBytes = first == 0 ? 0 : outcome.parts.first?.bytes ?? 0
        for (index, item) in missing.enumerated() {
            let all = outcome.counts[index]
            let counts = all.since(first == 0 ? SimulationCounts() : outcome.marked[index].first ?? SimulationCounts())
            var row = MissRatioRow(
                item.identity, requests: counts.requests, misses: counts.misses,
                requestBytes: options.usesSizes ? all.requestBytes - uncountedBytes : nil,
                missBytes: options.usesSizes ? counts.missBytes : nil,
                requestsPerSecond: Double(all.requests) / outcome.seconds)
            row.warmupRequests = cut.warmup == nil ? nil : warmup
            row.hasModel = all.hasLearnedModel
            let parts = cut.every == nil ? [] : outcome.parts
            // The hits come first: a row that is not simulated again has its file.
            if !hits.isEmpty { try hits[index].finish(requests: all.requests, firstCounted: warmup) }
            try keep(
                row,
                Self.parts(
                    item.identity, outcome.marked[index] + [all], parts, from: first, hasSizes: options.usesSizes))
        }
    }

    /// The most files of hits that one pass writes at a time, below the usual limit of open files.
    private static let mostHitFiles = 900

    /// Begins the files of the hits of items, in their order.
    /// - Throws: ``CommandFailure`` if there are too many, and `ResultsError`.
    private func beginHits(_ items: [SimulationWork.Item], _ path: String) throws -> [GrowingHits] {
        guard let folder else { return [] }
        guard items.count <= Self.mostHitFiles else {
            throw CommandFailure(
                .usage,
                """
                \(path): --hits of a trace that is read in windows writes \(items.count) files at a time, more than \
                \(Self.mostHitFiles); give fewer policies or capacities, or simulate parts of them with --shard
                """)
        }
        return try items.map { try folder.beginHits($0.identity) }
    }
}
