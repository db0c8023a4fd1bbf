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
    /// - Parameters:
    ///   - context: The working set.
    ///   - rules: The cache's ``CacheConfiguration/canonicalRules``, which a caller with many traces computes once.
    package func identity(in context: CacheContext, rules: String) throws -> RunIdentity {
        var identity = RunIdentity(
            trace: trace, cache: cache.name, specification: try cache.canonical(for: context, rules: rules),
            repetition: repetition, seed: seed, timing: timingName)
        (identity.clock, identity.speed) = (clock.name, clock.speed)
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
