import SessionModel

/// The options of a ``LoopbackOrigin``.
public struct LoopbackOriginOptions: Sendable {
    public var host = "127.0.0.1"
    /// The port; 0 for a free one.
    public var port = 0
    /// The names that requests can have in `Host` and `Origin` beside `localhost` and IP addresses.
    public var allowedHosts: [HostName] = []
    /// Whether responses take as long as in the recording; otherwise they are immediate.
    public var injectsLatency = false
    /// The faults of single objects.
    public var faults: [ObjectID: OriginFault] = [:]
    /// The fault of all objects without a fault of their own.
    public var fault: OriginFault?

    /// Files with the bodies of objects. The bodies of other objects are computed (``PayloadPattern``).
    public var bodies: [ObjectID: String] = [:]

    var limits = ServerLimits.origin

    public init() {}
}

/// The reason why a server could not start.
public struct LoopbackOriginError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable { case portInUse, cannotListen }

    public var kind: Kind
    public var description: String
}

/// A fault of a ``LoopbackOrigin``, to test clients.
public enum OriginFault: Sendable, Equatable {
    /// Responds with this status and a short text.
    case status(Int)
    /// Resets the connection (TCP reset) instead of responding.
    case reset
    /// Announces the whole body, sends half of it, and resets the connection.
    case resetHalfway
    /// Announces the whole body, sends half of it, and closes the connection.
    case truncate
    /// Announces the whole body, sends half of it, and then stalls.
    case stall
    /// Sends the body without announcing its length (chunked).
    case unannounced
    /// Responds with a redirect to this location.
    case redirect(String)
}
