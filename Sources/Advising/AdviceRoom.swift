import ReplayEngine

/// The room that is left: the blank time that no cache can avoid with the limit of the question and the prefetches of
/// the app, next to the blank time of a cache. All figures are of the sample of the sessions.
///
/// The least blank time is a bound. A better cache need not reach it.
public struct AdviceRoom: Sendable, Encodable, Equatable {
    /// The least blank time, and its parts, which `LeastBlankTime` defines: means over users of shares of the visible
    /// time. Connections are not limited, so that they are no part.
    public struct Least: Sendable, Encodable, Equatable {
        /// The sum of the parts. No cache has less.
        public let blankRatio: Double
        /// The blank time of ``AdviceRoom/cache``.
        public let ownRatio: Double
        public let firstBytes: Double
        public let transfers: Double
        public let processing: Double
        public let memory: Double
        public let link: Double
        /// Whether the app asks for images ahead of need in one of the sessions, as one of the caches does.
        public let hasPrefetches: Bool

        enum CodingKeys: String, CodingKey {
            case blankRatio = "blank_ratio"
            case ownRatio = "own_blank_ratio"
            case firstBytes = "first_bytes_ratio"
            case transfers = "transfers_ratio"
            case processing = "processing_ratio"
            case memory = "memory_ratio"
            case link = "link_ratio"
            case hasPrefetches = "has_prefetches"
        }

        /// - Parameters:
        ///   - parts: The parts, in the order of ``parts(_:)``.
        ///   - hasPrefetches: Whether a session has prefetches.
        init(_ parts: [Double], ownRatio: Double, hasPrefetches: Bool = false) {
            (firstBytes, transfers, processing, memory, link) = (parts[0], parts[1], parts[2], parts[3], parts[4])
            blankRatio = parts.reduce(0, +)
            self.ownRatio = ownRatio
            self.hasPrefetches = hasPrefetches
        }

        /// Returns the parts of the least blank time of a session without a limit of connections, in nanoseconds.
        static func parts(_ least: LeastBlankTime) -> [Double] {
            [least.firstBytes, least.transfers, least.processing, least.memory, least.link].map { Double($0) }
        }
    }

    /// A cache that answers the question, and for which the bound does not hold.
    public struct Exempt: Sendable, Encodable, Equatable {
        public let cache: String
        /// Raw values of `LeastBlankTime.Exemption`.
        public let reasons: [String]
    }

    /// The cache that is compared: the one that the user has, or else the one with the least blank time.
    public let cache: String
    /// The sessions of the sample in which cells disappear.
    public let sessions: Int
    /// The networks of these sessions.
    public let networks: [String]
    public let exempt: [Exempt]
    /// nil if no cell disappears, and if the bound does not hold for the cache that is recommended or kept.
    public let least: Least?

    init(cache: String, sessions: Int = 0, networks: [String] = [], exempt: [Exempt] = [], least: Least? = nil) {
        self.cache = cache
        self.sessions = sessions
        self.networks = networks
        self.exempt = exempt
        self.least = least
    }

    /// Returns the means over users of amounts as shares of a whole. Both are summed over the sessions of a user. Users
    /// without a whole do not count, and a session without a user is a user of its own.
    ///
    /// - Parameters:
    ///   - wholes: The whole of each session.
    ///   - users: The user of each session; nil for none.
    static func means(_ amounts: [[Double]], of wholes: [Double], users: [String?]) -> [Double] {
        var places: [String: Int] = [:]
        var sums: [(parts: [Double], whole: Double)] = []
        for (session, parts) in amounts.enumerated() {
            let user = users[session]
            if let user, let place = places[user] {
                for part in parts.indices { sums[place].parts[part] += parts[part] }
                sums[place].whole += wholes[session]
                continue
            }
            if let user { places[user] = sums.count }
            sums.append((parts: parts, whole: wholes[session]))
        }
        let counted = sums.filter { $0.whole > 0 }
        return (amounts.first ?? []).indices.map { part in
            let sum = counted.reduce(0.0) { $0 + $1.parts[part] / $1.whole }
            return counted.isEmpty ? 0 : sum / Double(counted.count)
        }
    }
}
