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
        var sums = CauseSum()
        for row in rows {
            guard let explanation = row.explanation else { continue }
            sums.add(explanation, appeared: row.time)
            sums.add(Array(explanation.waits))
        }
        self = sums.totals
    }
}

/// The sums of ``CauseTotals`` while they grow: by number, not by name.
struct CauseSum {
    private var memory = [Int](repeating: 0, count: MissCause.allCases.count)
    private var disk = [Int](repeating: 0, count: MissCause.allCases.count)
    private var waits = [Int64](repeating: 0, count: WaitTimes.kinds)
    private var soonAfterWarnings = 0

    /// Adds waits, a number for each ``Wait``, of one request or several.
    mutating func add(_ times: [Int64]) {
        for start in stride(from: 0, to: times.count, by: WaitTimes.kinds) {
            for kind in 0..<WaitTimes.kinds { waits[kind] += times[start + kind] }
        }
    }

    /// Adds the causes of a request.
    ///
    /// - Parameter appeared: When the cell appeared, in nanoseconds.
    mutating func add(_ explanation: RequestExplanation, appeared: Int64) {
        if let cause = explanation.diskCause { disk[cause.rawValue] += 1 }
        guard let cause = explanation.memoryCause else { return }
        memory[cause.rawValue] += 1
        if cause == .memoryWarning, let left = explanation.leftMemory, appeared - left <= 2_000_000_000 {
            soonAfterWarnings += 1
        }
    }

    var totals: CauseTotals {
        var totals = CauseTotals()
        for cause in MissCause.allCases {
            if memory[cause.rawValue] > 0 { totals.memory[cause.name] = memory[cause.rawValue] }
            if disk[cause.rawValue] > 0 { totals.disk[cause.name] = disk[cause.rawValue] }
        }
        for wait in Wait.allCases where waits[wait.rawValue] > 0 { totals.waits[wait.name] = waits[wait.rawValue] }
        totals.soonAfterWarnings = soonAfterWarnings
        return totals
    }
}

extension ReplayJob {
    /// Replays a trace for a result that is kept: with causes, if the result has a timeline of every second.
    ///
    /// - Throws: As ``run(_:identity:registry:measured:progress:)``.
    public func runForResults(
        _ trace: PreparedTrace, identity: RunIdentity? = nil, registry: PolicyRegistry = .builtIn,
        measured parts: MeasuredParts? = nil, progress: (_ events: Int) throws -> Void = { _ in }
    ) throws -> RunResult {
        guard timeline == .everySecond else {
            return try run(trace, identity: identity, registry: registry, measured: parts, progress: progress)
        }
        let (result, _) = try explained(
            trace, identity: identity, registry: registry, parts, wantsRows: false, progress)
        return result
    }
}
