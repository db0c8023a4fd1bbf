import NIOCore

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
    static func split(_ authority: Substring) -> (host: String, port: Substring?) {
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
