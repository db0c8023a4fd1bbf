/// The limits within which an origin fetches.
public struct OriginOptions: Sendable, Equatable {
    /// Transfers at once. Further ones wait in the order in which they were started.
    public var connections = 6
    public var connectTimeout: Duration = .seconds(10)
    /// For a whole transfer, from the request to the last byte; redirects included, waiting for a connection not.
    public var timeout: Duration = .seconds(60)
    /// How long a transfer may bring nothing, before its first byte or after.
    public var stallTimeout: Duration = .seconds(30)
    /// Redirects followed within one transfer.
    public var redirects = 10
    /// The longest body accepted, in bytes. A longer one ends its transfer as soon as that is known.
    public var responseLimit = 256 << 20

    public init() {}
}
