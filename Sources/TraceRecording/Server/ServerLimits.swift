import NIOCore
import NIOHTTP1

/// The limits of a server. Each one bounds the memory or the time that a client can use; beyond it, the server responds
/// with an error or closes the connection.
public struct ServerLimits: Sendable {
    /// The length of a URI; longer ones get status 414.
    public var uriBytes = 8 << 10
    /// The size of all header fields of a request; larger ones get status 431.
    public var headerBytes = 32 << 10
    /// The size of a request's body; larger ones get status 413.
    public var bodyBytes = 1 << 20
    /// The number of connections at once. A further one takes the place of the one that has waited longest without a
    /// request. The limit of open files (`ulimit -n`) can lower this number; a server raises its soft limit first.
    public var connections = 2048
    /// The number of files that a connection needs at most: its socket, and files that are open during a response.
    var filesPerConnection = 1
    /// The number of files that the server needs besides its connections.
    var otherFiles = 64
    /// The time from the opening of a connection, or the end of the last response, to the end of the next request's
    /// head; nil for no limit. It limits idle connections and clients that send headers slowly.
    public var headTimeout: TimeAmount? = .seconds(60)
    /// The time from a request's head to the end of its body; later ones get status 408. Nil for no limit.
    public var bodyTimeout: TimeAmount? = .seconds(30)
    /// The time after which a connection is closed if the client reads nothing of a response; nil for no limit.
    public var stallTimeout: TimeAmount? = .seconds(60)

    public init() {}

    /// The number of connections for which this process can open enough files.
    ///
    /// With too few files, half of them are for connections.
    func connectionLimit(openFiles limit: (_ wanted: Int) -> Int) -> Int {
        let files = limit(connections * filesPerConnection + otherFiles)
        return max(1, min(connections, max(files - otherFiles, files / 2) / filesPerConnection))
    }

    /// The decoder's limits, which bound a head in memory. The exact limits are checked afterwards.
    var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = max(uriBytes, headerBytes) + 1
        limits.maxHeaderListSize = headerBytes + uriBytes + 1
        return limits
    }

    /// Returns the status that refuses a head; nil if it is within the limits.
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
