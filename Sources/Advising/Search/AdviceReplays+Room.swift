import Basics
import ReplayEngine
import Runs
import Synchronization

extension AdviceReplays {
    /// A cache that answers the question, with its limits.
    struct Answer: Sendable {
        var cache: String
        var choice: AdviceChoice
    }

    /// What the answers have on one session.
    private struct SessionRuns: Sendable {
        var network: String
        /// In nanoseconds, summed over cells.
        var visible = 0.0
        /// By answer.
        var blank: [Double] = []
        var exemptions: [[LeastBlankTime.Exemption]] = []
    }

    /// Compares the least blank time of all caches that load images as the answers do with that of an answer.
    ///
    /// - Parameters:
    ///   - answers: The caches that answer the question, the recommended or kept one first. There is at least one.
    ///   - isKept: Whether the first one is compared, and not the one with the least blank time.
    ///   - memoryLimit: The limit of the question in bytes; nil for none.
    ///   - sample: The sessions.
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
    /// - Parameters:
    ///   - sessions: The numbers of the sessions.
    ///   - work: Receives the number of a session and its trace.
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
