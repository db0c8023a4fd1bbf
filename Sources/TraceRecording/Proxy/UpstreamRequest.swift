import CCurl
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

/// The server that a proxy forwards requests to: a scheme, a host and a port.
public struct UpstreamAddress: Sendable, Equatable {
    public let scheme: String
    /// In lower case; an IPv6 address in brackets.
    public let host: String
    /// The port; nil for that of the scheme.
    public let port: Int?

    /// Parses `https://images.example.com` or `http://[::1]:8080/`.
    ///
    /// - Throws: ``ProxyError`` for texts with other parts, or without these.
    public init(_ text: String) throws {
        func refuse(_ why: String) -> ProxyError {
            ProxyError(
                kind: .badUpstream,
                description:
                    "--upstream \(text): \(why); write it as https://images.example.com or http://127.0.0.1:8080.")
        }
        guard let separator = text.firstRange(of: "://") else { throw refuse("the scheme is missing") }
        scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw refuse("'\(scheme)' is neither http nor https") }
        var rest = text[separator.upperBound...]
        if rest.hasSuffix("/") { rest.removeLast() }
        guard !rest.contains(where: { "/?#".contains($0) }) else {
            throw refuse("a path cannot be part of it, because the paths of requests are forwarded unchanged")
        }
        guard !rest.contains("@") else {
            throw refuse("a user name or password cannot be part of it; let the app send them")
        }
        let (text, port) = HostName.split(rest)
        guard let host = HostName(text) else { throw refuse("the host is missing or invalid") }
        self.host = host.description
        if let port {
            guard let number = Int(port), (1...65_535).contains(number) else { throw refuse("'\(port)' is not a port") }
            self.port = number == Self.standardPort(scheme) ? nil : number
        } else {
            self.port = nil
        }
    }

    /// The URL without a slash at the end: `https://images.example.com`.
    public var text: String { "\(scheme)://\(authority)" }

    /// The value of a `Host` field.
    var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// Converts a `Location` for clients of the proxy. A URL at the upstream becomes a path, which the client resolves
    /// at the proxy, whatever name it uses for it. Other URLs do not change.
    func rewritten(location: String) -> String {
        var rest = location[...]
        if let separator = rest.firstRange(of: "://") {
            guard rest[..<separator.lowerBound].lowercased() == scheme else { return location }
            rest = rest[separator.upperBound...]
        } else if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
        } else {
            return location
        }
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let (host, port) = HostName.split(rest[..<end])
        let number = port.flatMap { Int($0) } ?? Self.standardPort(scheme)
        guard host.lowercased() == self.host, number == self.port ?? Self.standardPort(scheme) else { return location }
        let target = String(rest[end...])
        // Two slashes at the beginning would be a host.
        guard !target.hasPrefix("//") else { return "/." + target }
        return target.hasPrefix("/") ? target : "/" + target
    }

    private static func standardPort(_ scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}

/// The reason why a response of the upstream is missing or incomplete, with the status and the text for the client.
struct UpstreamFailure: Error, Sendable {
    var status: HTTPResponseStatus
    var sentence: String

    static func stalled(_ limit: Duration) -> UpstreamFailure {
        UpstreamFailure(status: .gatewayTimeout, sentence: "The upstream made no progress for \(limit).")
    }

    init(status: HTTPResponseStatus, sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    init(_ code: CURLcode, _ detail: String, _ upstream: UpstreamAddress) {
        let host = upstream.host
        let what =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: "\(upstream.authority) did not answer in time"
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: "the name \(host) is unknown"
            case CURLE_COULDNT_CONNECT: "no server listens at \(upstream.authority)"
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: "\(upstream.authority) broke the connection"
            case CURLE_PARTIAL_FILE: "\(upstream.authority) sent less than it announced"
            case CURLE_PEER_FAILED_VERIFICATION:
                """
                the certificate of \(host) is not trusted (for a test server, use --cacert with its certificate, or \
                --insecure)
                """
            case CURLE_SSL_CONNECT_ERROR: "a secure connection to \(upstream.authority) failed"
            default: "the request to \(upstream.authority) failed"
            }
        let reason = detail.isEmpty ? "" : " (\(detail))"
        self.init(
            status: code == CURLE_OPERATION_TIMEDOUT ? .gatewayTimeout : .badGateway,
            sentence: "Upstream: \(what)\(reason).")
    }
}
