import NIOCore
import NIOHTTP1

/// A client's request for the upstream.
struct UpstreamRequest: Sendable {
    enum Body: Sendable, Equatable {
        case none
        case announced(Int)
        /// A body of unknown length, sent in chunks.
        case streamed
    }

    var method: HTTPMethod
    var url: String
    var headers: HTTPHeaders
    var body: Body
}

extension UpstreamRequest {
    /// Converts a client's request. ``RequestGuard`` has limited its size.
    ///
    /// - Throws: ``RequestRefusal`` for requests that a reverse proxy does not forward.
    init(_ head: HTTPRequestHead, _ options: ProxyOptions, client: SocketAddress?) throws {
        method = head.method
        guard method != .CONNECT, head.uri.hasPrefix("/") else {
            throw RequestRefusal(
                .badRequest,
                "This is a proxy only for \(options.upstream.text): request paths such as /photo.jpg, as from that "
                    + "server; do not set it as the system's HTTP proxy.")
        }
        guard head.uri.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw RequestRefusal(.badRequest, "The URL of the request contains an invalid byte.")
        }
        url = options.upstream.text + head.uri
        headers = HopByHop.removed(from: head.headers, and: ["host", "content-length", "expect"])
        if options.addsForwardedFields { Self.addForwarded(&headers, head, client) }
        body = try Self.body(head)
    }

    private static func body(_ head: HTTPRequestHead) throws -> Body {
        if head.headers.contains(name: "transfer-encoding") { return .streamed }
        guard let length = head.headers.first(name: "content-length") else { return .none }
        guard let count = Int(length), count >= 0 else {
            throw RequestRefusal(.badRequest, "Content-Length is not a length.")
        }
        return .announced(count)
    }

    private static func addForwarded(_ headers: inout HTTPHeaders, _ head: HTTPRequestHead, _ client: SocketAddress?) {
        if let address = client?.ipAddress {
            let before = headers["x-forwarded-for"]
            headers.replaceOrAdd(name: "X-Forwarded-For", value: (before + [address]).joined(separator: ", "))
        }
        if let host = head.headers.first(name: "host") { headers.replaceOrAdd(name: "X-Forwarded-Host", value: host) }
        headers.replaceOrAdd(name: "X-Forwarded-Proto", value: "http")
    }
}
