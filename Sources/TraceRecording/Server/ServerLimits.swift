import NIOCore
import NIOHTTP1

/// What a recording server takes from a client before it answers with an error or hangs up. Each limit bounds memory or
/// time that one client can hold.
public struct ServerLimits: Sendable {
    /// Longer ones get 414.
    public var uriBytes = 8 << 10
    /// Names and values of a request's header fields together. Larger ones get 431.
    public var headerBytes = 32 << 10
    /// Larger ones get 413.
    public var bodyBytes = 1 << 20
    /// Further connections are closed as they come.
    public var connections = 512
    /// From the opening of a connection, or the end of the last response, to the end of the next request's head. It
    /// bounds idle connections and clients that send a header by the byte alike.
    public var headTimeout = TimeAmount.seconds(60)
    /// From a request's head to the end of its body. Later ones get 408.
    public var bodyTimeout = TimeAmount.seconds(30)
    /// How long a client may take nothing of a response before the connection is closed.
    public var stallTimeout = TimeAmount.seconds(60)

    public init() {}

    /// What the decoder refuses by itself, so that a head is never larger in memory. The exact limits are checked
    /// afterwards.
    var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = max(uriBytes, headerBytes) + 1
        limits.maxHeaderListSize = headerBytes + uriBytes + 1
        return limits
    }

    /// The status that refuses this head; nil where it is within the limits.
    func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        if head.uri.utf8.count > uriBytes { return .uriTooLong }
        let bytes = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if bytes > headerBytes { return .requestHeaderFieldsTooLarge }
        if let length = head.headers.first(name: "content-length").flatMap(Int.init), length > bodyBytes {
            return .payloadTooLarge
        }
        return nil
    }
}
