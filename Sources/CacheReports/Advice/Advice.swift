import ReplayEngine

/// A recommendation of a cache and of the limit of its memory, from replays of sessions with several limits.
public struct Advice: Sendable, Encodable {
    /// A cache with one limit.
    public struct Candidate: Sendable {
        /// The name of the cache without the limit.
        public var cache: String
        /// The limit in bytes; nil for none.
        public var limit: Int?
        /// The name of the cache with the limit, as in ``RunIdentity/cache``.
        public var name: String
        /// The cache with the limit; nil if no code is asked for.
        public var configuration: CacheConfiguration?
        /// The objects that left memory to make room, in all sessions.
        public var evictions = 0

        public init(cache: String, limit: Int?, name: String, configuration: CacheConfiguration? = nil) {
            self.cache = cache
            self.limit = limit
            self.name = name
            self.configuration = configuration
        }
    }

    /// A cache at the limit that the question is about: the given one, or none.
    public struct Row: Sendable, Encodable, Equatable {
        public var cache: String
        /// The mean over users of the share of visible time that cells were blank.
        public var blankRatio: Double
        public var low: Double?
        public var high: Double?
        /// The mean over users of the bytes that a session fetches.
        public var originBytes: Double
        /// The 95th percentile over users of the most bytes in memory.
        public var peakBytes: Double
        /// Whether the limit makes objects leave.
        public var binds: Bool
        /// The smallest limit, of those that were replayed, from which on the blank time is within ``Advice/within`` of
        /// that at the limit; nil if only the limit itself is.
        public var enough: Int?
        /// The share of users for whom ``enough`` is enough.
        public var enoughForUsers: Double?
        /// The sessions near the limit of the app; nil if the question names none.
        public var near: NearLimit?
        /// The same with the limit of memory that is enough.
        public var enoughNear: NearLimit?

        enum CodingKeys: String, CodingKey {
            case cache, low, high, binds
            case blankRatio = "blank_ratio"
            case originBytes = "origin_bytes"
            case peakBytes = "memory_peak_bytes"
            case enough = "enough_bytes"
            case enoughForUsers = "enough_for_users"
            case near = "near_app_limit"
            case enoughNear = "enough_near_app_limit"
        }
    }

    public let users: Int
    public let sessions: Int
    public let replays: Int
    /// The limit that the question is about; nil for none.
    public let budget: Int?
    /// The share by which the blank time at a smaller limit may be larger.
    public let within: Double
    /// The memory of the app; nil if the question names none.
    public let app: AppMemory?
    /// The caches, the least blank time first; of caches that tie, the one that needs the least memory.
    public let rows: [Row]
    /// The number of caches, from the first on, whose blank time differs by at most ``SmallestEffect/share``.
    public let ties: Int
    /// The difference between the second cache that does not tie and the first one.
    public let runnerUp: RunnerUp?
    /// The settings of the first cache, and of the second one if it is of another library.
    public let settings: [AdviceSetting]
    /// Every candidate, in order.
    public let points: [AdvicePoint]

    /// The best of the caches that do not tie with the recommended one.
    public struct RunnerUp: Sendable, Encodable, Equatable {
        public var cache: String
        /// Its blank ratio minus the recommended one's.
        public var difference: Double
        public var low: Double?
        public var high: Double?
    }

    enum CodingKeys: String, CodingKey {
        case users, sessions, replays, within, app, rows, ties, settings, points
        case budget = "budget_bytes"
        case runnerUp = "runner_up"
    }

    /// What a user asks.
    public struct Question: Sendable {
        /// The limit of memory; nil for none.
        public var budget: Int?
        /// The share by which the blank time at a smaller limit may be larger.
        public var within = 0.01
        /// The memory of the app; nil if it does not matter.
        public var app: AppMemory?

        public init(budget: Int? = nil) { self.budget = budget }
    }

    /// - Parameters:
    ///   - table: The figures of all sessions with all candidates.
    ///   - candidates: The candidates, each cache at the budget, or without a limit, and at smaller limits.
    ///   - question: What the user asks.
    ///   - seed: The seed of the intervals.
    ///   - threads: The most threads that work at a time.
    public init(_ table: FleetTable, _ candidates: [Candidate], _ question: Question, seed: UInt64, threads: Int) {
        let (budget, within) = (question.budget, question.within)
        self.budget = budget
        self.within = within
        app = question.app
        points = AdvicePoint.points(table, candidates, question)
        replays = table.runCount
        let users = FleetUsers(table, .blank)
        let means = users.caches.indices.map { index -> Double in
            let values = users.users.map { $0.values[index] }.filter { !$0.isNaN }
            return values.isEmpty ? .infinity : values.reduce(0, +) / Double(values.count)
        }
        let place = Dictionary(uniqueKeysWithValues: users.caches.enumerated().map { ($1, $0) })
        func mean(_ candidate: Candidate) -> Double { place[candidate.name].map { means[$0] } ?? .infinity }
        let asked = candidates.filter { $0.limit == budget }
        // Statistics of few caches: each pair takes a bootstrap.
        let statistics = FleetStatistics(
            table.with(caches: Set(asked.map(\.name))), seed: seed, threads: threads)
        self.users = statistics.userCount
        sessions = statistics.sessionCount
        let rows = asked.compactMap { asked -> Row? in
            guard let blank = statistics.row(.blank, asked.name), let bytes = statistics.row(.bytes, asked.name),
                let peak = statistics.row(.memoryPeak, asked.name)
            else { return nil }
            let most = mean(asked) * (1 + within)
            let smaller = candidates.filter { $0.cache == asked.cache && $0.limit != budget }
                .sorted { ($0.limit ?? .max) > ($1.limit ?? .max) }
            let enough = smaller.prefix { mean($0) <= most }.last
            var row = Row(
                cache: asked.cache, blankRatio: blank.mean.value, low: blank.mean.interval?.low,
                high: blank.mean.interval?.high, originBytes: bytes.mean.value,
                peakBytes: peak.quantiles.last?.value ?? 0, binds: asked.evictions > 0, enough: enough?.limit,
                enoughForUsers: nil)
            if let app = question.app {
                row.near = NearLimit(table, cache: asked.name, app)
                row.enoughNear = enough.flatMap { NearLimit(table, cache: $0.name, app) }
            }
            if let enough, let one = place[enough.name], let other = place[asked.name] {
                let pairs = users.users.map { ($0.values[one], $0.values[other]) }.filter { !$0.0.isNaN && !$0.1.isNaN }
                row.enoughForUsers =
                    Double(pairs.count { $0.0 <= $0.1 * (1 + within) + 1e-12 }) / Double(max(1, pairs.count))
            }
            return row
        }
        let least = rows.map(\.blankRatio).min() ?? 0
        func ties(_ row: Row) -> Bool { row.blankRatio <= least * (1 + SmallestEffect.share) }
        func memory(_ row: Row) -> Double { row.enough.map(Double.init) ?? row.peakBytes }
        let tied = rows.filter(ties).stableSorted { memory($0) < memory($1) }
        let others = rows.filter { !ties($0) }.stableSorted { $0.blankRatio < $1.blankRatio }
        self.rows = tied + others
        self.ties = tied.count
        settings = AdviceSetting.list(self.rows, candidates, budget: budget)
        runnerUp =
            others.first.flatMap { second in
                guard let first = tied.first, let one = asked.first(where: { $0.cache == first.cache })?.name,
                    let other = asked.first(where: { $0.cache == second.cache })?.name
                else { return nil }
                let pair = statistics.pairs.first {
                    $0.figure == .blank && Set([$0.first, $0.second]) == Set([one, other])
                }
                let isReversed = pair?.first == other
                let interval = pair?.difference.interval
                return RunnerUp(
                    cache: second.cache, difference: second.blankRatio - first.blankRatio,
                    low: interval.map { isReversed ? -$0.high : $0.low },
                    high: interval.map { isReversed ? -$0.low : $0.high })
            }
    }
}
