import SessionModel

/// The consistency checks of one trace: with recorded transfer times, and over the shared link if one can be estimated.
public struct ConsistencyReport: Sendable, Equatable {
    /// Why a check is missing, does not pass, or leaves something out.
    public enum Reason: Sendable, Equatable {
        /// The trace records no fetch with times.
        case noTimes
        /// Recorded times may contain waits for a connection.
        case hiddenQueues
        /// The share of the recorded time that was spent in the client's queue, from 0 to 1. Durations leave it out.
        case queued(share: Double)
        /// No shared link reproduces the recording.
        case noSharedLink
    }

    /// Empty if the trace records no successful fetch with times.
    public private(set) var checks: [ConsistencyCheck] = []
    /// The reasons why a check is missing or does not pass.
    public private(set) var reasons: [Reason] = []
    /// Whether the checks use only the first fetches of the trace.
    public private(set) var isPartial = false

    /// Whether a network model reproduces the recorded durations, or there is nothing to compare.
    public var passes: Bool { checks.isEmpty || checks.contains(where: \.passes) }

    /// Checks a trace.
    ///
    /// Complexity: up to twelve replays of the first 20,000 fetches, and two of all compared fetches.
    ///
    /// - Parameters:
    ///   - trace: A recording with the times of its fetches.
    ///   - limit: The number of fetches that are compared, from the first on; nil for all.
    /// - Throws: `ReplayError` if the trace cannot be replayed (``ReplayJob/check(_:)``).
    public init(_ trace: Trace, first limit: Int? = nil) throws {
        try ReplayJob.check(trace)
        var compared = trace
        if let limit, let head = trace.fetches(first: limit) {
            compared = head
            isPartial = true
        }
        guard let recorded = try ConsistencyCheck(compared, network: .recorded) else {
            reasons.append(.noTimes)
            return
        }
        checks.append(recorded)
        if recorded.hidesQueues { reasons.append(.hiddenQueues) }
        if recorded.queuedShare > 0.02 { reasons.append(.queued(share: recorded.queuedShare)) }
        if let network = try ReplayJob.Network.sharedLink(of: compared) {
            if let shared = try ConsistencyCheck(compared, network: network) { checks.append(shared) }
        } else {
            reasons.append(.noSharedLink)
        }
    }
}

extension Trace {
    /// Returns a trace of the first fetches and of the objects up to the last one of them; nil if there are no more
    /// fetches than `limit`.
    fileprivate func fetches(first limit: Int) -> Trace? {
        var head: [TraceEvent] = []
        var objects = 0
        for event in events {
            guard case .fetch(let object, _) = event.action else { continue }
            guard head.count < limit else {
                return Trace(header: header, objects: Array(self.objects.prefix(objects)), events: head)
            }
            head.append(event)
            objects = max(objects, Int(object) + 1)
        }
        return nil
    }
}
