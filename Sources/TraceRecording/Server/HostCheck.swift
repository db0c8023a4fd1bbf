import NIOCore
import NIOHTTP1

/// A check that a request is meant for this server, so that web pages cannot reach it through the user's browser.
///
/// A server of this machine is reachable from every page that the user visits. The `Host` field shows a page whose name
/// points at this machine (DNS rebinding), and the `Origin` field shows a page that sends requests to another server.
///
/// - Accepted hosts are `localhost`, IP addresses, the host that the server listens at, and the allowed names. An IP
///   address cannot be rebound, because no name is resolved. The port is not compared, because tunnels change it.
/// - A request has exactly one `Host` field. A request of HTTP/1.0 can have none: no browser sends HTTP/1.0.
/// - The `Origin` field is optional. If a request has one, it names an accepted page (``Pages``).
///
/// Requests whose target is not a path (`GET http://…`, `CONNECT`, `*`) name their server themselves, and the handlers
/// of all servers refuse them. For these, only the number of `Host` fields and the `Origin` are checked.
struct HostCheck: Sendable {
    /// The pages that can send requests.
    enum Pages: Sendable {
        /// The pages of this server, and those of allowed names.
        case own
        /// Those, pages of the same host at any port, and pages of this machine (`localhost`, 127.0.0.0/8, `[::1]`). An
        /// app on a local web server or in a web view is such a page.
        case local
    }

    private let listening: HostName?
    /// The names of sites that are accepted, as hosts and as pages.
    private let allowed: Set<HostName>
    private let acceptsAnyHost: Bool
    private let pages: Pages

    /// - Parameters:
    ///   - host: The host that the server listens at.
    ///   - acceptsAnyHost: Whether every host is accepted, because a secret path protects the server.
    init(listeningAt host: String, allowed: [HostName] = [], acceptsAnyHost: Bool = false, pages: Pages) {
        listening = HostName(host)
        self.allowed = Set(allowed)
        self.acceptsAnyHost = acceptsAnyHost
        self.pages = pages
    }

    /// Whether a server at this host is reachable only from this machine.
    static func isLoopback(_ host: String) -> Bool {
        HostName(host.contains(":") ? "[\(host)]" : host)?.isLoopback ?? false
    }

    /// Returns the response that refuses a request; nil if it is accepted.
    ///
    /// - Parameter accepted: The `Host` field of an earlier request of the connection, which is not checked again. This
    ///   method updates it.
    func refusal(of head: HTTPRequestHead, accepted: inout String?) -> RequestRefusal? {
        let hosts = head.headers["host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0 else {
            return RequestRefusal(
                .badRequest, "The request has \(hosts.count) Host fields. Send exactly one, such as Host: localhost.")
        }
        if let host = hosts.first, host != accepted, head.uri.hasPrefix("/") {
            if let refusal = refusal(ofHost: host) { return refusal }
            accepted = host
        }
        for origin in head.headers["origin"] where !accepts(origin: origin, host: hosts.first) {
            return Self.refusal(ofOrigin: origin)
        }
        return nil
    }

    private func refusal(ofHost text: String) -> RequestRefusal? {
        guard let host = HostName(authority: text[...]) else {
            return RequestRefusal(
                .badRequest, "The Host field is not a host name with an optional port, such as localhost:8080.")
        }
        let isAccepted =
            acceptsAnyHost || host.isLoopback || host.isAddress || host == listening || allowed.contains(host)
        guard !isAccepted else { return nil }
        return RequestRefusal(
            .misdirectedRequest,
            """
            The host \(host) is not accepted, because a web page of any site can have a name that points at this \
            machine. Use localhost or an IP address, or start the server with --allow-host \(host).
            """)
    }

    private func accepts(origin: String, host: String?) -> Bool {
        guard let scheme = origin.firstRange(of: "://") else { return false }
        let authority = origin[scheme.upperBound...].lowercased()
        if authority == host?.lowercased() { return true }
        guard let name = HostName(authority: authority[...]) else { return false }
        if allowed.contains(name) { return true }
        return pages == .local && (name.isLoopback || name == host.flatMap { HostName(authority: $0[...]) })
    }

    private static func refusal(ofOrigin origin: String) -> RequestRefusal {
        let authority = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? ""
        guard let name = HostName(authority: authority) else {
            return RequestRefusal(
                .forbidden, "The Origin field names no site. Open the page from http://localhost, or send no Origin.")
        }
        return RequestRefusal(
            .forbidden,
            "Requests of pages of \(name) are not accepted. To accept them, start the server with --allow-host \(name)."
        )
    }
}
