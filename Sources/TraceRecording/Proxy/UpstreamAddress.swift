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
