import NIOCore
import NIOHTTP1

/// Whether a request was meant for this server: a page elsewhere on the web must not reach it through the user's
/// browser.
///
/// A server on loopback is open to every page that the user visits. One whose name is made to point at 127.0.0.1 (DNS
/// rebinding) betrays itself by the `Host` field; one that just sends requests here does by its `Origin`.
struct HostCheck: Sendable {
    /// Names by which the server may be called, without port, in lower case; nil: by any, as whoever knows the secret
    /// path may ask.
    let names: Set<String>?

    /// The usual names of loopback where `host` is one of them; any name otherwise.
    init(listeningAt host: String) {
        let loopback: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
        let isLoopback = loopback.contains(host) || host == "::1" || host.hasPrefix("127.")
        names = isLoopback ? loopback.union([host.contains(":") ? "[\(host)]" : host]) : nil
    }

    /// The status that refuses the request; nil where it may pass.
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

    /// `LocalHost:8080` is `localhost`, `[::1]:80` is `[::1]`.
    private static func name(of host: String) -> String {
        let host = host.lowercased()
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }
}
