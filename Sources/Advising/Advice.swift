import ImageLibraries
import ReplayEngine
import Runs
import Statistics

/// A recommendation of a cache and of the limit of its memory, from replays of sessions with several limits.
public struct Advice: Sendable, Encodable {
    /// A limit is enough if at least this share of users keep a figure near their figure at the limit of the question.
    public static let mostUsers = 0.95

    public let users: Int
    public let sessions: Int
    /// The sessions that a limit of time left out.
    public let sessionsLeftOut: Int
    /// The sessions in which no cell disappears, so that their blank time is an assumption.
    public let stayingSessions: Int
    public let replays: Int
    /// The limit that the question is about; nil for none.
    public let budget: Int?
    /// The smallest difference that counts.
    public let relevanceThreshold: Tolerance
    /// The memory of the app; nil if the question names none.
    public let app: AppMemory?
    public let objective: Objective
    /// The limit of the disk that the question is about; nil for each cache's own limit.
    public let disk: Int?
    /// The most bytes that a day of use may fetch; nil if they do not matter.
    public let dataPerDay: Int?
    /// The text of the events that were injected into all sessions; nil for none.
    public let injected: String?
    /// The caches without a row, because their disk has no limit that could be set.
    public let leftOut: [String]
    /// The caches, the best by the objective first. Of caches that tie, the first one needs the least memory, or with
    /// another objective, has the least blank time. Caches that do not qualify are at the end.
    public let rows: [Row]
    /// The number of caches, from the first on, whose figure of the objective differs from the least one by at most
    /// ``relevanceThreshold``, or by what may be chance: `FleetStatistics.Pair.isConsistent` is false.
    public let ties: Int
    /// The difference between the second cache that does not tie and the first one.
    public let runnerUp: RunnerUp?
    /// The first two caches, at the limits that are enough, if their configurations are known.
    package let configured: [Candidate]
    /// Every candidate, in order.
    public let points: [AdvicePoint]
    /// The advantage of the first cache without the changes of its rules; nil without changes.
    public let changeGain: RunnerUp?
    /// The platform whose caches are compared.
    public let platform: AppPlatform
    /// The cache that the user has; nil if the question names none.
    public let keep: String?
    /// The gain of the cache with the least figure beside ``keep``; nil without that one, or if both tie.
    public let switchGain: RunnerUp?
    /// The gain of each lever of the best caches, or of ``keep``: the caches in the order of the rows, and the levers
    /// in the order of their list.
    public internal(set) var levers: [LeverGain] = []
    /// The room that is left; nil without a search, if nothing answers the question, and after a limit of time.
    public internal(set) var room: AdviceRoom?
    /// The summary of the search; nil if the candidates are from elsewhere.
    public internal(set) var search: AdviceSearchSummary?
    /// The cache beside which the first one is compared, with the causes of both; nil without a search.
    package internal(set) var rival: Rival?

    enum CodingKeys: String, CodingKey {
        case users, sessions, replays, app, objective, platform, keep, levers, rows, ties, points, room, search
        case injected
        case relevanceThreshold = "relevance_threshold"
        case changeGain = "change_gain"
        case switchGain = "switch_gain"
        case budget = "budget_bytes"
        case disk = "disk_budget_bytes"
        case dataPerDay = "data_per_day_bytes"
        case leftOut = "left_out"
        case sessionsLeftOut = "sessions_left_out"
        case stayingSessions = "sessions_without_disappearances"
        case runnerUp = "runner_up"
    }

    /// - Parameters:
    ///   - table: The figures of all sessions with all candidates.
    ///   - candidates: The candidates, each cache at the limits of the question, and at smaller ones.
    ///   - question: What the user asks.
    ///   - threads: The most threads that work at a time.
    public init(_ table: FleetTable, _ candidates: [Candidate], _ question: Question, seed: UInt64, threads: Int) {
        budget = question.budget
        relevanceThreshold = question.relevanceThreshold
        app = question.app
        objective = question.objective
        disk = question.disk
        dataPerDay = question.dataPerDay
        injected = question.injected
        platform = question.platform
        keep = question.keep
        leftOut = question.leftOut
        sessionsLeftOut = question.sessionsLeftOut
        stayingSessions = question.stayingSessions
        replays = table.runCount
        let figures = AdviceFigures(table)
        let figure = question.objective.figure
        let choices = Self.asked(candidates, question, table, figures, seed: seed)
        let asked = choices.map(\.candidate)
        // Statistics of few caches: each pair takes a bootstrap.
        let first = choices.min { figures.mean(figure, $0.candidate) < figures.mean(figure, $1.candidate) }
        let compared = asked.map(\.name) + (first.map { [$0.own.name] } ?? [])
        let statistics = FleetStatistics(
            table.with(caches: Set(compared)), seed: seed, threads: threads,
            relevanceThreshold: question.relevanceThreshold)
        users = statistics.userCount
        sessions = statistics.sessionCount
        let rows = Self.rows(choices, table, candidates, question, figures, statistics)
        points = AdvicePoint.points(table, candidates.filter { $0.isShown(beside: rows) }, figures, question)
        let differences = AdviceRowDifferences(
            statistics: statistics, objective: question.objective,
            names: Dictionary(uniqueKeysWithValues: asked.map { ($0.cache, $0.name) }))
        let order = AdviceRowOrder(rows, by: question.objective, within: question.relevanceThreshold) {
            differences.interval($0, $1)?.isConsistent == false
        }
        let kept = rows.first { $0.cache == question.keep }
        self.rows = order.tied + order.others + order.rest
        ties = order.tied.count
        let shown = kept.map { [$0] } ?? Array((order.tied + order.others).prefix(2))
        configured = shown.compactMap { $0.configured(candidates, question) }
        let recommended = order.tied.first.flatMap { row in choices.first { $0.candidate.cache == row.cache } }
        guard let recommended, let best = order.tied.first else {
            (runnerUp, changeGain, switchGain) = (nil, nil, nil)
            return
        }
        func advantage(of row: Row, over other: Row) -> RunnerUp {
            let interval = differences.interval(row, other)
            return RunnerUp(
                cache: other.cache, difference: order.merit(other) - order.merit(row), low: interval?.low,
                high: interval?.high, betterForUsers: interval?.betterForUsers)
        }
        runnerUp = order.others.first.map { advantage(of: best, over: $0) }
        switchGain = kept.flatMap { order.others.contains($0) ? advantage(of: order.least ?? best, over: $0) : nil }
        changeGain = best.unchanged.map { unchanged in
            let (one, other) = (recommended.candidate.name, recommended.own.name)
            let interval = FleetDifference(statistics, figure, from: one, to: other)
            return RunnerUp(
                cache: best.cache, difference: unchanged - figures.mean(figure, recommended.candidate),
                low: interval.low, high: interval.high, betterForUsers: interval.betterForUsers)
        }
    }
}

extension Advice {
    /// A cache with one limit.
    public struct Candidate: Sendable {
        /// The name of the cache without the limit.
        public var cache: String
        /// The limit of memory in bytes; nil for none.
        public var limit: Int?
        /// The limit of the disk in bytes; nil for the cache's own limit.
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
        case blank
        case bytes
        /// Memory, at a blank time near the least one.
        case memory

        /// The figure that settings are compared by.
        var figure: FleetFigure { self == .bytes ? .bytes : .blank }
    }

    /// The question of a user.
    public struct Question: Sendable {
        /// The limit of memory; nil for none.
        public var budget: Int?
        /// The smallest difference that counts: caches, levers and points within it tie, and a limit within it is
        /// enough.
        public var relevanceThreshold = Tolerance.standard
        /// The memory of the app; nil if it does not matter.
        public var app: AppMemory?
        public var objective = Objective.blank
        /// The limit of the disk; nil for each cache's own limit.
        public var disk: Int?
        /// The most bytes that a day of use may fetch; nil if they do not matter.
        public var dataPerDay: Int?
        /// The text of the events that were injected into all sessions; nil for none.
        public var injected: String?
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

extension Advice {
    /// A cache at the limit that the question is about: the given one, or none.
    public struct Row: Sendable, Encodable, Equatable {
        public var cache: String
        /// The values of rules that are not the cache's own.
        public var changes: [SweptValue]
        /// The figure of the objective with the cache's own rules, or the blank time with the objective of memory; nil
        /// without changes.
        public var unchanged: Double?
        /// The values of ``changes`` that are missing where ``unchanged`` was measured.
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
        /// The pairs of limits of memory and disk that are enough, both smaller than the limits of the question,
        /// without those for which a smaller pair is enough too; the least memory first.
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
        /// in addition to its limit can exceed it.
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
        /// The causes of misses and blank time of the recommended cache, over the same sessions as the causes of the
        /// rival.
        package var best: CauseSums
        package var other: CauseSums
    }
}

extension Advice {
    /// Returns the rows of candidates with the limits of the question.
    static func rows(
        _ choices: [(candidate: Candidate, own: Candidate)], _ table: FleetTable, _ candidates: [Candidate],
        _ question: Question, _ figures: AdviceFigures, _ statistics: FleetStatistics
    ) -> [Row] {
        let asked = choices.map(\.candidate)
        // A cache that takes more memory than the question allows is not what others must reach.
        let fitting = asked.filter { candidate in
            question.budget.map { figures.peak(candidate) <= Double($0) } ?? true
        }
        let leastBlank = (fitting.isEmpty ? asked : fitting).map { figures.mean(.blank, $0) }.min() ?? 0
        return choices.compactMap { choice -> Row? in
            var row = Row(choice.candidate, candidates, question, figures, statistics, leastBlank: leastBlank)
            if choice.own.changes != choice.candidate.changes {
                row?.unchanged = figures.mean(question.objective.figure, choice.own)
                row?.improvedBy = choice.candidate.changes.filter { !choice.own.changes.contains($0) }
            }
            if let app = question.app { row?.addDistances(to: app, table, candidates, question) }
            return row
        }
    }

    /// Returns a candidate with the limits of the question for each cache: the one with the best rules, or the first
    /// one if that is not better by more than the tolerance, or not for the users; and the first one, which has the
    /// cache's own rules.
    static func asked(
        _ candidates: [Candidate], _ question: Question, _ table: FleetTable, _ figures: AdviceFigures, seed: UInt64
    ) -> [(candidate: Candidate, own: Candidate)] {
        let (figure, tolerance) = (question.objective.figure, question.relevanceThreshold)
        let about = candidates.filter(question.isAbout)
        return about.map(\.cache).unique().compactMap { cache in
            let own = about.filter { $0.cache == cache }
            guard let first = own.first,
                let best = own.first(where: \.hasBestRules)
                    ?? own.min(by: { figures.mean(figure, $0) < figures.mean(figure, $1) })
            else { return nil }
            let (least, usual) = (figures.mean(figure, best), figures.mean(figure, first))
            guard !tolerance.accepts(usual, for: least, figure.unit) else { return (first, first) }
            let statistics = FleetStatistics(
                table.with(caches: [best.name, first.name]), seed: seed, threads: 1, relevanceThreshold: tolerance)
            let difference = FleetDifference(statistics, figure, from: best.name, to: first.name)
            return (difference.isConsistent ? best : first, first)
        }
    }
}

extension Advice.Candidate {
    /// Whether the candidate is the cache of a row, with the same rules.
    func isOf(_ row: Advice.Row) -> Bool { cache == row.cache && changes == row.changes }

    /// Whether the candidate is a point: a step of the limits, or a limit that a row names.
    func isShown(beside rows: [Advice.Row]) -> Bool {
        !isBetweenSteps
            || rows.contains { row in
                isOf(row) && disk == row.disk && (limit == row.smallestSufficientLimit || limit == row.enoughOnAverage)
            }
    }
}

extension Advice.Row {
    /// Returns the cache at the limit that is enough; nil if its configuration is not known.
    func configured(
        _ candidates: [Advice.Candidate], _ question: Advice.Question
    ) -> Advice.Candidate? {
        let limit = smallestSufficientLimit ?? question.budget
        let candidate = candidates.first { $0.isOf(self) && $0.limit == limit && $0.disk == disk }
        return candidate?.configuration == nil ? nil : candidate
    }

    /// Adds how near the sessions come to the limit of the app, at the limit of the question and at the smallest
    /// sufficient one.
    mutating func addDistances(
        to app: AppMemory, _ table: FleetTable, _ candidates: [Advice.Candidate], _ question: Advice.Question
    ) {
        func distance(_ limit: Int?) -> NearLimit? {
            candidates.first { $0.isOf(self) && $0.limit == limit && $0.disk == disk }
                .flatMap { NearLimit(table, cache: $0.name, app) }
        }
        near = distance(question.budget)
        enoughNear = smallestSufficientLimit.flatMap { distance($0) }
    }

    /// Creates the row of a candidate with the limits of the question; nil without a figure.
    init?(
        _ asked: Advice.Candidate, _ candidates: [Advice.Candidate], _ question: Advice.Question,
        _ figures: AdviceFigures, _ statistics: FleetStatistics, leastBlank: Double
    ) {
        guard let blank = statistics.row(.blank, asked.name), let bytes = statistics.row(.bytes, asked.name),
            let peak = statistics.row(.memoryPeak, asked.name)
        else { return nil }
        let figure = question.objective.figure
        let target = question.objective == .memory ? leastBlank : figures.mean(figure, asked)
        let tolerance = question.relevanceThreshold
        func isEnoughOnAverage(_ candidate: Advice.Candidate) -> Bool {
            tolerance.accepts(figures.mean(figure, candidate), for: target, figure.unit) && question.allows(candidate)
        }
        func share(_ candidate: Advice.Candidate) -> Double? {
            figures.users(figure, candidate, within: tolerance, of: asked)
        }
        func isEnough(_ candidate: Advice.Candidate) -> Bool {
            isEnoughOnAverage(candidate) && (share(candidate) ?? 0) >= Advice.mostUsers
        }
        let own = candidates.filter { $0.cache == asked.cache && $0.changes == asked.changes }
        let smaller = own.filter { $0.disk == asked.disk && $0.limit != asked.limit }
            .sorted { ($0.limit ?? .max) > ($1.limit ?? .max) }
        let smallerDisk = own.filter { $0.limit == asked.limit && $0.disk != asked.disk }
            .sorted { ($0.disk ?? .max) > ($1.disk ?? .max) }
        peakBytes = peak.quantiles.last?.value ?? 0
        fits = question.budget.map { figures.peak(asked) <= Double($0) } ?? true
        qualifies = fits && isEnoughOnAverage(asked)
        let enough = qualifies ? smaller.prefix(while: isEnough).last : nil
        let average = qualifies ? smaller.prefix(while: isEnoughOnAverage).last : nil
        let pairs = own.filter { $0.limit != asked.limit && $0.disk != asked.disk && isEnough($0) }
        func isWithin(_ one: Advice.Candidate, _ other: Advice.Candidate) -> Bool {
            (one.limit ?? .max) <= (other.limit ?? .max) && (one.disk ?? .max) <= (other.disk ?? .max)
                && (one.limit, one.disk) != (other.limit, other.disk)
        }
        enoughPairs =
            !qualifies
            ? []
            : pairs.filter { pair in !pairs.contains { isWithin($0, pair) } }
                .sorted { ($0.limit ?? .max) < ($1.limit ?? .max) }
                .compactMap { pair in pair.disk.map { Advice.LimitPair(memory: pair.limit, disk: $0) } }
        changes = asked.changes
        cache = asked.cache
        disk = asked.disk
        blankRatio = blank.mean.value
        (low, high) = (blank.mean.interval?.low, blank.mean.interval?.high)
        originBytes = bytes.mean.value
        (originLow, originHigh) = (bytes.mean.interval?.low, bytes.mean.interval?.high)
        neededBytes = figures.peak(enough ?? asked)
        isLimitedByMemory = asked.evictions > 0
        bytesPerDay = asked.bytesPerDay
        self.smallestSufficientLimit = enough?.limit
        diskEnough = qualifies ? smallerDisk.prefix(while: isEnough).last?.disk : nil
        enoughOnAverage = average?.limit
        averageForUsers = average.flatMap(share)
        enoughForUsers = enough.flatMap(share)
        let interval = enoughForUsers.map {
            WilsonInterval.ofShare(($0 * Double(statistics.userCount)).rounded(), of: statistics.userCount)
        }
        (enoughForUsersLow, enoughForUsersHigh) = (interval?.lowerBound, interval?.upperBound)
    }
}
