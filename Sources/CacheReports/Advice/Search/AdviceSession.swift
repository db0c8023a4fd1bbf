import ReplayEngine

/// A session that advice rests on.
public struct AdviceSession: Sendable {
    /// The session's name in results.
    public let name: String
    /// The user that a name or a pattern gives; nil if only the trace can tell.
    public let user: String?
    /// The bytes of the file, for the choice of traces that stay in memory.
    public let size: Int
    /// Returns the identity of the file's content.
    public let fingerprint: @Sendable () throws -> String
    /// Reads the trace.
    public let load: @Sendable () throws -> Loaded

    /// A trace that is ready for replays.
    public struct Loaded: Sendable {
        public let trace: PreparedTrace
        public let network: ReplayJob.Network

        public init(_ trace: PreparedTrace, _ network: ReplayJob.Network) {
            self.trace = trace
            self.network = network
        }
    }

    public init(
        name: String, user: String?, size: Int, fingerprint: @escaping @Sendable () throws -> String,
        load: @escaping @Sendable () throws -> Loaded
    ) {
        self.name = name
        self.user = user
        self.size = size
        self.fingerprint = fingerprint
        self.load = load
    }
}

/// The figures of one replay that advice needs.
struct AdviceRun: Codable, Sendable, Equatable {
    /// By ``FleetMeasure``.
    var measures: [Double]
    /// The objects that left memory to make room.
    var evictions: Int

    init(_ result: RunResult) {
        measures = FleetMeasure.allCases.map { $0.value(result) }
        evictions = result.tiers.memoryEvictions
    }
}
