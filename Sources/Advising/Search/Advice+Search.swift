import Basics
import ReplayEngine
import Runs

extension Advice {
    public struct SearchOptions: Sendable {
        /// The number of sessions on which rules and limits are searched. What could be the answer is replayed on all.
        public var sample = 64
        /// The number of sessions in a day of use; nil if sessions last for days themselves.
        public var sessionsPerDay: Double?
        public var seed: UInt64 = 1
        public var threads = 1

        public init() {}
    }

    /// Searches the settings of caches, and returns the advice of what was replayed.
    ///
    /// - Parameter replays: The settings, the sessions, and how they are replayed.
    /// - Throws: What replays throw, and `ReplayError` if no session could be replayed.
    public static func search(
        _ replays: AdviceReplays, _ question: Question, _ options: SearchOptions
    ) throws -> Advice {
        var question = question
        var search = AdviceSearch(
            replays.spaces, question.objective.figure, within: question.relevanceThreshold, sample: options.sample,
            sharesTarget: question.objective == .memory, replays)
        let outcome = try search.run()
        var figures = try replays.figures(outcome.choices)
        for (place, choice) in outcome.choices.enumerated() {
            figures.candidates[place].hasBestRules = outcome.best.contains(choice)
        }
        let skipped = replays.skipped
        guard figures.sessions > 0 else {
            throw ReplayError(
                skipped.first.map { "no session could be replayed: \($0.reason)" }
                    ?? "no session was replayed in the given time; allow more with --time-limit")
        }
        if question.dataPerDay != nil {
            let days = options.sessionsPerDay.map { Double(figures.sessions) / $0 } ?? Double(figures.duration) / day
            for place in figures.candidates.indices {
                figures.candidates[place].bytesPerDay = Double(figures.candidates[place].bytes) / days
            }
        }
        question.stayingSessions = figures.staying
        question.sessionsLeftOut = replays.sessionCount - figures.sessions - skipped.count
        var advice = Advice(
            figures.table, figures.candidates, question, seed: options.seed, threads: options.threads)
        advice.rival = try advice.rival(outcome, replays)
        let gains = try advice.gains(outcome.own, question, replays, options)
        advice.levers = gains ?? []
        let answers = advice.answers(outcome, replays)
        if !answers.isEmpty {
            advice.room = try replays.room(
                below: answers, isKept: question.keep == answers[0].cache, memoryLimit: question.budget,
                on: Self.sample(replays, options))
        }
        let groups = SessionHosts.groups(figures.hosts)
        advice.search = AdviceSearchSummary(
            replays: replays.replayCount, replaysRead: replays.replaysRead,
            sample: min(options.sample, replays.sessionCount), settings: figures.candidates.count,
            exhaustive: replays.spaces.reduce(0) { $0 + Double($1.settingCount) } * Double(figures.sessions),
            isComplete: outcome.isComplete && gains != nil && (answers.isEmpty || advice.room != nil),
            varied: replays.spaces.flatMap { $0.rules.map(\.parameter) }.unique(), skipped: skipped.map(\.session),
            groups: groups.count < 2
                ? [:] : Dictionary(groups.map { ($0.host, $0.sessions) }, uniquingKeysWith: +))
        return advice
    }

    /// The caches whose levers are tried: the one that the user has, or else the best ones.
    private var improved: [Row] {
        rows.first { $0.cache == keep }.map { [$0] } ?? Array(rows.prefix(min(ties, Self.mostImproved)))
    }

    private static let mostImproved = 3

    private static func sample(_ replays: AdviceReplays, _ options: SearchOptions) -> Range<Int> {
        0..<min(max(options.sample, 1), replays.sessionCount)
    }

    /// Replays the sample with each lever of the best caches.
    ///
    /// - Parameters:
    ///   - own: The caches with the limits of the question and their own rules.
    ///   - replays: The sessions, and how they are replayed.
    /// - Returns: The gains; nil if a limit of time ends the replays.
    private func gains(
        _ own: [AdviceChoice], _ question: Question, _ replays: AdviceReplays, _ options: SearchOptions
    ) throws -> [LeverGain]? {
        let sample = Self.sample(replays, options)
        var gains: [LeverGain] = []
        for row in improved {
            guard let base = own.first(where: { replays.spaces[$0.space].base.name == row.cache }) else { continue }
            let space = replays.spaces[base.space]
            let choices = space.levers.indices.map { base.with(lever: $0) }.filter(replays.isPossible)
            guard try replays.replay([base] + choices, sample) else { return nil }
            let figures = try replays.figures([base] + choices)
            gains += zip(choices, figures.candidates.dropFirst()).compactMap { choice, changed in
                space.lever(choice).flatMap {
                    LeverGain($0, figures.candidates[0], changed, question, figures.table, seed: options.seed)
                }
            }
        }
        return gains
    }

    /// The nanoseconds of a day.
    static let day = 86_400 * 1_000_000_000.0

    private static let mostExplained = 32

    /// Explains some sessions with the first cache and its rival: the user's own cache, the next one, or the first
    /// cache with its own rules.
    ///
    /// - Returns: nil if there is nothing to compare.
    private func rival(
        _ outcome: AdviceSearch<AdviceReplays>.Outcome, _ replays: AdviceReplays
    ) throws -> Rival? {
        guard let first = rows.first, first.qualifies else { return nil }
        let rival: (cache: String, choice: AdviceChoice?)
        if let behind = switchGain ?? runnerUp, let row = rows.first(where: { $0.cache == behind.cache }) {
            rival = (row.cache, choice(of: row, outcome, replays))
        } else if first.unchanged != nil {
            rival = (first.cache, outcome.own.first { replays.spaces[$0.space].base.name == first.cache })
        } else {
            return nil
        }
        guard let best = choice(of: first, outcome, replays), let other = rival.choice else { return nil }
        let causes = try replays.causes([best, other], sessions: Self.mostExplained)
        return Rival(cache: rival.cache, best: causes[0], other: causes[1])
    }

    /// Returns the setting of a row: the limits of the question, and the row's rules.
    private func choice(
        of row: Row, _ outcome: AdviceSearch<AdviceReplays>.Outcome, _ replays: AdviceReplays
    ) -> AdviceChoice? {
        outcome.choices.first { choice in
            let space = replays.spaces[choice.space]
            return space.base.name == row.cache && space.changes(choice) == row.changes && choice.memory == 0
                && choice.memoryPart == 0 && choice.disk == 0
        }
    }

    /// Returns the caches that answer the question, the recommended or kept one first; nothing if that does not.
    private func answers(
        _ outcome: AdviceSearch<AdviceReplays>.Outcome, _ replays: AdviceReplays
    ) -> [AdviceReplays.Answer] {
        let first = rows.first { $0.cache == keep } ?? rows.first
        guard let first, first.qualifies else { return [] }
        return ([first] + rows.filter { $0.qualifies && $0.cache != first.cache }).compactMap { row in
            choice(of: row, outcome, replays).map { AdviceReplays.Answer(cache: row.cache, choice: $0) }
        }
    }
}

/// The summary of a search for advice.
public struct AdviceSearchSummary: Sendable, Encodable, Equatable {
    /// The replays that ran, without the replays of an interrupted search that were read again.
    public let replays: Int
    /// The replays of an interrupted search that were read again.
    public let replaysRead: Int
    /// The sessions of the sample on which rules and limits were searched.
    public let sample: Int
    /// The settings whose figures count.
    public let settings: Int
    /// The replays of all settings on all sessions.
    public let exhaustive: Double
    /// Whether the search came to its end; false after a limit of time.
    public let isComplete: Bool
    /// The parameters that were varied besides the limits.
    public let varied: [String]
    /// The sessions that could not be replayed.
    public let skipped: [String]
    /// The groups of sessions without a common host, by one of their hosts; empty for a single group.
    public let groups: [String: Int]

    enum CodingKeys: String, CodingKey {
        case replays, sample, settings, varied, skipped, groups
        case replaysRead = "replays_read"
        case exhaustive = "exhaustive_replays"
        case isComplete = "complete"
    }
}
