import CachePolicies

/// Why the requests of a run were no hits, and what its cells waited for: the sums over its requests.
public struct CauseTotals: Codable, Sendable, Equatable {
    /// The requests that memory did not answer, by ``MissCause/name``. Causes without requests are left out.
    public var memory: [String: Int] = [:]
    /// The requests that the disk was asked for and did not answer, by ``MissCause/name``.
    public var disk: [String: Int] = [:]
    /// The blank time in nanoseconds, by ``Wait/name``. Waits without blank time are left out.
    public var waits: [String: Int64] = [:]
    /// The requests of objects that a memory warning had removed at most two seconds before.
    public var soonAfterWarnings = 0

    public init() {}

    /// Sums the explanations of requests. Rows without an explanation count nothing.
    public init(_ rows: [RequestRow]) {
        var blank = [Int64](repeating: 0, count: Wait.allCases.count)
        for row in rows {
            guard let explanation = row.explanation else { continue }
            if let cause = explanation.memoryCause { memory[cause.name, default: 0] += 1 }
            if let cause = explanation.diskCause { disk[cause.name, default: 0] += 1 }
            for (place, wait) in explanation.waits.enumerated() { blank[place] += wait }
            if explanation.memoryCause == .memoryWarning, let left = explanation.leftMemory,
                row.time - left <= 2_000_000_000
            {
                soonAfterWarnings += 1
            }
        }
        for (wait, time) in zip(Wait.allCases, blank) where time > 0 { waits[wait.name] = time }
    }
}

extension ReplayJob {
    /// Replays a trace for a result that is kept: with causes, if the timing is modelled and the result has a timeline
    /// of every second.
    ///
    /// - Throws: As ``run(_:identity:registry:progress:)``.
    public func runForResults(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, registry: PolicyRegistry = .builtIn,
        progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> RunResult {
        guard case .modelled = timing, timeline == .everySecond else {
            return try run(trace, identity: identity, registry: registry, progress: progress)
        }
        return try explain(trace, registry: registry, progress: progress).result
    }
}
