import Basics
import CachePolicies

/// How a cache fetches, stores and gives up: everything about it that is not a tier's.
public struct PipelineRules: Codable, Sendable, Equatable {
    /// Transfers at a time.
    public var connections = 6
    /// Of those, for prefetches; nil: all.
    public var prefetchConnections: Int?
    /// Transfers at a time from one host; nil: no limit of its own.
    public var connectionsPerHost: Int?
    /// Fetches that may start in a second once `burst` are used up; nil: no such limit.
    public var fetchesPerSecond: Int?
    public var burst = 25
    /// Which waiting fetch gets the next free connection.
    public var order = FetchOrder.fifo
    /// Requests of a key that is being fetched join that fetch.
    public var coalesce = true
    /// Requests of a key that is being read from disk join that read.
    public var coalesceDisk = false
    /// A slip: the list of those who wait for a fetch outlives it, and later requests of the key join it for good.
    public var keepsWaiters = false
    /// Who hears of a failed fetch.
    public var failureReaches = FailureAudience.all
    /// Without, misses are held back while the list is dragged or decelerates.
    public var fetchWhileScrolling = true
    public var store = StoreOption.memoryAndDisk
    /// What is read from disk is stored in memory too.
    public var promote = true
    /// The same for what is read ahead of need.
    public var prefetchPromotes = true
    /// A fetch is given up when nobody waits for it any more.
    public var cancelOnDisappear = false
    /// How often a failed fetch is tried again.
    public var retries = 0
    /// Microseconds before the first new attempt; each further one waits twice as long.
    public var retryDelay: Int64 = 0
    /// A URL whose body was no image is not fetched again before the app is restarted.
    public var blocksUndecodable = false
    /// What becomes of a disk read that nobody waits for any more.
    public var cancelledReads = CancelledReads.droppedWhileQueued
    /// Disk operations at a time; 1 is the serial queue of most image libraries.
    public var diskLanes = 1
    /// Disk reads run on the main lane, and hold up what the user does.
    public var diskOnMainLane = false
    /// Images decoded at a time, where a replay decodes.
    public var decodeLanes = 1
    /// Images are decoded on the main lane, as those are that are first decoded when they are drawn.
    public var decodeOnMainLane = false
    public var clearOnMemoryWarning = true
    /// The disk tier's housekeeping runs when the app enters the background: expired files go, and what its policy
    /// trims then.
    public var sweepOnBackground = true

    public init() {}
}

public enum FetchOrder: String, Codable, Sendable, CaseIterable {
    case fifo
    case lifo
    /// Oldest first among those that a visible cell waits for, then the rest.
    case visibleFirst
}

/// Who hears of a failed fetch.
public enum FailureAudience: String, Codable, Sendable, CaseIterable {
    case all
    /// A slip: the others wait for good.
    case first
}

/// What becomes of a disk read whose request was cancelled.
public enum CancelledReads: String, Codable, Sendable, CaseIterable {
    /// It goes on, and promotes what it finds, as if somebody waited.
    case finished
    /// It does not begin; one that has begun goes on, and promotes.
    case droppedWhileQueued
    /// It does not begin, and one that has begun promotes nothing.
    case dropped
}

/// Where a fetched object is stored.
public enum StoreOption: String, Codable, Sendable, CaseIterable {
    case memoryAndDisk
    case memoryOnly
    case diskOnly
    case none

    var storesInMemory: Bool { self == .memoryAndDisk || self == .memoryOnly }
    var storesOnDisk: Bool { self == .memoryAndDisk || self == .diskOnly }
}

extension PipelineRules: RuleSet {
    public mutating func set(_ name: String, to value: String) throws(RuleError) {
        switch name {
        case "connections": connections = try RuleValue.count(name, value, atLeast: 1)
        case "prefetchConnections": prefetchConnections = try RuleValue.limit(name, value)
        case "connectionsPerHost": connectionsPerHost = try RuleValue.limit(name, value)
        case "fetchesPerSecond": fetchesPerSecond = try RuleValue.limit(name, value)
        case "burst": burst = try RuleValue.count(name, value, atLeast: 1)
        case "order": order = try RuleValue.choice(name, value)
        case "coalesce": coalesce = try RuleValue.flag(name, value)
        case "coalesceDisk": coalesceDisk = try RuleValue.flag(name, value)
        case "keepsWaiters": keepsWaiters = try RuleValue.flag(name, value)
        case "failureReaches": failureReaches = try RuleValue.choice(name, value)
        case "fetchWhileScrolling": fetchWhileScrolling = try RuleValue.flag(name, value)
        case "store": store = try RuleValue.choice(name, value)
        case "promote": promote = try RuleValue.flag(name, value)
        case "prefetchPromotes": prefetchPromotes = try RuleValue.flag(name, value)
        case "cancelOnDisappear": cancelOnDisappear = try RuleValue.flag(name, value)
        case "retries": retries = try RuleValue.count(name, value, atLeast: 0)
        case "retryDelay": retryDelay = try RuleValue.duration(name, value)
        case "blocksUndecodable": blocksUndecodable = try RuleValue.flag(name, value)
        case "cancelledReads": cancelledReads = try RuleValue.choice(name, value)
        case "diskLanes": diskLanes = try RuleValue.count(name, value, atLeast: 1)
        case "diskOnMainLane": diskOnMainLane = try RuleValue.flag(name, value)
        case "decodeLanes": decodeLanes = try RuleValue.count(name, value, atLeast: 1)
        case "decodeOnMainLane": decodeOnMainLane = try RuleValue.flag(name, value)
        case "clearOnMemoryWarning": clearOnMemoryWarning = try RuleValue.flag(name, value)
        case "sweepOnBackground": sweepOnBackground = try RuleValue.flag(name, value)
        default: throw unknown(name)
        }
    }

    public var described: [(name: String, value: String)] {
        [
            ("connections", "\(connections)"), ("prefetchConnections", RuleValue.text(count: prefetchConnections)),
            ("connectionsPerHost", RuleValue.text(count: connectionsPerHost)),
            ("fetchesPerSecond", RuleValue.text(count: fetchesPerSecond)),
            ("burst", "\(burst)"), ("order", order.rawValue), ("coalesce", "\(coalesce)"),
            ("coalesceDisk", "\(coalesceDisk)"),
            ("keepsWaiters", "\(keepsWaiters)"), ("failureReaches", failureReaches.rawValue),
            ("fetchWhileScrolling", "\(fetchWhileScrolling)"), ("store", store.rawValue), ("promote", "\(promote)"),
            ("prefetchPromotes", "\(prefetchPromotes)"), ("cancelOnDisappear", "\(cancelOnDisappear)"),
            ("retries", "\(retries)"),
            ("retryDelay", TimeSpan.text(retryDelay)), ("blocksUndecodable", "\(blocksUndecodable)"),
            ("cancelledReads", cancelledReads.rawValue),
            ("diskLanes", "\(diskLanes)"), ("diskOnMainLane", "\(diskOnMainLane)"),
            ("decodeLanes", "\(decodeLanes)"), ("decodeOnMainLane", "\(decodeOnMainLane)"),
            ("clearOnMemoryWarning", "\(clearOnMemoryWarning)"), ("sweepOnBackground", "\(sweepOnBackground)"),
        ]
    }
}
