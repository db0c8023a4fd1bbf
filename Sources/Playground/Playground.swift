import Basics
import CachePolicies
import ImageLibraries
import ReplayEngine
import Synchronization

/// Answers the page of `cachereplay play`.
///
/// Sessions are read when they are asked for (``PlaySessions``). Answers and results of replays are kept, each bounded
/// in bytes; those that were asked for longest ago leave first.
package final class Playground: PlayAnswering {
    private let known: Mutex<Known>
    let sessions: PlaySessions
    let runs: PlayRuns
    private let answers: BoundedCache<String>
    /// Its count is above 0 when all sessions are found.
    private let allFound = MonotonicSemaphore()

    private struct Known {
        var options: PlayOptions
        /// Whether all sessions are found.
        var isComplete = false
        /// Why the sessions of `PlayOptions.later` are missing.
        var problem: String?
    }

    /// The options of the page, with the sessions that are found by now.
    var options: PlayOptions { known.withLock(\.options) }

    /// - Throws: ``PlayFailure`` for options that make no page: without sessions, with names that occur twice, and with
    ///   caches that cannot be read.
    package init(_ options: PlayOptions) throws {
        known = Mutex(Known(options: options))
        sessions = PlaySessions(
            options.sessions, registry: options.registry, mostBytes: options.mostSessionBytes)
        // Results and answers have half of the room each.
        runs = PlayRuns(parts: options.parts, mostBytes: options.mostAnswerBytes / 2)
        answers = BoundedCache(limit: options.mostAnswerBytes / 2)
        try Self.check(options)
        guard let later = options.later else {
            allAreFound()
            return
        }
        // Without a thread, the page waits for them.
        do { try DetachedThread.start { [self] in add(later) } } catch { add(later) }
    }

    private func add(_ later: @Sendable () throws -> PlayOptions.Later) {
        do {
            let found = try later()
            var options = self.options
            let first = options.sessions.count
            options.sessions += found.sessions
            options.populations += found.populations.map { population in
                var population = population
                population.sessions = population.sessions.map { first + $0 }
                return population
            }
            try Self.check(options)
            let complete = options
            sessions.append(found.sessions)
            known.withLock { $0.options = complete }
        } catch {
            known.withLock { $0.problem = VisibleText.line("\(error)") }
        }
        allAreFound()
    }

    private func allAreFound() {
        known.withLock { $0.isComplete = true }
        allFound.signal()
    }

    /// Whether all sessions are found, and why some are missing.
    var completeness: (isComplete: Bool, problem: String?) { known.withLock { ($0.isComplete, $0.problem) } }

    /// Waits until all sessions are found, or `isOvertaken` returns true.
    func waitForSessions(_ isOvertaken: () -> Bool) {
        while !isOvertaken() {
            guard allFound.wait(until: MonotonicClock.now + 50_000_000) else { continue }
            // Others may wait too.
            return allFound.signal()
        }
    }

    private static func check(_ options: PlayOptions) throws {
        guard !options.sessions.isEmpty else {
            throw PlayFailure(.badQuestion, "Which session? Name a trace, such as Traces/stress-feed.jsonl.")
        }
        guard (1...PlayQuestion.mostCaches).contains(options.caches.count) else {
            throw PlayFailure(
                .badQuestion,
                "\(options.caches.count) caches; the page begins with 1 to \(PlayQuestion.mostCaches) of them.")
        }
        guard !options.networks.isEmpty else {
            throw PlayFailure(.badQuestion, "Which network? Name one, such as --network auto.")
        }
        guard options.seed <= UInt64(PlayQuestion.largestSeed) else {
            throw PlayFailure(.badQuestion, "--seed is at most \(PlayQuestion.largestSeed) on the page.")
        }
        let names = options.sessions.map(\.name) + options.populations.map(\.name)
        for (what, names) in [("sessions", names), ("networks", options.networks.map(\.name))] {
            var seen: Set<String> = []
            if let twice = names.first(where: { !seen.insert($0).inserted }) {
                throw PlayFailure(
                    .badQuestion, "Two \(what) are called '\(VisibleText.line(twice))'; give them different names.")
            }
        }
        for population in options.populations {
            let areKnown = population.sessions.allSatisfy { options.sessions.indices.contains($0) }
            guard !population.sessions.isEmpty, areKnown else {
                throw PlayFailure(
                    .badQuestion,
                    "The population '\(VisibleText.line(population.name))' has no sessions; name some.")
            }
        }
        let network = options.networks[0].name
        for (place, base) in options.caches.enumerated() {
            _ = try PlayCache(PlayQuestion.Cache(base: base, network: network), at: place, options)
        }
    }

    // MARK: PlayAnswering

    package func answer(
        _ request: PlayRequest, _ question: [UInt8], isOvertaken: @escaping @Sendable () -> Bool
    ) throws -> String {
        let question = try PlayQuestion(question, seed: options.seed)
        let key = "\(request.rawValue) \(question.key)"
        if let known = answers.value(of: key) { return known }
        let text = try answered(request, question, isOvertaken)
        answers.keep(text, of: key, bytes: text.utf8.count)
        return text
    }

    private func answered(
        _ request: PlayRequest, _ question: PlayQuestion, _ isOvertaken: @escaping @Sendable () -> Bool
    ) throws -> String {
        let asked = try Asked(question, self, isOvertaken)
        return switch request {
        case .figures: try figures(asked)
        case .curve: try curve(asked)
        case .moves: try moves(asked)
        case .film: try film(asked)
        case .bound: try bound(asked)
        case .people: try people(asked)
        case .export: try export(asked)
        }
    }

    package func replayArguments(_ question: [UInt8]) throws -> [String] {
        let asked = try Asked(PlayQuestion(question, seed: options.seed), self) { false }
        return try asked.replayArguments()
    }
}

/// A question whose session and caches were found.
struct Asked: Sendable {
    let question: PlayQuestion
    let caches: [PlayCache]
    /// The rule of the app that the question holds equal in all libraries.
    private let held: AppRules.Choice?
    /// The same in a sentence; nil if nothing is held equal.
    let heldSentence: String?
    /// The places of the sessions: one, or all of a population.
    let places: [Int]
    /// The population; nil for a session.
    let population: PlayOptions.Population?
    let settings: PlayRuns.Settings
    /// The playground that was asked.
    let playground: Playground

    /// - Throws: ``PlayFailure`` for a session or a cache that does not exist.
    init(_ question: PlayQuestion, _ playground: Playground, _ isOvertaken: @escaping @Sendable () -> Bool) throws {
        let options = playground.options
        population = options.populations.first { $0.name == question.session }
        if let population {
            places = population.sessions
        } else if let place = options.sessions.firstIndex(where: { $0.name == question.session }) {
            places = [place]
        } else {
            let names = options.sessions.map(\.name) + options.populations.map(\.name)
            let hint =
                nearestName(to: question.session, among: names).map { "did you mean '\($0)'?" }
                ?? "choose one of the page"
            let name = VisibleText.line(String(question.session.prefix(80)))
            throw PlayFailure(.badQuestion, "There is no session '\(name)'; \(hint).")
        }
        let own = try question.caches.enumerated().map { place, cache in try PlayCache(cache, at: place, options) }
        let configurations = own.map(\.configuration)
        let choice = question.app == .equal ? AppRules.choice(equalIn: configurations) : nil
        held = choice
        heldSentence = choice.flatMap { AppRules($0, in: configurations).change }.map(VisibleText.line)
        caches = own.map { $0.holding(choice) }
        for (place, cache) in caches.enumerated() {
            // The name alone tells caches apart in results.
            let other = caches[..<place].firstIndex { earlier in
                earlier.configuration.name == cache.configuration.name && earlier.option != cache.option
            }
            if let other {
                throw PlayFailure(
                    .badQuestion,
                    """
                    The caches \(other + 1) and \(place + 1) are both called \
                    '\(VisibleText.line(cache.configuration.name))'; give one of them another name before '='.
                    """, cache: place, column: 1)
            }
        }
        self.question = question
        self.playground = playground
        settings = PlayRuns.Settings(
            warnings: question.warnings, decodes: question.decodes, seed: question.seed, isOvertaken: isOvertaken)
    }

    /// Derives another cache for this question, which has the rules of the app that its caches have.
    ///
    /// - Throws: ``PlayFailure``, as ``PlayCache/init(_:at:_:)``.
    func cache(_ cache: PlayQuestion.Cache, at place: Int) throws -> PlayCache {
        try PlayCache(cache, at: place, playground.options).holding(held)
    }

    /// The names of the caches for people: `A nuke-13`.
    var names: [String] { caches.enumerated().map { "\(Self.letter($0)) \($1.configuration.name)" } }

    static func letter(_ place: Int) -> String { ["A", "B", "C", "D"][min(max(place, 0), 3)] }

    /// Returns the session, or the first one of a population that can be replayed.
    ///
    /// - Throws: ``PlayFailure`` if there is none.
    func session() throws -> PlaySession {
        var first: PlayFailure?
        for place in places {
            do { return try playground.sessions.session(place) } catch let failure as PlayFailure {
                first = first ?? failure
            }
            try settings.check()
        }
        throw first ?? PlayFailure(.failed, "There is no session; choose another one.")
    }

    func result(_ cache: PlayCache, _ session: PlaySession, isFull: Bool) throws -> RunResult {
        try playground.runs.result(cache, session, settings, isFull: isFull)
    }

    /// Replays the session through all caches, in two threads.
    func results(_ session: PlaySession, isFull: Bool) throws -> [RunResult] {
        try Parallel.map(caches.count) { place in
            do { return try result(caches[place], session, isFull: isFull) } catch var failure as PlayFailure {
                if failure.kind == .badQuestion, failure.cache == nil { failure.cache = place }
                throw failure
            }
        }
    }
}

/// Runs the work of a question in two threads, so that it does not occupy all processors.
enum Parallel {
    static let threads = 2

    private struct State<Value: Sendable>: Sendable {
        var values: [Int: Value] = [:]
        var failure: (any Error)?
    }

    /// Returns the values of all numbers below a count, in order.
    ///
    /// - Throws: The first error; no further value is begun then.
    static func map<Value: Sendable>(
        _ count: Int, _ value: @escaping @Sendable (Int) throws -> Value
    ) throws -> [Value] {
        let state = Locked(State<Value>())
        DetachedThread.forEach(count, threads: threads) { number in
            guard state.withLock({ $0.failure == nil }) else { return }
            do {
                let made = try value(number)
                state.withLock { $0.values[number] = made }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
        }
        let made = state.withLock { $0 }
        if let failure = made.failure { throw failure }
        return (0..<count).compactMap { made.values[$0] }
    }
}
