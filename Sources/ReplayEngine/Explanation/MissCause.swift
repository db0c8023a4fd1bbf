import CachePolicies

/// Why a tier did not have the image of a request. Each miss has exactly one cause: the first that applies.
public enum MissCause: Int, Sendable, CaseIterable, Codable {
    /// Nothing has asked for the object before, in any variant or with any query.
    case firstRequest
    /// Nothing has asked for the object before, but something has asked for an object whose key differs only in its
    /// query, or for another variant or size of a view; or memory has the bitmap of a smaller view.
    case similarKey
    /// A fetch or a read of the object is in progress.
    case inFlight
    /// The object has left to make room for an image that was fetched ahead of need, and that no request used.
    case wrongPrefetch
    /// The object has left to make room, and so it would have in a cache of the same size that knows the future.
    case capacity
    /// The object has left to make room, and a cache of the same size that knows the future would have kept it.
    case policy
    /// The object left as soon as it was stored, to make room for itself.
    case evictedAtOnce
    case expired
    /// The tier had the object, which had to be validated, and the request did not get it: the origin sent another one
    /// or an error, or the request ended before the answer.
    case validation
    /// Memory was cleared or trimmed because of a memory warning.
    case memoryWarning
    /// Memory was cleared or trimmed because the app entered the background.
    case background
    /// The app ended, and memory with it.
    case relaunch
    /// The app removed the object, or its cache did after a 404.
    case removal
    /// The file was damaged, or held the picture of another key.
    case damaged
    /// The tier did not take the object: it was too large, or may not be stored, or an admission rule refused it.
    case refused
    /// The last fetch of the object was cancelled.
    case cancelled
    /// The last request of the object was not fetched, because the list was moving.
    case deferred
    /// The object's body was not an image, and the cache does not fetch it again.
    case blocked
    /// The last fetch of the object failed, or its answer is what the disk has.
    case failed

    /// The name in `causes.csv` and JSON.
    public var name: String {
        switch self {
        case .firstRequest: "first_request"
        case .similarKey: "similar_key"
        case .inFlight: "in_flight"
        case .wrongPrefetch: "wrong_prefetch"
        case .capacity: "capacity"
        case .policy: "policy"
        case .evictedAtOnce: "evicted_at_once"
        case .expired: "expired"
        case .validation: "validation"
        case .memoryWarning: "memory_warning"
        case .background: "background"
        case .relaunch: "relaunch"
        case .removal: "removal"
        case .damaged: "damaged"
        case .refused: "refused"
        case .cancelled: "cancelled"
        case .deferred: "deferred"
        case .blocked: "blocked"
        case .failed: "failed"
        }
    }
}

/// The explanation of one request. Times are nanoseconds.
public struct RequestExplanation: Sendable, Equatable {
    /// Why memory did not have the image; nil for a memory hit.
    public var memoryCause: MissCause?
    /// Why the disk did not have the image; nil if it was not asked, or had it.
    public var diskCause: MissCause?
    /// The number of the request for whose image the object left memory or, if memory never had it, the disk; nil if it
    /// did not leave to make room.
    public var evictedBy: Int?
    /// When the image left memory; nil if memory never had it.
    public var leftMemory: Int64?
    /// The time for which the visible cell waited for each ``Wait``.
    public var waits: WaitTimes

    /// The sum of the waits: the blank time.
    public var blank: Int64 { waits.reduce(0, +) }

    public init(
        memoryCause: MissCause? = nil, diskCause: MissCause? = nil, evictedBy: Int? = nil, leftMemory: Int64? = nil,
        waits: WaitTimes
    ) {
        self.leftMemory = leftMemory
        self.memoryCause = memoryCause
        self.diskCause = diskCause
        self.evictedBy = evictedBy
        self.waits = waits
    }
}

/// The causes of a ``RequestExplanation``, which has the waits too.
struct RequestCauses {
    var memory: MissCause?
    var disk: MissCause?
    var evictedBy: Int?
    var leftMemory: Int64?

    init() {}

    init(_ explanation: RequestExplanation) {
        (memory, disk) = (explanation.memoryCause, explanation.diskCause)
        (evictedBy, leftMemory) = (explanation.evictedBy, explanation.leftMemory)
    }
}

extension RequestExplanation {
    init(_ causes: RequestCauses, _ waits: WaitTimes) {
        self.init(
            memoryCause: causes.memory, diskCause: causes.disk, evictedBy: causes.evictedBy,
            leftMemory: causes.leftMemory, waits: waits)
    }
}

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

    /// Sums the causes of requests, and their waits, ``Wait`` after ``Wait``.
    init(_ requests: [ReplayRequest], _ causes: [RequestCauses], _ waits: [Int64]) {
        var sums = CauseSum()
        for (request, causes) in zip(requests, causes) { sums.add(causes, appeared: request.appeared) }
        sums.add(waits)
        self = sums.totals
    }

    /// Sums the explanations of requests. Rows without an explanation count nothing.
    public init(_ rows: [RequestRow]) {
        var sums = CauseSum()
        for row in rows {
            guard let explanation = row.explanation else { continue }
            sums.add(RequestCauses(explanation), appeared: row.time)
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
    mutating func add(_ causes: RequestCauses, appeared: Int64) {
        if let cause = causes.disk { disk[cause.rawValue] += 1 }
        guard let cause = causes.memory else { return }
        memory[cause.rawValue] += 1
        if cause == .memoryWarning, let left = causes.leftMemory, appeared - left <= 2_000_000_000 {
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
