import NIOCore
import Synchronization

/// The open connections of a server, up to a limit. A new connection beyond it takes the place of the one that has made
/// no progress for the longest time, so that idle and slow clients shut out none.
///
/// - First a connection without a request is closed. Its last progress is its opening or its last response. The bytes
///   of an incomplete head are no progress, so that a client cannot keep its place by sending a byte now and then.
/// - Then a connection whose request is incomplete is closed. Each piece of its body is progress.
/// - A connection that waits for a response or receives one keeps its place. If all do, the new one is closed.
///
/// A new connection at the limit takes time in proportion to the limit; everything else takes constant time.
final class ConnectionTable: Sendable {
    enum Phase: Int, Sendable { case awaitingRequest, readingRequest, answering }

    private struct Entry {
        let channel: any Channel
        var phase = Phase.awaitingRequest
        /// The number of the last progress, in the order of all connections.
        var progress: UInt64
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var progress: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The number of connections, at least 1.
    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.entries.count } }

    /// Adds a new connection, and closes another one at the limit. Returns false if there is no place.
    func add(_ channel: any Channel) -> Bool {
        let (isAdded, evicted) = state.withLock { state -> (Bool, (any Channel)?) in
            var evicted: (any Channel)?
            if state.entries.count >= limit {
                let candidates = state.entries.lazy.filter { $0.value.phase != .answering }
                guard
                    let longest = candidates.min(by: {
                        ($0.value.phase.rawValue, $0.value.progress) < ($1.value.phase.rawValue, $1.value.progress)
                    })
                else { return (false, nil) }
                evicted = state.entries.removeValue(forKey: longest.key)?.channel
            }
            state.progress += 1
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, progress: state.progress)
            return (true, evicted)
        }
        evicted?.close(promise: nil)
        return isAdded
    }

    /// Counts a progress of a connection. Returns false if the connection has lost its place and is being closed.
    @discardableResult
    func progress(_ channel: any Channel, _ phase: Phase) -> Bool {
        state.withLock { state in
            state.progress += 1
            // The key is unique as long as the entry holds the channel.
            guard let index = state.entries.index(forKey: ObjectIdentifier(channel)) else { return false }
            state.entries.values[index].phase = phase
            state.entries.values[index].progress = state.progress
            return true
        }
    }

    func remove(_ channel: any Channel) {
        state.withLock { _ = $0.entries.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}
