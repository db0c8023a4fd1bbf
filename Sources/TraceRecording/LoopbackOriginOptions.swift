import SessionModel

/// How a ``LoopbackOrigin`` serves a trace.
public struct LoopbackOriginOptions: Sendable {
    public var host = "127.0.0.1"
    /// 0: a free one.
    public var port = 0
    /// Whether answers take as long as they took in the recording; otherwise they come at once.
    public var injectsLatency = false
    /// By object.
    public var faults: [ObjectID: OriginFault] = [:]
    /// Of all objects that have none of their own.
    public var fault: OriginFault?

    /// Files that hold the bodies of objects, by object; the others' are made (``PayloadPattern``).
    public var bodies: [ObjectID: String] = [:]

    public init() {}
}

/// Why a ``LoopbackOrigin`` could not start.
public struct LoopbackOriginError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable { case portInUse, cannotListen }

    public var kind: Kind
    public var description: String
}
