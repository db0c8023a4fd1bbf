import CachePolicies
import SessionModel

/// The description of one run: the trace, the cache, and the meaning of time. It is sent to the process of the run.
public struct ReplayJob: Codable, Sendable, Equatable {
    /// The trace's name in the results.
    public var trace: String
    public var cache: CacheConfiguration
    /// Counted from 1.
    public var repetition = 1
    public var seed: UInt64 = 1
    public var timing = Timing.measured
    /// For measured timing: the address at which the loopback origin serves the trace's objects, such as
    /// `http://127.0.0.1:4711/run`.
    public var origin: String?
    /// For measured timing: an empty folder for the disk tier.
    public var folder: String?
    /// For measured timing: a file in which the runs of one trace, with the same `bodies`, share the images that they
    /// decode in place of bodies that were not kept; nil for none.
    public var standInsFile: String?
    /// For measured timing: a folder of kept bodies (`BodyIndex`) that the origin serves. Delivered bytes are checked
    /// against them.
    public var bodies: String?
    /// Images are decoded before they are delivered. In measured timing, the kept bodies are decoded; in modelled
    /// timing, the cost model gives the duration.
    public var decode = false

    /// How much of the course of time the result has.
    public var timeline = Timeline.everySecond
    /// The meaning of recorded transfer times.
    public var network = Network.recorded
    /// The file that the costs of modelled timing come from, for the note in the result; nil for the standard costs.
    public var costsFile: String?
    /// The text of the events that were injected into the trace; nil for none.
    public var injected: String?

    public init(trace: String, cache: CacheConfiguration) {
        self.trace = trace
        self.cache = cache
    }

    /// The timing as results name it: `modelled+decode`, or `modelled+decode+costs:1a2b3c4d` with the checksum of costs
    /// that are not the standard ones.
    public var timingName: String {
        let costs = timing.ownCosts.map { "+costs:\($0.checksum.prefix(8))" } ?? ""
        return timing.name + (decode ? "+decode" : "") + costs
    }

    /// How much of the course of time a result has.
    public enum Timeline: Codable, Sendable, Hashable {
        /// No timeline and no marks. Latencies are distributions with an error of 1 percent; their percentiles are
        /// exact.
        case none
        /// A row for each step of so many seconds in which something changes.
        case every(seconds: Int)

        public static let everySecond = Timeline.every(seconds: 1)

        /// nil for none.
        public var seconds: Int? { if case .every(let seconds) = self { seconds } else { nil } }
    }

    /// The meaning of recorded transfer times. A trace without recorded fetches is replayed over an assumed network.
    public enum Network: Codable, Sendable, Hashable {
        /// Each transfer takes its recorded time.
        case recorded
        /// Transfers share a link whose rate is estimated from the recording.
        case shared(SharedLinkModel)
        /// Another network: transfers share its link.
        case profile(NetworkProfile)

        public var name: String {
            switch self {
            case .recorded: "recorded"
            case .shared: "shared"
            case .profile(let profile): profile.name
            }
        }
    }

    /// The source of durations.
    public enum Timing: Codable, Sendable, Hashable {
        /// Operations run on real tiers, and are timed.
        case measured
        /// A cost model computes them.
        case modelled(CostModel)

        public var name: String {
            switch self {
            case .measured: "measured"
            case .modelled(.instant): "instant"
            case .modelled: "modelled"
            }
        }

        /// The costs of modelled timing; nil for the standard costs, and for a timing without costs.
        public var ownCosts: CostModel? {
            guard case .modelled(let costs) = self, costs != .standard, costs != .instant else { return nil }
            return costs
        }
    }
}

extension ReplayJob {
    /// Returns the identity of the job's run for a trace of the context's working set.
    public func identity(in context: CacheContext) throws -> RunIdentity {
        try identity(in: context, rules: cache.canonicalRules)
    }

    /// Returns the identity of the job's run for a trace of the context's working set.
    ///
    /// - Parameter rules: The cache's ``CacheConfiguration/canonicalRules``, which a caller with many traces computes
    ///   once.
    package func identity(in context: CacheContext, rules: String) throws -> RunIdentity {
        var identity = RunIdentity(
            trace: trace, cache: cache.name, specification: try cache.canonical(for: context, rules: rules),
            repetition: repetition, seed: seed, timing: timingName)
        identity.network = timing == .modelled(.instant) ? "none" : network.name
        identity.holds = cache.memoryRules.holds.rawValue
        identity.injected = injected
        if !cache.swept.isEmpty { (identity.base, identity.swept) = (cache.base, cache.swept) }
        return identity
    }
}

/// The reason why a replay failed, and the remedy.
public struct ReplayError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        case badTrace
        /// The loopback origin does not answer.
        case originLost
    }

    public var kind: Kind
    public var description: String

    public init(_ description: String, kind: Kind = .badTrace) {
        self.kind = kind
        self.description = description
    }
}

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
        guard isModelled else { throw ReplayError.ownNeedsModelledTiming }
        var setup = ReplaySetup()
        setup.driver = driver
        let explained = try explain(trace, setup, wantsRows: true, progress)
        return (explained.result, explained.requests)
    }

    /// Replays and explains a trace in modelled timing, and also returns what happened and when.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``; ``ReplayError`` for another timing.
    public func runWithEvents(_ trace: PreparedTrace) throws -> (result: RunResult, events: ReplayEvents) {
        guard cache.own == nil else {
            throw ReplayError("the events of a replay are those of caches of this package; leave --events out")
        }
        guard isModelled else {
            throw ReplayError("the events of a replay need modelled timing; use --timing modelled or instant")
        }
        let log = ReplayEventLog()
        var setup = ReplaySetup()
        setup.log = log
        let result = try explain(trace, setup, wantsRows: false) { _ in }.result
        return (result, log.events)
    }

    /// Replays a trace in measured timing, and returns what its lanes did, with its durations.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``.
    package func measuredWork(_ trace: PreparedTrace, _ parts: MeasuredParts) throws -> [ReplayEvents.Slice] {
        let log = ReplayEventLog()
        var setup = ReplaySetup()
        (setup.log, setup.parts) = (log, parts)
        _ = try run(trace, setup) { _ in }
        return log.events.slices
    }

    /// Replays a trace, and also returns what became of each request, in order of appearance.
    ///
    /// - Parameters:
    ///   - isLiteral: Whether a 304 keeps its recorded transfer; see ``NetworkModel``.
    ///   - damaged: In modelled timing, the times from which on the files of objects are damaged, in nanoseconds.
    func runRecordingRequests(
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

    private var isModelled: Bool { if case .modelled = timing { true } else { false } }

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
        let recorder = try ReplayRecorder(
            requests: trace.requestCount, objects: ReplayObjects(trace, cache, tellsSizes: tellsViewSizes(setup)),
            similar: trace.similarKeys.groups,
            end: (trace.trace.events.last?.time ?? 0) * 1_000, foreground: trace.foreground)
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

/// The parts of a replay from outside of the engine: real tiers with files and connections, and programs of caches.
///
/// The module `MeasuredTiers` has them. An app's test target does without that module and its C libraries.
public struct MeasuredParts: Sendable {
    package typealias StartProgram = @Sendable (_ command: String, _ keys: [String]) throws -> any OwnCacheStore
    package typealias Measure =
        @Sendable (_ run: PreparedRun, _ progress: (_ events: Int) throws -> Void) throws -> FinishedReplay

    /// Starts the program of an app's own cache.
    package let startProgram: StartProgram
    /// Replays a trace on real tiers.
    package let measure: Measure

    package init(startProgram: @escaping StartProgram, measure: @escaping Measure) {
        (self.startProgram, self.measure) = (startProgram, measure)
    }
}
