import Basics
import CachePolicies
import ReplayEngine
import Runs
import SessionModel
import Synchronization

/// A session that was read, with the data that its replays share.
final class PlaySession: Sendable {
    /// A trace with injected events, and a network.
    struct Prepared: Sendable {
        let trace: PreparedTrace
        let network: ReplayJob.Network
        /// The text of the injected events; nil for none.
        let injected: String?
    }

    private struct State {
        /// The last ones that were asked for, the newest last.
        var prepared: [(key: String, value: Prepared)] = []
        var networks: [String: ReplayJob.Network] = [:]
    }

    /// The place in ``PlayOptions/sessions``.
    let place: Int
    let name: String
    let path: String
    let trace: Trace
    /// The view cells that appear.
    let requests: Int
    /// The bytes that the session takes in memory, estimated.
    let bytes: Int
    /// The working set of decoded images, and the largest of them, in bytes.
    let workingSet: Int
    let largestImage: Int
    private let registry: PolicyRegistry
    private let state = Mutex(State())

    /// The most traces with events and a network that a session keeps ready.
    private static let mostPrepared = 6

    /// - Throws: `ReplayError` for a trace that cannot be replayed.
    init(_ session: PlayOptions.Session, at place: Int, _ trace: Trace, registry: PolicyRegistry) throws {
        let requests = trace.events.count { if case .appear = $0.action { true } else { false } }
        guard requests > 0 else {
            throw ReplayError(
                "nothing to replay, no cell ever appears; `cachereplay trace info` shows its events")
        }
        (self.place, self.trace, self.requests, self.registry) = (place, trace, requests, registry)
        (name, path) = (session.name, session.path)
        // Each trace that is ready has a model of its network and the course of its list beside the events.
        let objects = trace.objects.reduce(0) { $0 + 400 + $1.key.utf8.count }
        let events = trace.events.count * MemoryLayout<TraceEvent>.stride
        bytes = events + objects + Self.mostPrepared * (events + objects) / 2
        let plain = try PreparedTrace(trace, registry: registry)
        largestImage = plain.largestImage
        workingSet = plain.context.decoded.workload?.uniqueBytes ?? 0
    }

    /// Returns the trace with memory warnings over a network, ready for replays.
    ///
    /// - Parameter warnings: In microseconds.
    /// - Throws: ``PlayFailure`` for a warning that has no place in the trace, and for a network without an estimate;
    ///   `ReplayError` for a trace that cannot be replayed.
    func prepared(_ warnings: [Int64], _ network: PlayOptions.Network) throws -> Prepared {
        let key = "\(warnings) \(network.name)"
        let known: Prepared? = state.withLock { state in
            guard let place = state.prepared.firstIndex(where: { $0.key == key }) else { return nil }
            let found = state.prepared.remove(at: place)
            state.prepared.append(found)
            return found.value
        }
        if let known { return known }
        let (changed, injected) = try injecting(warnings)
        let model = try self.network(network)
        let value = Prepared(
            trace: try PreparedTrace(changed, network: model, registry: registry), network: model, injected: injected)
        state.withLock { state in
            state.prepared.append((key, value))
            if state.prepared.count > Self.mostPrepared { state.prepared.removeFirst() }
        }
        return value
    }

    private func injecting(_ warnings: [Int64]) throws -> (trace: Trace, text: String?) {
        do {
            let events = try InjectedEvents(warnings.map(TimeSpan.text), .memoryWarning)
            return (try events.apply(to: trace), events.text)
        } catch {
            throw PlayFailure(.badQuestion, "\(name): \(error).")
        }
    }

    /// Returns the network that a choice of the page means for the trace.
    ///
    /// - Throws: ``PlayFailure`` if a shared link is chosen and cannot be estimated.
    func network(_ network: PlayOptions.Network) throws -> ReplayJob.Network {
        if let known = state.withLock({ $0.networks[network.name] }) { return known }
        guard let found = try network.choice.network(of: trace) else {
            throw PlayFailure(.badQuestion, "\(path): \(NetworkChoice.noSharedLink)")
        }
        state.withLock { $0.networks[network.name] = found }
        return found
    }
}
