import Basics
import ReplayEngine

extension RunExplanation {
    /// The least blank time of all caches with the prefetches, the network, the memory and the connections of a run.
    /// `LeastBlankTime` of ReplayEngine defines it, and its parts.
    public struct LeastBlank: Sendable, Encodable, Equatable {
        /// The least blank time; the sum of the parts.
        public var milliseconds: Double
        /// The least blank time as a share of the time that cells are visible.
        public var share: Double
        /// The blank time of the run as a share of the time that cells are visible.
        public var ownShare: Double
        public var firstBytes: Double
        public var transfers: Double
        public var processing: Double
        public var memory: Double
        public var link: Double
        public var connections: Double
        /// The bytes that memory holds at most; nil for no limit.
        public var memoryBytes: Int?
        /// The form in which memory holds images: a cache that holds the other form has room for other images.
        public var holds: HeldForm?
        public var hasDisk: Bool
        /// Whether the app asks for images ahead of need.
        public var hasPrefetches = false
        public var network: String
        /// Why the bound does not hold for the cache of the run: raw values of `LeastBlankTime.Exemption`.
        public var exemptions: [String]

        enum CodingKeys: String, CodingKey {
            case share, holds, network, exemptions
            case milliseconds = "ms"
            case ownShare = "own_share"
            case firstBytes = "first_bytes_ms"
            case transfers = "transfers_ms"
            case processing = "processing_ms"
            case memory = "memory_ms"
            case link = "link_ms"
            case connections = "connections_ms"
            case memoryBytes = "memory_bytes"
            case hasDisk = "has_disk"
            case hasPrefetches = "has_prefetches"
        }
    }
}

extension RunExplanation.LeastBlank {
    /// - Parameters:
    ///   - least: The least blank time.
    ///   - rules: What it holds for.
    ///   - network: The name of the network.
    ///   - result: The run.
    ///   - exemptions: Why it does not hold for the run's cache.
    public init(
        _ least: LeastBlankTime, _ rules: LeastBlankTime.Rules, network: String, _ result: RunResult,
        _ exemptions: [LeastBlankTime.Exemption]
    ) {
        milliseconds = Double(least.bound) / 1e6
        share = least.ratio
        ownShare = result.blank.visibleTime > 0 ? result.blank.blankTime / result.blank.visibleTime : 0
        firstBytes = Double(least.firstBytes) / 1e6
        transfers = Double(least.transfers) / 1e6
        processing = Double(least.processing) / 1e6
        memory = Double(least.memory) / 1e6
        link = Double(least.link) / 1e6
        connections = Double(least.connections) / 1e6
        memoryBytes = rules.memoryLimit
        holds = rules.holds
        hasDisk = rules.hasDisk
        hasPrefetches = least.hasPrefetches
        self.network = network
        self.exemptions = exemptions.map(\.rawValue)
    }

    /// The blank time that no cache can avoid, and its parts: two or three sentences; nil if it is next to nothing.
    package var sentences: String? {
        guard share >= 0.0005 else { return nil }
        let (least, own) = HumanText.shares(bound: share, ownShare)
        return """
            \(conditions), no cache \(Self.prefetching(hasPrefetches)) leaves less than \(least) of the visible time \
            blank; this one leaves \(own). Of the \(least), \(parts).\(exemption)
            """
    }

    private var conditions: String {
        let room =
            switch memoryBytes {
            case nil: "any memory"
            case 0?: "no memory"
            case let bytes?:
                "\(HumanText.bytes(Double(bytes))) of \(contents) in memory"
            }
        let disk = hasDisk ? "" : " and no disk"
        let many = connections > 0 ? ", and with as many connections" : ""
        return "Over \(Self.place(network)), with \(room)\(disk)\(many)"
    }

    private var contents: String {
        switch holds {
        case .decoded: "bitmaps"
        case .encoded: "encoded images"
        case nil: "images"
        }
    }

    private var parts: String {
        let amounts = [firstBytes, transfers, processing, memory, link, connections]
        return Self.text(ofParts: zip(amounts, Self.partNames).filter { $0.0 >= milliseconds / 200 }, of: milliseconds)
    }

    /// Why the bound does not hold for the cache of the run: a sentence after a space, or nothing.
    private var exemption: String {
        exemptions.isEmpty ? "" : " This does not hold for this cache: it \(Self.reasons(exemptions))."
    }

    // MARK: Words

    static let partNames = [
        "first bytes", "transfers", "decoding and reads from disk", "the limit of memory",
        "transfers that share the link", "the limit of connections",
    ]

    /// Returns `first bytes are 48%, transfers 23%` for parts of a whole, with their names.
    static func text(ofParts parts: [(Double, String)], of whole: Double) -> String {
        parts.enumerated().map { place, part in
            let verb = place > 0 ? "" : part.1.hasPrefix("the limit") ? " is" : " are"
            return "\(part.1)\(verb) \(RunExplanation.wholePercent(part.0 / whole))"
        }.joined(separator: ", ")
    }

    /// Returns the words for what apps ask for ahead of need that follow "no cache".
    static func prefetching(_ hasPrefetches: Bool) -> String {
        hasPrefetches ? "with these prefetches" : "without prefetching"
    }

    /// Returns the words for a network that follow "over".
    static func place(_ network: String) -> String {
        switch network {
        case "recorded": "the recorded network"
        case "shared": "the link of the recording"
        default: network
        }
    }

    /// Returns why a bound does not hold for a cache: what the cache does, from raw values of
    /// `LeastBlankTime.Exemption`.
    static func reasons(_ exemptions: [String]) -> String {
        let reasons = exemptions.compactMap { LeastBlankTime.Exemption(rawValue: $0) }.map { reason in
            switch reason {
            case .prefetches: "prefetches, which with foresight could remove almost all blank time"
            case .doesNotCoalesce: "lets each request fetch for itself"
            case .validates: "validates what it has stored"
            case .exceedsLimit: "held more than its limit"
            case .hasSecondMemory: "has a second memory"
            case .mixesPictures: "lets pictures share entries"
            case .holdsViewSizes:
                "holds bitmaps in the sizes of views, and the bound counts whole images"
            case .isProgram: "decides by itself"
            }
        }
        return reasons.joined(separator: ", and ")
    }
}
