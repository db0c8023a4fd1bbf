/// The settings of a cache that belong to no tier: fetching, storing, cancelling, lanes. ``Rule/all`` documents each.
public struct PipelineRules: Codable, Sendable, Equatable {
    /// nil: as many as the network allows.
    public var connections: Int?
    /// nil: all connections.
    public var prefetchConnections: Int?
    /// Over HTTP/1.1. nil: as many as the recording shows.
    public var connectionsPerHost: Int? = 6
    /// nil: no limit.
    public var fetchesPerSecond: Int?
    public var burst = 25
    public var order = FetchOrder.fifo
    public var queue = FetchQueue.own
    public var coalesce = true
    public var coalesceDisk = false
    public var keepsWaiters = false
    public var failureReaches = FailureAudience.all
    public var fetchWhileScrolling = true
    public var store = StoreOption.memoryAndDisk
    public var promote = true
    public var prefetchInto = PrefetchDestination.memory
    public var prefetch = PrefetchRule.recorded
    public var prefetchCancels = true
    public var prefetchLast = false
    public var prefetchOnMetered = true
    public var cancelOnDisappear = false
    public var retries = 0
    public var retriesAfter = RetryCause.anyFailure
    /// In microseconds.
    public var retryDelay: Int64 = 0
    public var retryFactor = 2
    /// In microseconds.
    public var retryDelayLimit: Int64 = 86_400_000_000
    public var undecodable = UndecodableRule.discarded
    public var cancelledReads = CancelledReads.droppedWhileQueued
    public var diskLanes = 1
    public var diskOnMainLane = false
    public var decodeLanes = 1
    public var decodeOnMainLane = false
    public var memoryHitsRenewFiles = false
    public var sweepOnBackground = true
    public var sweepOnTerminate = false

    public init() {}

    /// Returns the delay before a further attempt, counted from 1, in nanoseconds: at most
    /// ``retryDelayLimit``, and at most a day.
    func rest(beforeAttempt attempt: Int) -> Int64 {
        let limit = min(retryDelayLimit, 86_400_000_000)
        var delay = min(retryDelay, limit)
        // 2^37 microseconds are more than a day.
        for _ in 1..<max(min(attempt, 40), 1) { delay = min(delay * Int64(retryFactor), limit) }
        return delay * 1_000
    }
}

/// The order of fetches that wait for a connection.
public enum FetchOrder: String, Codable, Sendable, RuleChoice {
    case fifo
    case lifo
    /// The oldest first of those that a visible cell waits for, then the oldest of the rest.
    case visibleFirst
}

/// The limits for which a fetch waits before it gets a connection.
public enum FetchQueue: String, Codable, Sendable, RuleChoice {
    /// The limits of the cache and of hosts.
    case own
    /// First as long as the same fetch of the recording waited in the queue of its client, then as `own`.
    case recorded
}

/// The requests that learn of a failed fetch.
public enum FailureAudience: String, Codable, Sendable, RuleChoice {
    case all
    /// A defect: the others wait forever.
    case first
}

/// The failures after which a fetch is attempted again.
public enum RetryCause: String, Codable, Sendable, RuleChoice {
    case anyFailure
    /// No response, or a status from 500 on.
    case serverErrors
    /// No response, or one that was cut off.
    case noResponse

    /// - Parameter status: The status of the response; 0 without one.
    func concerns(status: Int) -> Bool {
        switch self {
        case .anyFailure: true
        case .serverErrors: status == 0 || status >= 500
        case .noResponse: status == 0
        }
    }
}

/// The treatment of a response whose status is a success and whose body is not an image. Its requests fail.
public enum UndecodableRule: String, Codable, Sendable, RuleChoice {
    /// It is thrown away, and the next request fetches again.
    case discarded
    /// It is thrown away, and nothing is fetched for its object until the app is relaunched.
    case blocked
    /// It is stored as an image would be. A request that finds it fails without a fetch.
    case stored
    /// It is stored on disk. A request that finds it there fetches again: what that brings replaces the file, or, in a
    /// cache without `overwrites`, the file stays and the request fails.
    case storedAndFetched
}

/// The treatment of a disk read whose requests were cancelled.
public enum CancelledReads: String, Codable, Sendable, RuleChoice {
    /// It is finished, and promotes the object that it finds.
    case finished
    /// It is dropped if it has not begun. One that has begun is finished and promotes.
    case droppedWhileQueued
    /// It is dropped if it has not begun. One that has begun promotes nothing.
    case dropped
}

/// The end of a prefetch, if no request waits for its image.
public enum PrefetchDestination: String, Codable, Sendable, RuleChoice {
    /// Its image is decoded and stored in memory, whether it was fetched or read from disk.
    case memory
    /// A fetched image is stored in memory. One that is on disk stays there.
    case memoryIfFetched
    /// A fetched image is stored on disk alone, and is not decoded.
    case disk
}

/// The tiers that store a fetched object.
public enum StoreOption: String, Codable, Sendable, RuleChoice {
    case memoryAndDisk
    case memoryOnly
    case diskOnly
    case none

    var storesInMemory: Bool { self == .memoryAndDisk || self == .memoryOnly }
    var storesOnDisk: Bool { self == .memoryAndDisk || self == .diskOnly }
}
