import CachePolicies
import CacheTiers
import HTTPCaching
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
    public var clock = Clock.virtual
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

    public init(trace: String, cache: CacheConfiguration) {
        self.trace = trace
        self.cache = cache
    }

    /// The meaning of recorded transfer times.
    public var network = Network.recorded

    /// The file that the costs of modelled timing come from, for the note in the result; nil for the standard costs.
    public var costsFile: String?

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

    /// The meaning of time.
    public enum Clock: Codable, Sendable, Hashable {
        /// Trace time, jumping from event to event.
        case virtual
        /// Real time, at `speed` seconds of trace for each second. Always measured.
        case wall(speed: Double)

        public var name: String {
            switch self {
            case .virtual: "virtual"
            case .wall: "wall"
            }
        }

        /// nil on a virtual clock.
        public var speed: Double? { if case .wall(let speed) = self { speed } else { nil } }
    }

    /// The meaning of recorded transfer times. A trace without recorded fetches is replayed over an assumed network.
    public enum Network: Codable, Sendable, Hashable {
        /// Each transfer takes its recorded time.
        case recorded
        /// Transfers share a link whose rate is estimated from the recording. Only on a virtual clock.
        case shared(SharedLinkModel)
        /// Another network: transfers share its link. Only on a virtual clock.
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

        /// The costs of modelled timing; nil if they are the standard ones, or if there are none.
        public var ownCosts: CostModel? {
            guard case .modelled(let costs) = self, costs != .standard, costs != .instant else { return nil }
            return costs
        }
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
        return try run(prepared, registry: registry, measured: parts, progress: progress)
    }

    /// Replays a trace that several replays share. `identity` is the run's ``identity(in:)``, if it is known already.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``, and what `progress` throws: that ends the replay.
    public func run(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, registry: PolicyRegistry = .builtIn,
        measured parts: MeasuredParts? = nil, progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> RunResult {
        try run(trace, registry, parts, identity: identity, isLiteral: false, [:], progress).result
    }

    /// Replays a trace, and also returns what became of each request, in order of appearance.
    ///
    /// - Parameters:
    ///   - isLiteral: Whether a 304 keeps its recorded transfer; see ``NetworkModel``.
    ///   - damaged: In modelled timing, the times from which on the files of objects are damaged, in
    ///   nanoseconds.
    package func runRecordingRequests(
        _ trace: Trace, measured parts: MeasuredParts? = nil, isLiteral: Bool = false,
        damaged: [ObjectID: Int64] = [:]
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        let prepared = try PreparedTrace(trace, network: network)
        return try run(prepared, .builtIn, parts, isLiteral: isLiteral, damaged) { _ in }
    }

    /// Replays a trace, and also returns a row for each request, in order of appearance, with its explanation: why
    /// tiers missed, and what its cell waited for.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``.
    public func explain(
        _ trace: PreparedTrace, registry: PolicyRegistry = .builtIn, measured parts: MeasuredParts? = nil,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> (result: RunResult, requests: [RequestRow]) {
        try explained(trace, registry: registry, parts, wantsRows: true, progress)
    }

    /// Replays a trace, and explains its requests.
    ///
    /// - Parameter wantsRows: Whether rows are returned; the result has the sums of the causes without them.
    func explained(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, registry: PolicyRegistry,
        _ parts: MeasuredParts? = nil, driver: Driver? = nil, wantsRows: Bool,
        _ progress: (_ events: Int) throws -> Void
    ) throws -> (result: RunResult, requests: [RequestRow]) {
        let appearances = trace.trace.events.count { if case .appear = $0.action { true } else { false } }
        let recorder = ReplayRecorder(
            requests: appearances, objects: objects(of: trace), similar: trace.similarKeys.groups,
            end: (trace.trace.events.last?.time ?? 0) * 1_000, readsLater: timing == .measured && clock != .virtual)
        let replayed = try run(
            trace, registry, parts, identity: identity, driver: driver, isLiteral: false, [:], recorder: recorder,
            progress)
        var result = replayed.result
        let requests = replayed.requests
        var sums = CauseSum()
        var rows: [RequestRow] = []
        if wantsRows { rows.reserveCapacity(requests.count) }
        let keys = trace.keys
        let wantsSums = timeline == .everySecond
        let caches = try knowingCaches(
            trace, recorder.objects, result.tiers,
            driven: (memory: driver?.memory != nil, disk: driver?.disk != nil))
        let waits = try recorder.explain(requests, caches) { index, explanation in
            if wantsSums { sums.add(explanation, appeared: requests[index].appeared) }
            if wantsRows { rows.append(RequestRow(requests[index], index: index, keys: keys, explanation)) }
        }
        if wantsSums {
            sums.add(waits)
            result.causes = sums.totals
        }
        return (result, rows)
    }

    /// Replays a trace through an app's own cache, and also returns a row for each request.
    ///
    /// The job's cache gives the rules, and the tiers that the driver has not.
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``; ``ReplayError`` for measured timing.
    package func run(
        _ trace: PreparedTrace, driving driver: Driver, identity: RunIdentity? = nil,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> (result: RunResult, requests: [RequestRow]) {
        guard case .modelled = timing, clock == .virtual else {
            throw Self.ownNeedsModelledTiming
        }
        return try explained(
            trace, identity: identity, registry: .builtIn, driver: driver, wantsRows: true, progress)
    }

    /// Replays a trace in modelled timing, and also returns what the lanes did and when.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``; ``ReplayError`` for another timing or clock.
    public func runWithEvents(
        _ trace: PreparedTrace, registry: PolicyRegistry = .builtIn
    ) throws -> (result: RunResult, events: ReplayEvents) {
        guard cache.own == nil else {
            throw ReplayError("the events of a replay are those of caches of this package; leave --events out")
        }
        guard case .modelled = timing, clock == .virtual else {
            throw ReplayError("the events of a replay need modelled timing; use --timing modelled or instant")
        }
        let log = ReplayEventLog()
        let (result, requests) = try run(trace, registry, nil, isLiteral: false, [:], log: log) { _ in }
        return (result, log.finish(requests))
    }

    private func run(
        _ trace: PreparedTrace, _ registry: PolicyRegistry, _ parts: MeasuredParts?, identity: RunIdentity? = nil,
        driver: Driver? = nil, isLiteral: Bool, _ damaged: [ObjectID: Int64], recorder: ReplayRecorder? = nil,
        log: ReplayEventLog? = nil,
        _ progress: (_ events: Int) throws -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        var replayed = try runOnce(
            trace, registry, parts, identity: identity, driver: driver, isLiteral: isLiteral, damaged,
            recorder: recorder, log: log, progress)
        if driver == nil { try compareWithoutPrefetches(trace, registry, &replayed.result) }
        return replayed
    }

    private func runOnce(
        _ prepared: PreparedTrace, _ registry: PolicyRegistry, _ parts: MeasuredParts?,
        identity known: RunIdentity?, driver: Driver?, isLiteral: Bool, _ damaged: [ObjectID: Int64],
        recorder: ReplayRecorder?, log: ReplayEventLog?,
        _ progress: (_ events: Int) throws -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        let (trace, sizes, images, context) = (prepared.trace, prepared.sizes, prepared.images, prepared.context)
        let memory = try context.memoryPolicy(of: cache)
        let disk = try context.diskPolicy(of: cache)
        let identity = try known ?? identity(in: context)
        let objects = recorder?.objects ?? objects(of: prepared)
        let model =
            isLiteral
            ? NetworkModel(trace, sizes: sizes.bytes, seed: seed, network: network, isLiteral: true)
            : prepared.network(network, seed: seed)
        var result: RunResult
        var requests: [ReplayRequest] = []
        var delivered = DeliveredBodies()
        switch timing {
        case .modelled(let costs):
            let network = ModelledNetwork(
                images: images,
                validators: cache.revalidates ? trace.objects.map { HTTPValidators($0.headers) } : [])
            let tiers = ModelledTiers(
                objects, memory: memory, disk: disk, costs: costs, decodes: decode, damaged: damaged,
                names: prepared.diskNames, recorder: recorder)
            if let driver = try driver ?? programDriver(of: objects, parts) {
                let driven = OwnCacheTiers(driver, objects, modelled: tiers, costs: costs, recorder: recorder)
                let lanes = VirtualLanes(
                    driven, network, countsNetwork: costs.countsNetwork, link: model.link)
                (result, requests) = try replay(
                    trace, sizes, identity, lanes, model, recorder: recorder,
                    onEnd: { $0.driven = $1.tiers.finish(recorder) },
                    progress)
                break
            }
            let lanes = VirtualLanes(
                tiers, network, countsNetwork: costs.countsNetwork, link: model.link,
                log: log)
            (result, requests) = try replay(
                trace, sizes, identity, lanes, model, recorder: recorder, log: log,
                imageMemory: ImageMemory(images, disk: cache.diskRules), progress)
        case .measured:
            guard cache.own == nil, driver == nil else { throw Self.ownNeedsModelledTiming }
            guard let parts else {
                throw ReplayError("this program has no measured timing: it does not contain the module MeasuredTiers")
            }
            (result, requests, delivered) = try parts.measure(
                self, MeasuredReplay(prepared, objects, identity, model, recorder), progress)
        }
        if result.tiers.damagedFiles > 0 { result.notes.append(.filesDamaged(reads: result.tiers.damagedFiles)) }
        if let lag = result.machine?.lag, lag.isExcessive { result.notes.append(.clockLagged(lag)) }
        result.nsCacheModel = cache.model
        result.memoryLimit = try cache.memoryLimit(in: context)
        if timeline != .none { (result.marks, result.omittedMarks) = prepared.marks }
        if timeline == .everySecond {
            result.film = Film.ofScreen(requests, end: (trace.events.last?.time ?? 0) * 1_000)
        }
        let all = images.objectCount
        var inputNotes: [RunNote] = []
        if trace.header.synthetic { inputNotes.append(.sessionSynthetic) }
        if trace.header.scripted { inputNotes.append(.sessionScripted) }
        if prepared.cellsStay { inputNotes.append(.cellsStay) }
        if sizes.assumedCount > 0 {
            inputNotes.append(.sizesAssumed(objects: sizes.assumedCount, of: all, bytes: sizes.assumed))
        }
        if let costs = timing.ownCosts {
            inputNotes.append(.costs(file: costsFile, checksum: costs.checksum, changes: costs.changes))
        }
        if let chosen = cache.chosenNSCache, cache.memory.first(named: "nscache") != nil {
            inputNotes.append(.nsCacheChosen(chosen))
        }
        if let kept = delivered.kept { inputNotes.append(.bodiesKept(objects: kept, of: all)) }
        result.notes = inputNotes + result.notes
        if let driven = result.driven {
            if !driven.reportsMemory { result.notes.append(.memoryUnreported) }
            if driven.unheededWarnings > 0 {
                result.notes.append(.warningsUnheeded(driven.unheededWarnings, of: driven.warnings))
            }
            if !driven.faults.isEmpty { result.notes.append(.cacheFaults(driven.faults)) }
        }
        if delivered.kept != nil, let decoded = delivered.decoded {
            result.notes.append(.imagesDecoded(objects: decoded, of: all))
        }
        if delivered.generated > 0 {
            result.notes.append(.generatedImagesDecoded(objects: delivered.generated, of: all))
        }
        if delivered.modelled > 0 { result.notes.append(.decodingModelled(objects: delivered.modelled, of: all)) }
        if delivered.decoded == nil || delivered.generated > 0, images.assumedCount > 0, cache.needsPixels {
            result.notes.append(.pixelSizesAssumed(objects: images.assumedCount, of: all))
        }
        return (result, requests)
    }

    private func objects(of trace: PreparedTrace) -> ReplayObjects {
        ReplayObjects(
            keys: trace.keys, objectsWithSameKey: trace.objectsWithSameKey, images: trace.images,
            memory: cache.memoryRules,
            disk: cache.diskRules, hasDisk: cache.disk != nil)
    }

    /// Returns the identity of the job's run for a trace of the context's working set.
    public func identity(in context: CacheContext) throws -> RunIdentity {
        RunIdentity(
            trace: trace, cache: cache.name, specification: try cache.canonical(for: context), repetition: repetition,
            seed: seed, clock: clock.name, speed: clock.speed, timing: timingName,
            network: timing == .modelled(.instant) ? "none" : network.name, holds: cache.memoryRules.holds.rawValue,
            base: cache.swept.isEmpty ? nil : cache.base, swept: cache.swept.isEmpty ? nil : cache.swept)
    }

    private static let ownNeedsModelledTiming = ReplayError(
        "a cache of your own is replayed with --timing modelled or instant, on the virtual clock")

    /// Starts the program of the cache; nil if the cache has none.
    private func programDriver(of objects: ReplayObjects, _ parts: MeasuredParts?) throws -> Driver? {
        guard let own = cache.own else { return nil }
        guard let parts else {
            throw ReplayError("this program starts no other programs: it does not contain the module MeasuredTiers")
        }
        return Driver(memory: try parts.startProgram(own, objects.keys), isTimed: false)
    }

    package func replay<Lanes: ReplayLanes>(
        _ trace: Trace, _ sizes: ResolvedSizes, _ identity: RunIdentity, _ lanes: Lanes,
        _ network: NetworkModel, recorder: ReplayRecorder? = nil, log: ReplayEventLog? = nil,
        imageMemory: ImageMemory? = nil, onEnd: (inout RunResult, Lanes) -> Void = { _, _ in },
        _ progress: (Int) throws -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        let plan = prefetchPlan(for: trace)
        var replay = ReplayPipeline(
            trace, sizes: sizes.bytes, cache: cache, decodes: decode, timeline: timeline, plan: plan, lanes: lanes,
            network: network, recorder: recorder, log: log, imageMemory: imageMemory)
        try replay.run(trace.events, progress: progress)
        // Read before anything else is allocated: resident memory now is the replay's.
        let machine = replay.lanes.machine
        let requests = replay.requests[..<replay.requestCount]
        var result = replay.tally.result(
            identity, requests, tiers: replay.lanes.figures(), duration: trace.duration * 1_000)
        result.machine = machine
        result.imageMemoryPeak = replay.imageMemory?.peak
        if timing != .modelled(.instant) {
            if replay.network.drawn > 0 { result.notes.append(.latenciesDrawn(fetches: replay.network.drawn)) }
            if replay.network.assumed > 0 { result.notes.append(.latenciesAssumed(fetches: replay.network.assumed)) }
            if replay.network.hosts.hidesQueues { result.notes.append(.queuesHidden) }
        }
        if plan?.isOrderInferred == true { result.notes.append(.listOrderInferred) }
        if let plan, plan.unlistedAppearances > 0 {
            result.notes.append(.listIncomplete(appearances: plan.unlistedAppearances))
        }
        if plan == nil, cache.pipeline.prefetch != .none, isMetered, !cache.pipeline.prefetchOnMetered {
            result.notes.append(.prefetchOffOnMetered)
        }
        let assumed = replay.assumedLifetimes
        if assumed > 0 { result.notes.append(.lifetimesAssumed(objects: assumed, of: trace.objects.count)) }
        if cache.revalidates {
            let defects = HeaderDefects(trace)
            if !defects.isEmpty { result.notes.append(.headerDefects(defects, of: trace.objects.count)) }
        }
        onEnd(&result, replay.lanes)
        return (result, Array(requests))
    }

    /// A trace whose times are in another unit than microseconds, or count from another moment than its start, would
    /// ask for millions of years of seconds.
    public static func check(_ trace: Trace) throws {
        let days = (trace.events.last?.time ?? 0) / day
        guard days <= longestDays else {
            throw ReplayError(
                """
                the trace ends \(days) days after time 0; replay takes up to \(longestDays). Are its times \
                microseconds since the \
                start of the session? `trace head` shows them.
                """)
        }
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) where (fetch.duration ?? 0) > day {
            throw ReplayError(
                """
                a fetch of \(trace.objects[Int(object)].key.prefix(80)) took \((fetch.duration ?? 0) / 3_600_000_000) \
                hours; replay \
                takes up to 24. Are ttfb_us and transfer_us in microseconds?
                """)
        }
    }

    static let longestDays: Int64 = 31
    /// In microseconds.
    private static let day: Int64 = 86_400_000_000
}

extension Trace {
    /// The working set that shares such as `5%` refer to.
    public func workload(_ sizes: ResolvedSizes) -> Workload {
        Workload(uniqueBytes: sizes.bytes.reduce(0, +), objects: objects.count)
    }
}

/// The reason why a replay failed, and the remedy.
public struct ReplayError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// The trace cannot be replayed.
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
