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
package struct HostCheck: Sendable {
    /// The pages that can send requests.
    package enum Pages: Sendable {
        /// The pages of this server, and the pages of allowed names.
        case own
        /// Also pages of the same host at any port, and pages of this machine (`localhost`, 127.0.0.0/8, `[::1]`). An
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
    package init(listeningAt host: String, allowed: [HostName] = [], acceptsAnyHost: Bool = false, pages: Pages) {
        listening = HostName(host)
        self.allowed = Set(allowed)
        self.acceptsAnyHost = acceptsAnyHost
        self.pages = pages
    }

    /// Whether a server at this host is reachable only from this machine.
    package static func isLoopback(_ host: String) -> Bool {
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

/// The name or the address of a host, without scheme and port: `phone.local`, `127.0.0.1`, `[::1]`.
public struct HostName: Sendable, Hashable, CustomStringConvertible {
    /// In lower case; an IPv6 address in brackets.
    public let description: String

    /// Returns nil if the text is not a host name or an IP address.
    public init?(_ text: String) { self.init(text[...]) }

    init?(_ text: Substring) {
        guard text.utf8.count <= 255, Self.isValid(text) else { return nil }
        description = text.lowercased()
    }

    /// Returns the host of `name` or `name:port`, as in the `Host` field of a request; nil if it is invalid. A dot at
    /// the end of a name is dropped.
    init?(authority: Substring) {
        let (host, port) = Self.split(authority)
        guard port?.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ?? true else { return nil }
        self.init(host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...])
    }

    /// Returns the parts of `name` or `name:port`. The colons of an IPv6 address are in brackets.
    private static func split(_ authority: Substring) -> (host: String, port: Substring?) {
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            !authority.utf8[colon...].contains(UInt8(ascii: "]"))
        else { return (String(authority), nil) }
        return (String(authority[..<colon]), authority[authority.index(after: colon)...])
    }

    /// Whether the host is an IP address. No name resolves to it, so that it cannot be the name of another site.
    var isAddress: Bool {
        let isBracketed = description.utf8.first == UInt8(ascii: "[")
        let text = isBracketed ? description.dropFirst().prefix { $0 != "%" && $0 != "]" } : description[...]
        return isBracketed == text.utf8.contains(UInt8(ascii: ":"))
            && (try? SocketAddress(ipAddress: String(text), port: 0)) != nil
    }

    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    var isLoopback: Bool {
        description == "localhost" || description == "[::1]" || description.hasPrefix("127.") && isAddress
    }

    private static func isValid(_ host: Substring) -> Bool {
        let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        let name = isBracketed ? host.dropFirst().dropLast() : host
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: isBracketed && (byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%"))
                }
            }
    }
}
