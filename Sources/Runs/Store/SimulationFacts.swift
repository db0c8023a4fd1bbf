public struct SimulationFacts: ManifestFacts {
    public static let kind: String? = "simulation"

    public var policies: [PolicySource]
    /// The capacities as the command line has them.
    public var capacities: [String]
    /// The options on which the figures depend. Results with other settings belong to another simulation.
    public var settings: [String: String]
    public var jobs: Int
    /// The rows of `miss_ratio.csv` and of `curve.csv` at the end; nil while the simulation runs.
    public var rows: Int?
    public var curvePoints: Int?
    /// The rows of `miss_ratio_over_time.csv` at the end; nil without any.
    public var parts: Int?
    /// The rows of `least_misses.csv` at the end; nil without any.
    public var leastMisses: Int?
    /// The policies that a trace does not suit, and that have no row of it; nil without any.
    public var leftOut: [LeftOut]?

    public init(policies: [PolicySource], capacities: [String], settings: [String: String], jobs: Int) {
        self.policies = policies
        self.capacities = capacities
        self.settings = settings
        self.jobs = jobs
    }

    public struct PolicySource: Codable, Sendable, Equatable {
        public var name: String
        /// The policy's canonical text, with every default.
        public var specification: String

        public init(name: String, specification: String) {
            self.name = name
            self.specification = specification
        }
    }

    /// A policy that a trace does not suit.
    public struct LeftOut: Codable, Sendable, Hashable {
        public var trace: String
        public var policy: String
        /// The capacity that the policy does not support, such as `64MB`; nil if the policy has no row at all.
        public var capacity: String?
        /// A clause without a full stop.
        public var reason: String

        public init(trace: String, policy: String, capacity: String?, reason: String) {
            self.trace = trace
            self.policy = policy
            self.capacity = capacity
            self.reason = reason
        }

        /// A sentence for readers of results.
        public var sentence: String {
            let place = capacity.map { " at \($0)" } ?? ""
            return "\(policy)\(place) is left out of \(trace): \(reason)."
        }
    }
}
