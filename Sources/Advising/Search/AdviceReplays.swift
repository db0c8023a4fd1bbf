import Basics
import CachePolicies
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
        /// No replay begins after this time, except for those of the first session; nil for no limit.
        public var deadline: ContinuousClock.Instant?
        /// Returns why a session is skipped that cannot be replayed, by its number; throws to end the work.
        public var reasonToSkip: @Sendable (_ session: Int, any Error) throws -> String = { "\($1)" }
        /// What caches that are programs need; nil if no cache is one.
        public var measured: MeasuredParts?
        /// Keeps finished replays, and has those of an earlier process; nil for none.
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
    ///   - spaces: The settings.
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
    /// The number of replays, without those of an earlier process.
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
