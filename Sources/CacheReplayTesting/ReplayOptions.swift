import ReplayEngine

/// How a session is replayed through a cache.
public struct ReplayOptions: Sendable {
    /// The durations of the calls of the cache.
    public enum Timing: Sendable {
        /// The time that they really take. Everything else takes what the cost model says.
        case calls
        /// The durations of the cost model: each result is a function of the session and of the cache's answers.
        case modelled
        /// Nothing, and the network takes no time either, as in a simulation.
        case instant
    }

    public var timing = Timing.calls
    /// The rules of the cache as `cachereplay list rules` describes them, and a disk tier that is modelled, for example
    /// `connections: 6; disk: lru(150MB)`. `cost: encoded` changes the costs that the cache is given.
    public var rules = ""
    /// Whether an image is delivered when its bitmap is ready; the cost model gives the duration. nil, the default:
    /// unless nothing takes time, as `cachereplay replay` does.
    public var decodes: Bool?
    /// The seed of latencies that the session does not record.
    public var seed: UInt64 = 1
    /// The seconds after which a call counts as one that never returns. The replay then ends with a ``CacheCallError``.
    public var longestCall = 60.0

    public init() {}

    /// The same options with another timing.
    public static func timing(_ timing: Timing) -> ReplayOptions {
        var options = ReplayOptions()
        options.timing = timing
        return options
    }
}

/// The network of a replay.
public enum SessionNetwork: Sendable {
    /// ``shared`` where the estimate reproduces the recording, otherwise ``recorded``: the default, also of
    /// `cachereplay replay`.
    case automatic
    /// Each transfer takes its recorded time.
    case recorded
    /// Transfers share a link, whose rate is estimated from the recording. An error if no rate reproduces it.
    case shared
    /// Another network, such as `.profile(.lte)`.
    case profile(NetworkProfile)
}

/// A call of a cache that ended the replay.
public struct CacheCallError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
