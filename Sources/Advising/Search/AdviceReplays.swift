import Basics
import CachePolicies
import CacheSimulation
import CacheTraces
import ReplayEngine
import Runs
import SessionModel
import Synchronization

/// Replays of sessions through the settings of a search, in modelled timing and in several threads. Every replay of the
/// search runs once.
public final class AdviceReplays: AdviceReplaying, Sendable {
    /// How sessions are replayed.
    public struct Options: Sendable {
        public var seed: UInt64 = 1
        /// The most threads that work at a time.
        public var threads = 1
        /// No replay begins after this time, except for replays of the first session; nil for no limit.
        public var deadline: ContinuousClock.Instant?
        /// Returns why a session is skipped that cannot be replayed, by its number; throws to end the work.
        public var reasonToSkip: @Sendable (_ session: Int, any Error) throws -> String = { "\($1)" }
        /// The parts for caches that are programs; nil if no cache is one.
        public var measured: MeasuredParts?
        /// Keeps finished replays, and has the replays of an earlier process; nil for none.
        public var log: AdviceLog?

        public init() {}
    }

    /// A session that was skipped.
    public struct Skipped: Sendable {
        public let session: String
        public let reason: String
    }

    let spaces: [AdviceSpace]
    public let sessions: [AdviceSession]
    let options: Options
    private let progress: @Sendable (_ replays: Int) -> Void
    let state: Mutex<State>

    /// The bytes of files whose traces stay in memory. A trace takes several times as much.
    private static let mostBytes = 128 << 20

    /// - Parameters:
    ///   - sessions: The sessions. Those at the beginning are the sample of a search.
    ///   - options: How sessions are replayed.
    ///   - check: Checks a session that was read; throws for one that cannot be replayed.
    ///   - progress: Receives the number of replays since its last call.
    public init(
        _ spaces: [AdviceSpace], _ sessions: [AdviceSession], _ options: Options,
        progress: @escaping @Sendable (_ replays: Int) -> Void = { _ in }
    ) {
        self.spaces = spaces
        self.sessions = sessions
        self.options = options
        self.progress = progress
        state = Mutex(State(facts: [Facts?](repeating: nil, count: sessions.count)))
    }

    public var sessionCount: Int { sessions.count }
    /// The number of replays, without the replays of an earlier process.
    public var replayCount: Int { state.withLock { $0.replays } }
    /// The number of replays that an earlier process had finished.
    public var replaysRead: Int { state.withLock { $0.replaysRead } }
    /// The sessions that were skipped, in order.
    public var skipped: [Skipped] {
        state.withLock { state in
            state.skipped.sorted { $0.key < $1.key }.map { Skipped(session: sessions[$0.key].name, reason: $0.value) }
        }
    }

    /// Returns the cache of a choice; nil if it refuses the values.
    func cache(_ choice: AdviceChoice) -> CacheConfiguration? {
        if let known = state.withLock({ $0.caches[choice] }) { return known }
        let cache = try? spaces[choice.space].cache(choice)
        state.withLock { $0.caches[choice] = .some(cache) }
        return cache
    }

    func isPossible(_ choice: AdviceChoice) -> Bool { cache(choice) != nil }

    // MARK: Replays

    /// A session, and settings to replay on it.
    private struct Item: Sendable {
        var session: Int
        var choices: [AdviceChoice]
    }

    func replay(_ choices: [AdviceChoice], _ sessions: Range<Int>) throws -> Bool {
        let items = items(choices, sessions)
        // Without a single session there is no answer at all.
        let isFirstCall = state.withLock { state in
            state.calls += 1
            return state.calls == 1
        }
        let batch = Batch<Work>(groups: items.count)
        @Sendable func attempt<Value>(_ body: () throws -> Value?) -> Value? {
            do { return try body() } catch {
                state.withLock { if $0.failure == nil { $0.failure = error } }
                batch.cancel()
                return nil
            }
        }
        batch.run(
            threads: min(options.threads, items.count),
            prepare: { [self] number in
                let isNeeded = isFirstCall && items[number].session == items[0].session
                if let deadline = options.deadline, !isNeeded, ContinuousClock.now >= deadline { return nil }
                return attempt { try prepare(items[number]) }.map { ($0, items: $0.choices.count) }
            },
            release: { [self] work, _ in _ = attempt { try keep(work) } },
            work: { [self] work, _, place in _ = attempt { try replay(work, place) } })
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return sessions.allSatisfy { session in
                state.skipped[session] != nil || choices.allSatisfy { state.hasRun($0, session) }
            }
        }
    }

    /// Returns the replays that are missing: an item for each session, or several for few sessions.
    private func items(_ choices: [AdviceChoice], _ sessions: Range<Int>) -> [Item] {
        let missing = state.withLock { state in
            sessions.filter { state.skipped[$0] == nil }
                .map { session in Item(session: session, choices: choices.filter { !state.hasRun($0, session) }) }
                .filter { !$0.choices.isEmpty }
        }
        guard missing.count < 2 * options.threads else { return missing }
        return missing.flatMap { item in
            let size = max(1, (item.choices.count + options.threads - 1) / options.threads)
            return stride(from: 0, to: item.choices.count, by: size).map {
                Item(session: item.session, choices: Array(item.choices[$0..<min($0 + size, item.choices.count)]))
            }
        }
    }

    /// A session that is ready, and the settings whose replays are missing.
    private final class Work: Sendable {
        let item: Item
        /// The SHA-256 of the session; nil without a log.
        let identity: String?
        let loaded: AdviceSession.Loaded
        let choices: [AdviceChoice]
        /// By choice.
        let runs: Mutex<[AdviceRun?]>

        init(_ item: Item, _ identity: String?, _ loaded: AdviceSession.Loaded, _ choices: [AdviceChoice]) {
            (self.item, self.identity, self.loaded, self.choices) = (item, identity, loaded, choices)
            runs = Mutex([AdviceRun?](repeating: nil, count: choices.count))
        }
    }

    /// Returns a session with the settings that the log does not have; nil if there are no such settings, or if the
    /// session is skipped.
    private func prepare(_ item: Item) throws -> Work? {
        let session = sessions[item.session]
        var missing = item.choices
        var identity: String?
        if let log = options.log {
            guard let fingerprint = try unlessSkipped(item.session, session.fingerprint) else { return nil }
            identity = fingerprint
            if let kept = log.runs(session.name, fingerprint) { missing = try take(kept, item) }
        }
        guard !missing.isEmpty, let loaded = try unlessSkipped(item.session, { try load(item.session) }) else {
            return nil
        }
        return Work(item, identity, loaded, missing)
    }

    /// Returns what `body` returns; nil if the session is skipped after an error.
    private func unlessSkipped<Value>(_ session: Int, _ body: () throws -> Value) throws -> Value? {
        do { return try body() } catch {
            let reason = try options.reasonToSkip(session, error)
            state.withLock { $0.skipped[session] = reason }
            return nil
        }
    }

    private func replay(_ work: Work, _ place: Int) throws {
        let choice = work.choices[place]
        guard let cache = cache(choice) else { throw ReplayError("a setting has no cache") }
        let trace =
            try spaces[choice.space].lever(choice).map {
                try work.loaded.trace.applying($0, network: work.loaded.network)
            } ?? work.loaded.trace
        let result = try job(sessions[work.item.session], cache, work.loaded).run(trace, measured: options.measured)
        work.runs.withLock { $0[place] = AdviceRun(result) }
        progress(1)
    }

    /// Keeps the finished replays of a session. After a failure, these need not be all of them.
    private func keep(_ work: Work) throws {
        let runs = work.runs.withLock { zip(work.choices, $0).compactMap { choice, run in run.map { (choice, $0) } } }
        guard !runs.isEmpty else { return }
        let session = sessions[work.item.session]
        let facts = state.withLock { state in
            for (choice, run) in runs { state.set(run, choice, work.item.session) }
            state.replays += runs.count
            return state.facts[work.item.session]
        }
        guard let log = options.log, let identity = work.identity, let facts else { return }
        try log.append(
            .init(
                session: session.name, sha256: identity, user: facts.user, duration: facts.duration,
                hosts: facts.hosts, cellsStay: facts.cellsStay,
                runs: try runs.map { .init(cache: try key($0), run: $1) }))
    }

    /// Takes the replays that an earlier process had finished, and returns the settings that are missing.
    private func take(_ kept: AdviceLog.Kept, _ item: Item) throws -> [AdviceChoice] {
        var missing: [AdviceChoice] = []
        for choice in item.choices {
            guard let run = kept.runs[try key(choice)] else {
                missing.append(choice)
                continue
            }
            state.withLock { state in
                state.facts[item.session] = Facts(
                    user: kept.user, duration: kept.duration, hosts: kept.hosts, cellsStay: kept.cellsStay)
                state.set(run, choice, item.session)
                state.replaysRead += 1
            }
        }
        return missing
    }

    private func key(_ choice: AdviceChoice) throws -> String {
        guard let cache = cache(choice) else { throw ReplayError("a setting has no cache") }
        return try AdviceLog.key(cache)
    }

    func job(
        _ session: AdviceSession, _ cache: CacheConfiguration, _ loaded: AdviceSession.Loaded
    ) -> ReplayJob {
        var job = ReplayJob(trace: session.name, cache: cache)
        job.timing = .modelled(.standard)
        job.decode = true
        job.seed = options.seed
        job.network = loaded.network
        job.timeline = .none
        return job
    }

    /// Returns a session's trace.
    ///
    /// - Throws: What reading it throws.
    func load(_ number: Int) throws -> AdviceSession.Loaded {
        if let loaded = state.withLock({ $0.loaded[number] }) { return loaded }
        let session = sessions[number]
        let loaded = try session.load()
        state.withLock { state in
            let trace = loaded.trace.trace
            state.facts[number] = Facts(
                user: session.user ?? trace.header.user, duration: trace.duration * 1_000,
                hosts: SessionHosts.hosts(of: trace), cellsStay: loaded.trace.cellsStay)
            guard state.loadedBytes + session.size <= Self.mostBytes else { return }
            state.loaded[number] = loaded
            state.loadedBytes += session.size
        }
        return loaded
    }

    /// Returns the sessions that were replayed, and in which cells disappear.
    func sessionsWithDisappearances(_ sessions: Range<Int>) -> [Int] {
        state.withLock { state in
            sessions.filter { state.skipped[$0] == nil && state.facts[$0]?.cellsStay == false }
        }
    }

    /// Returns the user of a session; nil if none is known.
    func user(of session: Int) -> String? { state.withLock { $0.facts[session]?.user } }
}

extension AdviceReplays {
    /// The facts that are known of the settings and the sessions.
    struct State: Sendable {
        /// By choice and session.
        var runs: [AdviceChoice: [AdviceRun?]] = [:]
        /// By session: what all its replays share.
        var facts: [Facts?]
        var caches: [AdviceChoice: CacheConfiguration?] = [:]
        /// The traces that stay in memory.
        var loaded: [Int: AdviceSession.Loaded] = [:]
        var loadedBytes = 0
        var skipped: [Int: String] = [:]
        var failure: (any Error)?
        var replays = 0
        var replaysRead = 0
        /// The number of calls for replays so far.
        var calls = 0

        func hasRun(_ choice: AdviceChoice, _ session: Int) -> Bool {
            guard let runs = runs[choice], session < runs.count else { return false }
            return runs[session] != nil
        }

        /// Returns the figure of each user on some sessions; NaN without a value. Sessions without a user are users of
        /// their own.
        func values(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> [Double] {
            guard let runs = runs[choice] else { return [] }
            var places: [String: Int] = [:]
            var sums: [(part: Double, whole: Double)] = []
            for session in sessions {
                var value = (part: 0.0, whole: 0.0)
                if session < runs.count, let run = runs[session] {
                    value.part = run.measures[figure.measure.rawValue]
                    value.whole = if case .share(let of) = figure.pooling { run.measures[of.rawValue] } else { 1 }
                }
                if let user = facts[session]?.user {
                    if let place = places[user] {
                        sums[place].part += value.part
                        sums[place].whole += value.whole
                        continue
                    }
                    places[user] = sums.count
                }
                sums.append(value)
            }
            return sums.map { $0.whole > 0 ? $0.part / $0.whole : .nan }
        }

        mutating func set(_ run: AdviceRun, _ choice: AdviceChoice, _ session: Int) {
            let missing = session + 1 - (runs[choice]?.count ?? 0)
            if missing > 0 { runs[choice, default: []] += [AdviceRun?](repeating: nil, count: missing) }
            runs[choice]?[session] = run
        }
    }

    /// The facts that all replays of a session share.
    struct Facts: Sendable {
        var user: String?
        var duration: Int64
        var hosts: [String]
        var cellsStay: Bool
    }
}

/// The figures of finished replays.
extension AdviceReplays {
    // MARK: Figures

    func mean(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> Double {
        let values = state.withLock { $0.values(figure, choice, sessions) }.filter { !$0.isNaN }
        return values.isEmpty ? .infinity : values.reduce(0, +) / Double(values.count)
    }

    func users(
        _ figure: FleetFigure, _ choice: AdviceChoice, within tolerance: Tolerance, of other: AdviceChoice,
        _ sessions: Range<Int>
    ) -> Double {
        let (own, others) = state.withLock { ($0.values(figure, choice, sessions), $0.values(figure, other, sessions)) }
        let pairs = zip(own, others).filter { !$0.0.isNaN && !$0.1.isNaN }
        let unit = figure.unit
        return pairs.isEmpty ? 0 : Double(pairs.count { tolerance.accepts($0, for: $1, unit) }) / Double(pairs.count)
    }

    func fewestMisses(_ choices: [AdviceChoice], keeping count: Int, _ sessions: Range<Int>) throws -> [AdviceChoice] {
        var misses = [Int](repeating: 0, count: choices.count)
        for number in sessions.prefix(Self.mostSimulated) {
            guard state.withLock({ $0.skipped[number] == nil }), let loaded = try? load(number) else { continue }
            for (place, choice) in choices.enumerated() {
                guard let cache = cache(choice) else { continue }
                misses[place] += try loaded.trace.memoryMisses(of: cache)
            }
        }
        let ranked = choices.indices.sorted { (misses[$0], $0) < (misses[$1], $1) }
        return ranked.prefix(count).sorted().map { choices[$0] }
    }

    /// The most sessions that policies are simulated on.
    private static let mostSimulated = 16

    // MARK: Results

    /// The figures of settings over the sessions that were replayed with all of them.
    struct Figures {
        var table: FleetTable
        var candidates: [Advice.Candidate]
        var sessions: Int
        /// The length of the sessions in nanoseconds.
        var duration: Int64
        var hosts: [[String]]
        /// The number of sessions in which no cell disappears.
        var staying: Int
    }

    func figures(_ choices: [AdviceChoice]) throws -> Figures {
        let caches = choices.map { cache($0) }
        return try state.withLock { state in
            let complete = sessions.indices.filter { session in
                state.facts[session] != nil && choices.allSatisfy { state.hasRun($0, session) }
            }
            var candidates: [Advice.Candidate] = []
            for (choice, cache) in zip(choices, caches) {
                guard let cache else { throw ReplayError("a setting has no cache") }
                let space = spaces[choice.space]
                var candidate = Advice.Candidate(
                    cache: space.base.name, limit: space.memoryLimit(choice), disk: space.disk[choice.disk],
                    changes: space.changes(choice), name: cache.name, configuration: cache)
                candidate.isBetweenSteps = choice.memoryPart > 0
                for session in complete {
                    guard let run = state.runs[choice]?[session] else { continue }
                    candidate.evictions &+= run.evictions
                    candidate.bytes &+= Int64(exactly: run.measures[FleetMeasure.originBytes.rawValue].rounded()) ?? 0
                }
                candidates.append(candidate)
            }
            var table = FleetTable(caches: candidates.map(\.name))
            for session in complete {
                for (choice, candidate) in zip(choices, candidates) {
                    guard let run = state.runs[choice]?[session] else { continue }
                    table.add(
                        run.measures, cache: candidate.name, session: sessions[session].name,
                        user: state.facts[session]?.user)
                }
            }
            return Figures(
                table: table, candidates: candidates, sessions: complete.count,
                duration: complete.reduce(0) { $0 + (state.facts[$1]?.duration ?? 0) },
                hosts: complete.map { state.facts[$0]?.hosts ?? [] },
                staying: complete.count { state.facts[$0]?.cellsStay == true })
        }
    }

    /// Returns the causes of misses and blank time of two settings, summed over at most so many sessions.
    func causes(_ choices: [AdviceChoice], sessions count: Int) throws -> [CauseSums] {
        var sums = choices.map { _ in CauseSums() }
        var done = 0
        for number in sessions.indices where done < count {
            guard state.withLock({ state in choices.allSatisfy { state.hasRun($0, number) } }) else { continue }
            let loaded = try load(number)
            for (place, choice) in choices.enumerated() {
                guard let cache = cache(choice) else { continue }
                let rows = try job(sessions[number], cache, loaded)
                    .explain(loaded.trace, measured: options.measured).requests
                sums[place].add(CauseTotals(rows), of: done)
            }
            done += 1
        }
        return sums
    }
}

extension PreparedTrace {
    /// Returns the misses of the policy of a cache's memory alone, in a simulation without time of fetches.
    func memoryMisses(of cache: CacheConfiguration) throws -> Int {
        let holdsBitmaps = cache.memoryRules.cost == .decoded || cache.memoryRules.holds == .decoded
        let policy = try context.memoryPolicy(of: cache)
        return Simulation.run(DenseTrace(trace, holdsBitmaps: holdsBitmaps), policy).misses
    }
}

extension AdviceReplays {
    /// A cache that answers the question, with its limits.
    struct Answer: Sendable {
        var cache: String
        var choice: AdviceChoice
    }

    /// The answers for one session.
    private struct SessionRuns: Sendable {
        var network: String
        /// In nanoseconds, summed over cells.
        var visible = 0.0
        /// By answer.
        var blank: [Double] = []
        var exemptions: [[LeastBlankTime.Exemption]] = []
    }

    /// Compares the least blank time of all caches that load images as the answers do with the blank time of an answer.
    ///
    /// - Parameters:
    ///   - answers: The caches that answer the question, the recommended or kept one first. There is at least one.
    ///   - isKept: Whether the first one is compared, and not the one with the least blank time.
    ///   - memoryLimit: The limit of the question in bytes; nil for none.
    /// - Returns: nil after a limit of time.
    func room(
        below answers: [Answer], isKept: Bool, memoryLimit: Int?, on sample: Range<Int>
    ) throws -> AdviceRoom? {
        let sessions = sessionsWithDisappearances(sample)
        guard !sessions.isEmpty else { return AdviceRoom(cache: answers[0].cache) }
        guard let runs = try onThreads(sessions, { [self] in try self.runs(answers, $0, $1) }) else { return nil }
        let networks = Set(runs.map(\.network)).sorted()
        let reasons = answers.indices.map { place in
            LeastBlankTime.Exemption.allCases.filter { reason in
                runs.contains { $0.exemptions[place].contains(reason) }
            }
        }
        let exempt = answers.indices.filter { !reasons[$0].isEmpty }.map { place in
            AdviceRoom.Exempt(cache: answers[place].cache, reasons: reasons[place].map(\.rawValue))
        }
        guard reasons[0].isEmpty else {
            return AdviceRoom(cache: answers[0].cache, sessions: sessions.count, networks: networks, exempt: exempt)
        }
        let users = sessions.map { user(of: $0) }
        let own = AdviceRoom.means(runs.map(\.blank), of: runs.map(\.visible), users: users)
        let held = answers.indices.filter { reasons[$0].isEmpty }
        let compared = isKept ? 0 : held.min { own[$0] < own[$1] } ?? 0
        let choices = held.map { answers[$0].choice }
        let bounds = try onThreads(sessions) { [self] in try leastBlankTime(choices, memoryLimit, $0, $1) }
        guard let bounds else { return nil }
        let parts = AdviceRoom.means(
            bounds.map { AdviceRoom.Least.parts($0) }, of: bounds.map(\.visibleTime), users: users)
        return AdviceRoom(
            cache: answers[compared].cache, sessions: sessions.count, networks: networks, exempt: exempt,
            least: AdviceRoom.Least(
                parts, ownRatio: own[compared], hasPrefetches: bounds.contains { $0.hasPrefetches }))
    }

    private func runs(_ answers: [Answer], _ number: Int, _ loaded: AdviceSession.Loaded) throws -> SessionRuns {
        var runs = SessionRuns(network: loaded.network.name)
        for answer in answers {
            let job = try job(of: answer.choice, number, loaded)
            let result = try job.run(loaded.trace, measured: options.measured)
            runs.visible = result.blank.visibleTime
            runs.blank.append(result.blank.blankTime)
            runs.exemptions.append(try LeastBlankTime.exemptions(of: job, in: loaded.trace, result))
        }
        return runs
    }

    private func leastBlankTime(
        _ choices: [AdviceChoice], _ memoryLimit: Int?, _ number: Int, _ loaded: AdviceSession.Loaded
    ) throws -> LeastBlankTime {
        let rules = try choices.map { choice in
            LeastBlankTime.Rules(try job(of: choice, number, loaded), memoryLimit: memoryLimit)
        }
        return LeastBlankTime(
            loaded.trace, LeastBlankTime.Rules(covering: rules, memoryLimit: memoryLimit), network: loaded.network)
    }

    private func job(
        of choice: AdviceChoice, _ number: Int, _ loaded: AdviceSession.Loaded
    ) throws -> ReplayJob {
        guard let cache = cache(choice) else { throw ReplayError("a setting has no cache") }
        return job(sessions[number], cache, loaded)
    }

    /// Works on sessions on the threads of the search.
    ///
    /// - Parameter work: Receives the number of a session and its trace.
    /// - Returns: The values in the order of the sessions; nil after a limit of time.
    /// - Throws: What reading a session or the work throws.
    private func onThreads<Value: Sendable>(
        _ sessions: [Int], _ work: @escaping @Sendable (Int, AdviceSession.Loaded) throws -> Value
    ) throws -> [Value]? {
        let values = Mutex([Value?](repeating: nil, count: sessions.count))
        let failure = Mutex<(any Error)?>(nil)
        let batch = Batch<AdviceSession.Loaded>(groups: sessions.count)
        @Sendable func attempt<Output>(_ body: () throws -> Output) -> Output? {
            do { return try body() } catch {
                failure.withLock { $0 = error }
                batch.cancel()
                return nil
            }
        }
        batch.run(
            threads: min(options.threads, sessions.count),
            prepare: { [self] place in
                if let deadline = options.deadline, ContinuousClock.now >= deadline { return nil }
                return attempt { try load(sessions[place]) }.map { ($0, items: 1) }
            },
            work: { loaded, place, _ in
                guard let value = attempt({ try work(sessions[place], loaded) }) else { return }
                values.withLock { $0[place] = value }
            })
        if let failure = failure.withLock({ $0 }) { throw failure }
        let known = values.withLock { $0 }.compactMap(\.self)
        return known.count == sessions.count ? known : nil
    }
}
