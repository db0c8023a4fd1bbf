/// How one fetch from an origin went.
public struct OriginResponse: Sendable {
    /// What ``CurlOrigin/start(_:)`` returned.
    public var id: Int
    /// The HTTP status; 0 where no response came.
    public var status: Int
    /// The body, exactly as sent; nil where the fetch failed.
    public var payload: Payload?
    public var failure: OriginFailure?
    /// Nanoseconds from the request to the first byte of the (last) response; 0 where none came.
    public var timeToFirstByte: Int64
    /// Nanoseconds from the request to the end of the transfer.
    public var totalTime: Int64
    /// Bytes of body that came, of a failed fetch too.
    public var receivedBytes: Int
    /// Connections that were made for this fetch: 0 where one was used again.
    public var newConnections: Int
}

/// Why a fetch failed.
public struct OriginFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable {
        /// Took longer than a limit of ``OriginOptions``; the message says which.
        case timeout
        case unknownHost
        /// Nobody listens there.
        case refused
        /// The connection broke.
        case reset
        /// The body is shorter than announced.
        case truncated
        case tooLarge
        case tooManyRedirects
        /// A complete response whose status is not 2xx.
        case status
        /// Not a URL, or neither http nor https.
        case badURL
        case security
        case other
    }

    public var kind: Kind
    public var message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }
}
