import ImageLibraries
import ReplayEngine
import Runs

extension Advice {
    /// A cache with one limit.
    public struct Candidate: Sendable {
        /// The name of the cache without the limit.
        public var cache: String
        /// The limit of memory in bytes; nil for none.
        public var limit: Int?
        /// The limit of the disk in bytes; nil for that of the cache itself.
        public var disk: Int?
        /// The values of rules that are not the cache's own.
        public var changes: [SweptValue]
        /// The name of the cache with the limit, as in `RunIdentity.cache`.
        public var name: String
        /// The cache with the limit; nil if no code is asked for.
        public var configuration: CacheConfiguration?
        /// The objects that left memory to make room, in all sessions.
        public var evictions = 0
        /// Whether a search found these rules to be the best ones of the cache.
        public var hasBestRules = false
        /// Whether a search tried this limit only to find the smallest one that is enough. Such a candidate is among
        /// the points only if it is an answer.
        public var isBetweenSteps = false
        /// The bytes that it fetches in all sessions.
        public var bytes: Int64 = 0
        /// The bytes that it fetches in a day of use; nil if they are not asked for.
        public var bytesPerDay: Double?

        public init(
            cache: String, limit: Int?, disk: Int? = nil, changes: [SweptValue] = [], name: String,
            configuration: CacheConfiguration? = nil
        ) {
            self.changes = changes
            self.cache = cache
            self.limit = limit
            self.disk = disk
            self.name = name
            self.configuration = configuration
        }
    }

    /// The figure that the recommended cache minimises.
    public enum Objective: String, Sendable, Encodable, CaseIterable {
        /// Blank time.
        case blank
        /// Bytes fetched.
        case bytes
        /// Memory, at a blank time near the least one.
        case memory

        /// The figure that settings are compared by.
        var figure: FleetFigure { self == .bytes ? .bytes : .blank }
    }

    /// What a user asks.
    public struct Question: Sendable {
        /// The limit of memory; nil for none.
        public var budget: Int?
        /// The smallest difference that counts: caches, levers and points within it tie, and a limit within it is
        /// enough.
        public var relevanceThreshold = Tolerance.standard
        /// The memory of the app; nil if it does not matter.
        public var app: AppMemory?
        public var objective = Objective.blank
        /// The limit of the disk; nil for that of each cache.
        public var disk: Int?
        /// The most bytes that a day of use may fetch; nil if they do not matter.
        public var dataPerDay: Int?
        /// The text of the events that were injected into all sessions; nil for none.
        public var injected: String?
        /// The platform of the app.
        public var platform = AppPlatform.any
        /// The cache that the user has; nil for none.
        public var keep: String?
        /// The caches that were left out, because their disk has no limit that could be set.
        public var leftOut: [String] = []
        /// The sessions that a limit of time left out.
        public var sessionsLeftOut = 0
        /// The sessions in which no cell disappears.
        public var stayingSessions = 0

        public init(budget: Int? = nil, disk: Int? = nil) { (self.budget, self.disk) = (budget, disk) }

        /// Whether a candidate has the limits that the question is about.
        func isAbout(_ candidate: Candidate) -> Bool {
            candidate.limit == budget && (candidate.disk == disk || candidate.disk == nil)
        }

        func allows(_ candidate: Candidate) -> Bool {
            dataPerDay.map { (candidate.bytesPerDay ?? .infinity) <= Double($0) } ?? true
        }
    }
}
