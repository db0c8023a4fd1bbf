import Basics
import ReplayEngine
import ResultColumns

public struct ReplayFacts: ManifestFacts {
    public static let kind: String? = nil

    /// The caches in the order of the command line, which is the order of the rows.
    public var caches: [CacheSource]
    public var seed: UInt64
    /// `measured`, `modelled` or `instant`, with `+decode` behind it where images are decoded, and `+costs:CHECKSUM`
    /// where the costs are not the standard ones.
    public var timing: String
    public var repeats: Int
    /// The costs of modelled timing; nil for the standard costs, and for timing without costs.
    public var costs: CostsSource?
    /// The width of the steps of the timelines in seconds; 0 without timelines.
    public var timeline = 1
    /// The regular expression that finds the user of a session in the name of its trace (`--user-from`); nil if users
    /// come from the headers.
    public var userFrom: String?
    /// The text of the events that were injected into all traces; nil for none.
    public var injected: String?
    /// The networks in the order of the command line, by their names in results; nil for ``auto`` alone.
    public var networks: [String]?
    /// The smallest difference that counts in what is said about the results; nil for the standard one.
    public var relevanceThreshold: Tolerance?
    /// The limits of figures (`--budget`) by the name of the trace, or under an empty name for all; nil without limits.
    public var budgets: [String: [String]]?
    /// The number of finished runs at the end, and of those that failed.
    public var runs: Int?
    public var failed: Int?
    public var costsChecksum: String? { costs?.sha256 }

    public var limits: [FigureBudget] {
        get {
            (budgets ?? [:]).sorted { $0.key < $1.key }.flatMap { trace, texts in
                texts.compactMap { try? FigureBudget($0, trace: trace.isEmpty ? nil : trace) }
            }
        }
        set {
            let texts = Dictionary(grouping: newValue) { $0.trace ?? "" }.mapValues { $0.map(\.description) }
            budgets = texts.isEmpty ? nil : texts
        }
    }

    /// The network that is shared or recorded, as the recording allows.
    public static let auto = "auto"

    /// Whether a trace can have runs over several networks.
    var hasSeveralNetworks: Bool { networks?.count ?? 1 > 1 }

    /// Returns the names that a network of ``networks`` can have in results.
    public static func names(ofNetwork network: String) -> [String] {
        network == auto ? ["shared", "recorded"] : [network]
    }

    /// Returns the member of ``networks`` by which runs over a network were chosen.
    ///
    /// Sessions of ``auto`` belong together, whichever network it is in each. A replay that is extended can have
    /// ``auto`` beside a network that it can be. It is then unknown which of both was meant, and that network is
    /// returned.
    func chosenNetwork(_ name: String) -> String {
        let automatic = Self.names(ofNetwork: Self.auto)
        guard let networks, networks.contains(Self.auto), automatic.contains(name) else { return name }
        return networks.contains(where: { automatic.contains($0) }) ? name : Self.auto
    }

    public func keeping(_ earlier: Self) -> Self {
        var all = self
        let names = ((networks ?? [Self.auto]) + (earlier.networks ?? [Self.auto])).unique()
        all.networks = names == [Self.auto] ? nil : names
        return all
    }

    public init(
        caches: [CacheSource], seed: UInt64, timing: String, repeats: Int, costs: CostsSource? = nil
    ) {
        self.caches = caches
        self.seed = seed
        self.timing = timing
        self.repeats = repeats
        self.costs = costs
    }

    public struct CacheSource: Codable, Sendable, Equatable {
        public var name: String
        /// The cache's canonical text, with every default, by the name of the trace: sizes that are shares of a trace
        /// differ between traces. Empty if the traces were not read before the first run; each result has its own.
        public var specifications: [String: String]
        /// The name of the preset that the cache is derived from; nil for other caches.
        public var preset: String?

        public init(name: String, specifications: [String: String], preset: String? = nil) {
            self.name = name
            self.specifications = specifications
            self.preset = preset
        }
    }

    /// Costs that replace the standard ones.
    public struct CostsSource: Codable, Sendable, Equatable {
        /// The path of their file.
        public var path: String?
        /// The SHA-256 of every constant in its standard notation, in hexadecimal.
        public var sha256: String
        /// Every constant by name.
        public var constants: [String: String]

        public init(path: String?, _ costs: CostModel) {
            self.path = path
            sha256 = costs.checksum
            let all = CostModel.Constant.all.map { ($0.name, $0.unit.text($0.value(in: costs))) }
            constants = Dictionary(uniqueKeysWithValues: all)
        }
    }
}
