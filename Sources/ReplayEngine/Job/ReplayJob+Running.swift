import CachePolicies
import SessionModel

extension ReplayJob {
    /// Replays a trace through the job's cache, in this process.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - registry: The policies that the cache may name.
    ///   - parts: What measured timing and caches that are programs need; nil for neither.
    ///   - progress: Receives the number of finished events, every thousand events.
    /// - Throws: `SpecError` for a policy that cannot be created, ``ReplayError`` for a trace that cannot be
    ///   replayed, and the errors of the real tiers.
    public func run(
        _ trace: Trace, registry: PolicyRegistry = .builtIn, measured parts: MeasuredParts? = nil,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> RunResult {
        let prepared = try PreparedTrace(trace, network: network, registry: registry)
        return try run(prepared, measured: parts, progress: progress)
    }

    /// Replays a trace that several replays share. `identity` is the run's ``identity(in:)``, if it is known already.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``, and what `progress` throws: that ends the
    ///   replay.
    public func run(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, measured parts: MeasuredParts? = nil,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> RunResult {
        var setup = ReplaySetup()
        (setup.parts, setup.identity) = (parts, identity)
        return try run(trace, setup, progress).result
    }

    /// Replays a trace for a result that is kept: with causes, if the result has a timeline of every second.
    ///
    /// - Throws: As ``run(_:identity:measured:progress:)``.
    public func runForResults(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, measured parts: MeasuredParts? = nil,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> RunResult {
        var setup = ReplaySetup()
        (setup.parts, setup.identity) = (parts, identity)
        guard timeline == .everySecond else { return try run(trace, setup, progress).result }
        return try explain(trace, setup, wantsRows: false, progress).result
    }

    /// Replays a trace, and also returns a row for each request, in order of appearance, with its explanation: why
    /// tiers missed, and what its cell waited for.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``.
    public func explain(
        _ trace: PreparedTrace, measured parts: MeasuredParts? = nil,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> (result: RunResult, requests: [RequestRow]) {
        var setup = ReplaySetup()
        setup.parts = parts
        let explained = try explain(trace, setup, wantsRows: true, progress)
        return (explained.result, explained.requests)
    }

    /// Replays and explains a trace as ``explain(_:measured:progress:)``, and also returns what memory was asked for;
    /// nil for a memory that held nothing, for one that has another memory of encoded bytes behind it, and for one in
    /// which the bytes of an image change with its views.
    package func explainWithDemand(
        _ trace: PreparedTrace, measured parts: MeasuredParts? = nil
    ) throws -> (result: RunResult, requests: [RequestRow], demand: MemoryDemand?) {
        var setup = ReplaySetup()
        setup.parts = parts
        let explained = try explain(trace, setup, wantsRows: true) { _ in }
        let isComparable =
            cache.memoryRules.encodedMemory == nil
            && !(cache.memoryRules.sizes == .largest && trace.renditions(for: cache) != nil)
        let demand = isComparable ? MemoryDemand(explained.memory.accesses, in: explained.memory.cache) : nil
        return (explained.result, explained.requests, demand)
    }

    /// Replays a trace through an app's own cache, and also returns a row for each request.
    ///
    /// The job's cache gives the rules, and the tiers that the driver has not.
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``; ``ReplayError`` for measured timing.
    package func run(
        _ trace: PreparedTrace, driving driver: Driver, progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> (result: RunResult, requests: [RequestRow]) {
        guard isModelledInVirtualTime else { throw ReplayError.ownNeedsModelledTiming }
        var setup = ReplaySetup()
        setup.driver = driver
        let explained = try explain(trace, setup, wantsRows: true, progress)
        return (explained.result, explained.requests)
    }

    /// Replays and explains a trace in modelled timing, and also returns what happened and when.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``; ``ReplayError`` for another timing or clock.
    public func runWithEvents(_ trace: PreparedTrace) throws -> (result: RunResult, events: ReplayEvents) {
        guard cache.own == nil else {
            throw ReplayError("the events of a replay are those of caches of this package; leave --events out")
        }
        guard isModelledInVirtualTime else {
            throw ReplayError("the events of a replay need modelled timing; use --timing modelled or instant")
        }
        let log = ReplayEventLog()
        var setup = ReplaySetup()
        setup.log = log
        let result = try explain(trace, setup, wantsRows: false) { _ in }.result
        return (result, log.events)
    }

    /// Replays a trace, and also returns what became of each request, in order of appearance.
    ///
    /// - Parameters:
    ///   - isLiteral: Whether a 304 keeps its recorded transfer; see ``NetworkModel``.
    ///   - damaged: In modelled timing, the times from which on the files of objects are damaged, in nanoseconds.
    package func runRecordingRequests(
        _ trace: Trace, isLiteral: Bool = false, damaged: [ObjectID: Int64] = [:]
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        try runRecordingRequests(
            PreparedTrace(trace, networks: isLiteral ? [] : [network]), isLiteral: isLiteral, damaged: damaged)
    }

    /// Replays a trace that several replays share, as ``runRecordingRequests(_:isLiteral:damaged:)-(Trace,_,_)``.
    func runRecordingRequests(
        _ trace: PreparedTrace, isLiteral: Bool = false, damaged: [ObjectID: Int64] = [:]
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        var setup = ReplaySetup()
        (setup.isLiteral, setup.damaged) = (isLiteral, damaged)
        return try run(trace, setup) { _ in }
    }

    private var isModelledInVirtualTime: Bool {
        if case .modelled = timing { clock == .virtual } else { false }
    }

    private func run(
        _ trace: PreparedTrace, _ setup: ReplaySetup, _ progress: (_ events: Int) throws -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        var replayed = try PreparedRun(self, trace, setup).run(progress)
        if setup.driver == nil { try compareWithoutPrefetches(trace, &replayed.result, progress) }
        return replayed
    }

    /// Replays the trace without prefetches too, and notes how much blank time they avoided.
    ///
    /// - Parameter progress: Receives the number of all events, so that it can end the replay.
    private func compareWithoutPrefetches(
        _ trace: PreparedTrace, _ result: inout RunResult, _ progress: (_ events: Int) throws -> Void
    ) throws {
        guard case .modelled = timing, cache.pipeline.prefetch.isPlanned, cache.own == nil else { return }
        var twin = self
        twin.cache.pipeline.prefetch = .none
        twin.timeline = .none
        let all = trace.trace.events.count
        let calm = try twin.run(trace) { _ in try progress(all) }
        result.prefetch.blankAvoided = calm.blank.blankTime - result.blank.blankTime
    }

    /// Whether memory can tell the sizes of views apart. Measured timing decodes whole images, and a cache of one's own
    /// has keys without sizes.
    func tellsViewSizes(_ setup: ReplaySetup) -> Bool {
        timing != .measured && cache.own == nil && setup.driver == nil
    }

    /// Replays a trace, and explains its requests.
    ///
    /// - Parameter wantsRows: Whether rows are returned; the result has the sums of the causes without them.
    /// - Returns: Also the lookups in memory, and the cache that knows the future beside it.
    private func explain(
        _ trace: PreparedTrace, _ setup: ReplaySetup, wantsRows: Bool, _ progress: (_ events: Int) throws -> Void
    ) throws -> (
        result: RunResult, requests: [RequestRow], memory: (accesses: [ReplayRecorder.TierAccess], cache: KnowingCache)
    ) {
        let recorder = ReplayRecorder(
            requests: trace.requestCount, objects: ReplayObjects(trace, cache, tellsSizes: tellsViewSizes(setup)),
            similar: trace.similarKeys.groups,
            end: (trace.trace.events.last?.time ?? 0) * 1_000, foreground: trace.foreground,
            readsLater: timing == .measured && clock != .virtual)
        var recording = setup
        recording.recorder = recorder
        var (result, requests) = try run(trace, recording, progress)
        let caches = try knowingCaches(
            trace, recorder.objects, result.tiers,
            driven: (memory: setup.driver?.memory != nil, disk: setup.driver?.disk != nil))
        let (causes, waits) = (recorder.causes(of: requests, caches), recorder.waits)
        setup.log?.finish(requests, causes, memoryLimit: result.memoryLimit)
        if timeline == .everySecond { result.causes = CauseTotals(requests, causes, waits) }
        guard wantsRows else { return (result, [], (recorder.memoryAccesses, caches.memory)) }
        let keys = trace.keys
        // Not by `map`, which would copy each row once more.
        let rows = [RequestRow](unsafeUninitializedCapacity: requests.count) { rows, count in
            for index in requests.indices {
                let explanation = RequestExplanation(causes[index], WaitTimes(waits, request: index))
                rows.initializeElement(
                    at: index, to: RequestRow(requests[index], index: index, keys: keys, explanation))
            }
            count = requests.count
        }
        return (result, rows, (recorder.memoryAccesses, caches.memory))
    }
}
