import CachePolicies
import CacheTiers
import CacheTraces
import SessionModel

/// What to replay how. A value that another process can be given.
public struct ReplayJob: Codable, Sendable, Equatable {
    /// The trace's name in the results.
    public var trace: String
    public var cache: CacheConfiguration
    /// Counted from 1.
    public var repetition = 1
    public var seed: UInt64 = 1
    public var timing = Timing.measured
    public var clock = Clock.virtual
    /// Where the loopback origin serves the trace's objects, for measured timing: `http://127.0.0.1:4711/run`.
    public var origin: String?
    /// An empty folder for the disk tier, for measured timing.
    public var folder: String?
    /// A folder of kept bodies (``BodyIndex``) that the origin serves, for measured timing; what is delivered is
    /// checked against them.
    public var bodies: String?
    /// Images are decoded before they are delivered: really, in measured timing, where the bodies are real ones; by the
    /// cost model otherwise.
    public var decode = false

    public init(trace: String, cache: CacheConfiguration) {
        self.trace = trace
        self.cache = cache
    }

    /// What results call it.
    public var timingName: String { timing.name + (decode ? "+decode" : "") }

    /// What time means.
    public enum Clock: Codable, Sendable, Hashable {
        /// Trace time, jumping from event to event.
        case virtual
        /// Real time, this many seconds of trace to the second. Always measured.
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

    /// Where durations come from.
    public enum Timing: Codable, Sendable, Hashable {
        /// Operations on real tiers really run, and are timed.
        case measured
        /// A cost model says.
        case modelled(CostModel)

        public var name: String {
            switch self {
            case .measured: "measured"
            case .modelled(.instant): "instant"
            case .modelled: "modelled"
            }
        }
    }
}

extension ReplayJob {
    /// Replays a trace through the job's cache, in this process. Throws ``SpecError`` for a policy that cannot be made,
    /// ``ReplayError`` for a trace that cannot be replayed, and whatever a real tier fails with.
    public func run(
        _ trace: Trace, registry: PolicyRegistry = .builtIn, progress: (_ events: Int) -> Void = { _ in }
    ) throws -> RunResult {
        try run(trace, registry, [:], progress).result
    }

    /// The same, with what became of each request, in order of appearance. `damaged`: since when an object's file is,
    /// in nanoseconds, in modelled timing.
    package func runTelling(_ trace: Trace, damaged: [ObjectID: Int64] = [:]) throws -> (
        result: RunResult, requests: [ReplayRequest]
    ) {
        try run(trace, .builtIn, damaged) { _ in }
    }

    private func run(
        _ trace: Trace, _ registry: PolicyRegistry, _ damaged: [ObjectID: Int64], _ progress: (_ events: Int) -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        try Self.check(trace)
        let sizes = trace.resolvedSizes()
        let context = PolicyContext(workload: trace.workload(sizes), registry: registry)
        let memory = try context.policy(cache.memory)
        let disk = try cache.disk.map { try context.policy($0) }
        let identity = RunIdentity(
            trace: self.trace, cache: cache.name, specification: try cache.canonical(for: context),
            repetition: repetition,
            seed: seed, clock: clock.name, speed: clock.speed, timing: timingName)
        let images = ImageSizes(trace, sizes: sizes)
        let objects = ReplayObjects(
            keys: trace.objects.map(\.key), images: images, memory: cache.memoryRules, disk: cache.diskRules)

        let kept = timing == .measured ? try bodies.map { try BodyIndex(folder: $0).bodies(of: trace) } : nil

        var result: RunResult
        var requests: [ReplayRequest] = []
        var decodedCount: Int?
        switch timing {
        case .modelled(let costs):
            let tiers = ModelledTiers(
                objects, memory: memory, disk: disk, costs: costs, decodes: decode, damaged: damaged)
            let lanes = VirtualLanes(tiers, countsNetwork: costs.countsNetwork)
            (result, requests) = try replay(trace, sizes, identity, lanes, progress)
        case .measured:
            let tiers = try RealTiers(
                objects, checks: PayloadCheck.checks(trace, kept), decodes: decode, memory: memory, disk: disk,
                folder: folder ?? "")
            result = try measuring {
                switch clock {
                case .virtual:
                    let lanes = VirtualLanes(try MeasuredTiers(tiers, origin: origin ?? ""), countsNetwork: true)
                    return try replay(trace, sizes, identity, lanes, progress).result
                case .wall(let speed):
                    let connections = cache.pipeline.connections
                    let lanes = WallLanes(
                        tiers, origin: origin ?? "", connections: connections, longestFetch: Self.longestFetch(trace),
                        speed: speed)
                    return try replay(trace, sizes, identity, lanes, progress).result
                }
            }
            decodedCount = tiers.decodedCount
        }
        if let kept { result.notes.insert(PayloadCheck.note(kept), at: 0) }
        if sizes.assumedCount > 0 {
            result.notes.insert(
                """
                \(sizes.assumedCount) of \(trace.objects.count) objects have no recorded size: \(sizes.assumed) bytes \
                assumed for each.
                """,
                at: 0)
        }
        result.nsCacheModel = cache.model?.rawValue
        if let decodedCount {
            result.notes.append(
                """
                \(decodedCount) of \(trace.objects.count) objects were really decoded. Others were never fetched, or \
                came as no JPEG, PNG or WebP, and \
                were held as the trace has them.
                """)
        } else if images.assumedCount > 0, cache.needsPixels {
            result.notes.append(
                """
                \(images.assumedCount) of \(trace.objects.count) objects have no recorded pixel size: decoded, \
                \(ImageSizes.assumedDecodedFactor) times their encoded bytes were assumed.
                """)
        }
        return (result, requests)
    }

    private func replay(
        _ trace: Trace, _ sizes: ResolvedSizes, _ identity: RunIdentity, _ lanes: some ReplayLanes,
        _ progress: (Int) -> Void
    ) throws -> (result: RunResult, requests: [ReplayRequest]) {
        let weather = NetworkWeather(trace, sizes: sizes.bytes, seed: seed)
        var replay = ReplayPipeline(
            trace, sizes: sizes.bytes, cache: cache, decodes: decode, lanes: lanes, weather: weather)
        try replay.run(trace.events, progress: progress)
        // Before anything else is allocated: what is resident now is what the replay made so.
        let machine = replay.lanes.machine
        let untold = max(replay.memoryLifetimes.untoldCount, replay.diskLifetimes.untoldCount)
        var result = replay.tally.result(identity, tiers: replay.lanes.figures(), duration: trace.duration * 1_000)
        result.machine = machine
        if timing != .modelled(.instant), replay.weather.drawn > 0 {
            let drawn = replay.weather.drawn
            result.notes.append(
                drawn == 1
                    ? "1 fetch was not in the recording: its latency was drawn from recorded ones."
                    : "\(drawn) fetches were not in the recording: their latencies were drawn from recorded ones.")
        }
        if untold > 0 {
            result.notes.append(
                """
                \(untold) of \(trace.objects.count) objects came without headers that say how long they may be used: \
                the lifetime of the cache's \
                policy was assumed.
                """)
        }
        return (result, Array(replay.requests[..<replay.requestCount]))
    }

    private func measuring(_ body: () throws -> RunResult) throws -> RunResult {
        let clock = ContinuousClock()
        let start = clock.now
        var result = try body()
        result.machine?.wallTime = (clock.now - start).nanoseconds
        return result
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

    private static func longestFetch(_ trace: Trace) -> Int64 {
        trace.events.lazy.map { if case .fetch(_, let fetch) = $0.action { fetch.duration ?? 0 } else { 0 } }.max() ?? 0
    }

    static let longestDays: Int64 = 31
    /// In microseconds.
    private static let day: Int64 = 86_400_000_000
}

extension Trace {
    /// What shares such as `5%` of this trace are shares of.
    public func workload(_ sizes: ResolvedSizes) -> Workload {
        Workload(uniqueBytes: sizes.bytes.reduce(0, +), objects: objects.count)
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// Why a replay could not be done, and what helps.
public struct ReplayError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// The trace is not fit for it.
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
