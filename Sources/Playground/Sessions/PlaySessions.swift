import Basics
import CachePolicies
import ReplayEngine
import SessionModel
import Synchronization

/// The sessions of the page. Each is read when a question names it, and is removed from memory when others need the
/// room.
final class PlaySessions: Sendable {
    /// Lets one thread at a time read a session.
    private final class Gate: Sendable {
        let lock = Mutex(())
    }

    private struct State {
        var sessions: [PlayOptions.Session] = []
        /// One for each session.
        var gates: [Gate] = []
        /// By place: the sessions in memory.
        var loaded: [Int: PlaySession] = [:]
        /// The places of the sessions in memory, the one that was asked for last at the end.
        var order: [Int] = []
        /// By place: why a session has no replays.
        var problems: [Int: String] = [:]
        /// By place: the requests, duration and sizes of each session that was read.
        var facts: [Int: Facts] = [:]
    }

    /// The facts of a session that was read, which stay when it is removed from memory.
    struct Facts: Sendable, Equatable {
        var title: String?
        var requests: Int
        /// In microseconds.
        var duration: Int64
        /// In bytes.
        var largestImage: Int
        var workingSet: Int
    }

    private let registry: PolicyRegistry
    /// The most bytes of all sessions in memory besides the one that was asked for last.
    private let mostBytes: Int
    private let state = Mutex(State())

    init(_ sessions: [PlayOptions.Session], registry: PolicyRegistry, mostBytes: Int) {
        (self.registry, self.mostBytes) = (registry, mostBytes)
        append(sessions)
    }

    /// Adds sessions behind the others.
    func append(_ sessions: [PlayOptions.Session]) {
        state.withLock { state in
            state.sessions += sessions
            state.gates += sessions.map { _ in Gate() }
        }
    }

    /// The number of sessions in memory.
    var loadedCount: Int { state.withLock { $0.loaded.count } }

    /// Returns the facts about a session that are known without reading it.
    func facts(of place: Int) -> Facts? { state.withLock { $0.facts[place] } }

    /// Returns why a session has no replays, if it was read and is broken.
    func problem(of place: Int) -> String? { state.withLock { $0.problems[place] } }

    /// Returns a session, which is read if it is not in memory. A session that cannot be read is not tried again.
    ///
    /// - Throws: ``PlayFailure`` with the reason.
    func session(_ place: Int) throws -> PlaySession {
        let (source, gate, count) = state.withLock { state -> (PlayOptions.Session?, Gate?, Int) in
            guard state.sessions.indices.contains(place) else { return (nil, nil, state.sessions.count) }
            return (state.sessions[place], state.gates[place], state.sessions.count)
        }
        guard let source, let gate else {
            throw PlayFailure(.badQuestion, "There is no session \(place + 1); the page has \(count).")
        }
        if let known = try known(place) { return known }
        return try gate.lock.withLock { _ in
            // Another thread may have read it meanwhile.
            if let known = try known(place) { return known }
            do {
                let trace = try source.load()
                let session = try PlaySession(source, at: place, trace, registry: registry)
                keep(session)
                return session
            } catch {
                let text = Self.problem(of: source, error)
                state.withLock { $0.problems[place] = text }
                throw PlayFailure(.failed, text)
            }
        }
    }

    private func known(_ place: Int) throws -> PlaySession? {
        let (session, problem) = state.withLock { state -> (PlaySession?, String?) in
            if let at = state.order.firstIndex(of: place) {
                state.order.remove(at: at)
                state.order.append(place)
            }
            return (state.loaded[place], state.problems[place])
        }
        if let problem { throw PlayFailure(.failed, problem) }
        return session
    }

    private func keep(_ session: PlaySession) {
        let facts = Facts(
            title: session.trace.header.title, requests: session.requests, duration: session.trace.duration,
            largestImage: session.largestImage, workingSet: session.workingSet)
        state.withLock { state in
            state.facts[session.place] = facts
            state.loaded[session.place] = session
            state.order.append(session.place)
            var others = state.order.dropLast().reduce(0) { $0 + (state.loaded[$1]?.bytes ?? 0) }
            while others > mostBytes, state.order.count > 1 {
                let oldest = state.order.removeFirst()
                others -= state.loaded.removeValue(forKey: oldest)?.bytes ?? 0
            }
        }
    }

    /// Returns why a session has no replays, with its path.
    private static func problem(of session: PlayOptions.Session, _ error: any Error) -> String {
        let text = "\(error)"
        let named = text.contains(session.path) ? text : "\(session.path): \(text)"
        return VisibleText.line(named.hasSuffix(".") ? named : named + ".")
    }
}
