import Basics
import ReplayEngine
import ResultColumns
import Statistics

/// The statistics of a fleet of sessions: distributions over users and sessions, differences of caches for the same
/// users, and the times to image of all delivered requests.
///
/// The same rows of a table and the same seed give the same figures. The order in which rows were added and the number
/// of threads have no effect. The page Fleets of `CacheReports` describes how figures and intervals are made.
public struct FleetStatistics: Sendable, Codable, Equatable {
    /// The units over which a distribution is made.
    public enum Level: String, Sendable, Codable, CaseIterable {
        case users, sessions
    }

    /// The distribution of one figure of one cache.
    public struct Row: Sendable, Codable, Equatable {
        public var cache: String
        public var figure: FleetFigure
        public var level: Level
        /// The users or sessions with a value.
        public var count: Int
        /// The users or sessions without a value, such as sessions without visible time. They are in no figure.
        public var countWithout: Int
        public var mean: Estimate
        /// In the order of ``FleetStatistics/shares``.
        public var quantiles: [Estimate]
    }

    /// The difference of one figure of two caches for the same users.
    public struct Pair: Sendable, Codable, Equatable {
        public var first: String
        public var second: String
        public var figure: FleetFigure
        /// The users with a value of both caches over the same sessions.
        public var count: Int
        public var countWithout: Int
        /// The mean over users of the second cache's value minus the first one's.
        public var difference: Estimate
        /// The share of users for whom the second cache's value is better; nil if the figure has no better direction.
        public var better: Double?
        public var worse: Double?
        /// The share of users whose values differ by no more than ``FleetStatistics/relevanceThreshold``.
        public var equal: Double
    }

    /// The times to image of the requests of all sessions with a cache, in nanoseconds.
    public struct Latency: Sendable, Codable, Equatable {
        public var cache: String
        public var group: LatencyGroup
        public var count: Int
        public var mean: Double
        public var p50: Int64
        public var p90: Int64
        public var p99: Int64
        public var p999: Int64
        public var max: Int64
    }

    /// A cache whose images take up more than the physical memory of its device, for some users.
    public struct Excess: Sendable, Codable, Equatable {
        public var cache: String
        /// The users for whom they do, and all users.
        public var users: Int
        public var count: Int
        /// The largest peak of all images, in bytes.
        public var peak: Double
        /// The memory of the device, in bytes.
        public var deviceMemory: Int
    }

    /// The shares of the quantiles of a row.
    public static let shares = [0.05, 0.25, 0.5, 0.75, 0.95]
    /// The least users for the interval of a mean share. Sentences and tables count fewer users, because percentages of
    /// them would be more exact than they are.
    package static let leastUsers = 50
    public static let shareNames = ["p5", "p25", "p50", "p75", "p95"]

    public var caches: [String]
    /// The networks of the caches that have one of several, by the names of the caches.
    public var networks: [String: String]
    public var sessionCount: Int
    public var userCount: Int
    /// The sessions in which no cell disappears; nil for none.
    public var stayingCount: Int?
    /// The sessions that a model generated; nil for none.
    public var generatedCount: Int?
    /// The text of the events that were injected into sessions; nil for none.
    public var injected: String?
    public var seed: UInt64
    public var resamples: Int
    /// The smallest difference that counts.
    public var relevanceThreshold: Tolerance
    /// By figure, level and cache.
    public var rows: [Row] = []
    /// By figure; each cache with each later one over the same network.
    public var pairs: [Pair] = []
    /// By cache and `LatencyGroup`, without groups that have no request.
    public var latencies: [Latency] = []
    /// In the order of the caches; empty where every device has room for all images.
    public var excesses: [Excess] = []

    /// Computes the statistics of a table.
    ///
    /// Complexity: O(resamples · users · pairs of caches).
    /// - Parameter resamples: How often users are drawn, at least 39 for an interval of a mean.
    public init(
        _ table: FleetTable, seed: UInt64, resamples: Int = 1000, threads: Int,
        relevanceThreshold: Tolerance = .standard
    ) {
        caches = table.caches
        networks = table.networks
        sessionCount = table.sessionCount
        stayingCount = table.stayingCount > 0 ? table.stayingCount : nil
        generatedCount = table.generatedCount > 0 ? table.generatedCount : nil
        injected = table.injected.isEmpty ? nil : table.injected.sorted().joined(separator: " / ")
        userCount = table.userCount
        self.seed = seed
        self.resamples = resamples
        self.relevanceThreshold = relevanceThreshold
        guard userCount > 0 else { return }
        let order = FleetOrder(table)
        let bootstrap = UserBootstrap(userCount: userCount, resamples: resamples, seed: seed, threads: threads)
        var quantiles = QuantileIntervals()
        for figure in FleetFigure.allCases {
            var analysis = FleetAnalysis(figure, table, order, relevanceThreshold: relevanceThreshold)
            analysis.run(bootstrap, &quantiles)
            rows += analysis.rows
            pairs += analysis.pairs
        }
        excesses = caches.indices.compactMap { Excess(table, order, cache: $0) }
        for (number, cache) in caches.enumerated() {
            for group in LatencyGroup.allCases {
                guard let all = table.latencies(of: group, cache: number) else { continue }
                latencies.append(Latency(cache, group, all))
            }
        }
    }

    /// The networks whose caches are compared with one another, in order; nil stands for the only one.
    package var comparedNetworks: [String?] { caches.map { networks[$0] }.unique() }

    /// Returns the name of a cache without its network.
    package func cacheName(_ name: String) -> String { FleetTable.cacheName(name, networks) }

    /// Whether each user has one session. Rows of users and of sessions are then equal.
    public var hasOneSessionPerUser: Bool { userCount == sessionCount }

    package func row(_ figure: FleetFigure, _ cache: String, _ level: Level = .users) -> Row? {
        rows.first { $0.figure == figure && $0.cache == cache && $0.level == level }
    }
}

extension FleetStatistics.Pair {
    /// The users for whom the second cache is better, and those for whom it is worse; nil without a better direction.
    package var users: (better: Int, worse: Int)? {
        guard let better, let worse else { return nil }
        return (Int((better * Double(count)).rounded()), Int((worse * Double(count)).rounded()))
    }

    /// The users for whom the cache is better that is better in the mean, and the others whose values differ.
    private var sides: (along: Int, against: Int)? {
        let isSecond = (difference.value > 0) == (figure.polarity == .higherIsBetter)
        return users.map { isSecond ? ($0.better, $0.worse) : ($0.worse, $0.better) }
    }

    /// The largest probability that counts as beyond chance, in one direction.
    private static let mostProbability = 0.025

    /// Whether the users leave no doubt that one of the caches is better in the mean: by the interval of the
    /// difference, or, of users who are too few for one, by the number of those for whom it is better.
    package var isDecided: Bool {
        if let interval = difference.interval { return interval.low > 0 || interval.high < 0 }
        guard count > 1, let sides else { return count == 1 }
        return SignTest.probability(of: sides.along, of: sides.along + sides.against) <= Self.mostProbability
    }

    /// Whether one of the caches is better for these users: ``isDecided``, or, of two to five users, better for each of
    /// them. No number of so few is beyond chance, so that the latter says nothing about other users.
    package var isConsistent: Bool {
        guard difference.interval == nil, let sides, sides.along == count else { return isDecided }
        return SignTest.probability(of: count, of: count) > Self.mostProbability || isDecided
    }
}

extension FleetStatistics.Excess {
    /// Returns nil for a cache that never takes up more than its device has.
    fileprivate init?(_ table: FleetTable, _ order: FleetOrder, cache number: Int) {
        let name = table.caches[number]
        guard let memory = table.deviceMemory[name] else { return nil }
        func value(_ measure: FleetMeasure, _ session: Int) -> Double {
            table.value(measure, session: order.sessions[session], cache: number) ?? 0
        }
        let users = (0..<order.userCount).count { user in
            order.sessions(of: user).contains { value(.exceedsDevice, $0) > 0 }
        }
        guard users > 0 else { return nil }
        let peak = order.sessions.indices.map { max(value(.memoryPeak, $0), value(.imageMemoryPeak, $0)) }.max() ?? 0
        self.init(cache: name, users: users, count: order.userCount, peak: peak, deviceMemory: memory)
    }
}

extension FleetStatistics.Latency: TimesToImage {
    init(_ cache: String, _ group: LatencyGroup, _ all: FleetLatencies) {
        self.init(
            cache: cache, group: group, count: all.count, mean: all.mean, p50: all.quantile(0.5),
            p90: all.quantile(0.9), p99: all.quantile(0.99), p999: all.quantile(0.999), max: all.maximum)
    }
}
