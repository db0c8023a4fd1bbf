import ImageLibraries
import ReplayEngine
import Runs
import Statistics

/// A recommendation of a cache and of the limit of its memory, from replays of sessions with several limits.
public struct Advice: Sendable, Encodable {
    /// The share of users whose own figure stays near that at the limit of the question, for a limit that is enough.
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
    /// The limit of the disk that the question is about; nil for that of each cache.
    public let disk: Int?
    /// The most bytes that a day of use may fetch; nil if they do not matter.
    public let dataPerDay: Int?
    /// The text of the events that were injected into all sessions; nil for none.
    public let injected: String?
    /// The caches of no row, whose disk has no limit that could be set.
    public let leftOut: [String]
    /// The caches, the best by the objective first; of caches that tie, the one that needs the least memory, or
    /// with another objective, that has the least blank time. Caches that do not qualify are at the end.
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
    /// What the cache with the least figure gains beside ``keep``; nil without that one, or if both tie.
    public let switchGain: RunnerUp?
    /// What each lever of the best caches, or of ``keep``, gains: the caches in the order of the rows, and the levers
    /// in that of their list.
    public internal(set) var levers: [LeverGain] = []
    /// The room that is left; nil without a search, if nothing answers the question, and after a limit of time.
    public internal(set) var room: AdviceRoom?
    /// What the search did; nil if the candidates are from elsewhere.
    public internal(set) var search: AdviceSearchSummary?
    /// What the first cache is compared with, with the causes of both; nil without a search.
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
    ///   - seed: The seed of the intervals.
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
