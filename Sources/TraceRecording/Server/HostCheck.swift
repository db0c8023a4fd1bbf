import NIOCore
import NIOHTTP1

/// A check that a request is meant for this server, so that web pages cannot reach it through the user's browser.
///
/// A server on loopback is reachable from every page that the user visits. The `Host` field shows a page whose name
/// points at 127.0.0.1 (DNS rebinding), and the `Origin` field shows a page that sends requests to another server.
struct HostCheck: Sendable {
    /// The accepted host names, without port, in lower case; nil for any name, if a secret path protects the server.
    let names: Set<String>?

    /// Accepts the usual names of loopback if `host` is one of them, and any name otherwise.
    init(listeningAt host: String) {
        let loopback: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
        let isLoopback = loopback.contains(host) || host == "::1" || host.hasPrefix("127.")
        names = isLoopback ? loopback.union([host.contains(":") ? "[\(host)]" : host]) : nil
    }

    /// Returns the status that refuses a request; nil if it is accepted.
    func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        let hosts = head.headers["host"]
        guard hosts.count <= 1, let host = hosts.first ?? (head.version == .http1_0 ? "" : nil) else {
            return .badRequest
        }
        if let names, !host.isEmpty, !names.contains(Self.name(of: host)) { return .misdirectedRequest }
        if let origin = head.headers.first(name: "origin"), origin.lowercased() != "http://\(host.lowercased())" {
            return .forbidden
        }
        return nil
    }

    /// Returns the host without port: `localhost` for `LocalHost:8080`, `[::1]` for `[::1]:80`.
    private static func name(of host: String) -> String {
        let host = host.lowercased()
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }
}
