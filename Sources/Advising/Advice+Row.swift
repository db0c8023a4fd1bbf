import ImageLibraries
import ReplayEngine
import Runs

extension Advice {
    /// A cache at the limit that the question is about: the given one, or none.
    public struct Row: Sendable, Encodable, Equatable {
        public var cache: String
        /// The values of rules that are not the cache's own.
        public var changes: [SweptValue]
        /// The figure of the objective with the cache's own rules, or the blank time with the objective of memory; nil
        /// without changes.
        public var unchanged: Double?
        /// Those of ``changes`` that ``unchanged`` lacks.
        package var improvedBy: [SweptValue] = []
        /// The mean over users of the share of visible time that cells were blank.
        public var blankRatio: Double
        public var low: Double?
        public var high: Double?
        /// The limit of the disk in bytes; nil if the question names none, or the cache has no disk.
        public var disk: Int?
        /// The mean over users of the bytes that a session fetches.
        public var originBytes: Double
        public var originLow: Double?
        public var originHigh: Double?
        /// The 95th percentile over users of the most bytes in memory.
        public var peakBytes: Double
        /// Whether the limit makes objects leave.
        public var isLimitedByMemory: Bool
        /// The smallest limit, of those that were replayed, from which on the figure of the objective is larger than
        /// that at the limit by no more than ``Advice/relevanceThreshold``: the mean, and for ``Advice/mostUsers`` of
        /// users their own; nil if only the limit itself is. A search replays a limit at most 2 % smaller that is not
        /// enough. With the objective of memory, the mean blank time is compared with the least one of all caches.
        public var smallestSufficientLimit: Int?
        /// The smallest replayed limit from which on the mean over users stays within ``Advice/relevanceThreshold``.
        public var enoughOnAverage: Int?
        /// The smallest replayed limit of the disk that is enough, with the given limit of memory.
        public var diskEnough: Int?
        /// The pairs of limits of memory and disk that are enough, both smaller than those of the question, without
        /// those for which a smaller pair is enough too; the least memory first.
        public var enoughPairs: [LimitPair]
        /// The 95th percentile over users of the most bytes in memory with the limit that is enough.
        public var neededBytes: Double
        /// The bytes that it fetches in a day of use; nil if they are not asked for.
        public var bytesPerDay: Double?
        /// Whether the cache answers the question with the given limits: it takes no more memory and fetches no more in
        /// a day than asked, and with the objective of memory, its blank time is the least, up to
        /// ``Advice/relevanceThreshold``.
        public var qualifies: Bool
        /// Whether ``peakBytes`` are within the limit of the question. A cache that holds what visible cells show
        /// beside its limit can exceed it.
        public var fits: Bool
        /// The share of users for whom ``smallestSufficientLimit`` is enough.
        public var enoughForUsers: Double?
        /// The 95 % interval of that share, after Wilson: what it may be for other users.
        public var enoughForUsersLow: Double?
        public var enoughForUsersHigh: Double?
        /// The share of users for whom ``enoughOnAverage`` is enough.
        public var averageForUsers: Double?
        /// The sessions near the limit of the app; nil if the question names none.
        public var near: NearLimit?
        /// The sessions near the limit of the app, with the limit of memory that is enough.
        public var enoughNear: NearLimit?

        enum CodingKeys: String, CodingKey {
            case cache, changes, unchanged, low, high
            case isLimitedByMemory = "binds"
            case enoughPairs = "enough_pairs"
            case blankRatio = "blank_ratio"
            case originBytes = "origin_bytes"
            case peakBytes = "memory_peak_bytes"
            case smallestSufficientLimit = "enough_bytes"
            case enoughOnAverage = "enough_on_average_bytes"
            case enoughForUsersLow = "enough_for_users_low"
            case enoughForUsersHigh = "enough_for_users_high"
            case averageForUsers = "on_average_for_users"
            case disk = "disk_limit_bytes"
            case diskEnough = "enough_disk_bytes"
            case neededBytes = "needed_peak_bytes"
            case bytesPerDay = "bytes_per_day"
            case originLow = "origin_low"
            case originHigh = "origin_high"
            case qualifies, fits
            case enoughForUsers = "enough_for_users"
            case near = "near_app_limit"
            case enoughNear = "enough_near_app_limit"
        }
    }

    /// A limit of memory and one of the disk.
    public struct LimitPair: Sendable, Encodable, Equatable {
        /// In bytes; nil for none.
        public var memory: Int?
        /// In bytes.
        public var disk: Int

        enum CodingKeys: String, CodingKey {
            case memory = "memory_limit_bytes"
            case disk = "disk_limit_bytes"
        }
    }

    /// The best of the caches that do not tie with the recommended one.
    public struct RunnerUp: Sendable, Encodable, Equatable {
        public var cache: String
        /// Its figure of the objective minus the recommended one's: a blank ratio, or bytes.
        public var difference: Double
        public var low: Double?
        public var high: Double?
        /// The share of users for whom the recommended one is better by more than ``Advice/relevanceThreshold``; nil
        /// with the objective of memory.
        public var betterForUsers: Double?

        enum CodingKeys: String, CodingKey {
            case cache, difference, low, high
            case betterForUsers = "better_for_users"
        }
    }

    /// A cache that the recommended one is compared with: the runner-up, or the cache itself with its own rules.
    package struct Rival: Sendable {
        package var cache: String
        /// The causes of misses and blank time of the recommended cache, over the same sessions as those of the rival.
        package var best: CauseSums
        package var other: CauseSums
    }
}
