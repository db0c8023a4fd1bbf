import NIOHTTP1

/// The header fields of a single connection, which a proxy does not forward (RFC 9110, 7.6.1): those listed here, and
/// those that `Connection` names.
enum HopByHop {
    private static let always: Set = [
        "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "upgrade", "trailer",
        // For proxies that the client is configured for; this one is a reverse proxy.
        "proxy-authenticate", "proxy-authorization", "proxy-authentication-info",
    ]

    /// Returns the headers to forward, in order, without those in `others` (in lower case).
    static func removed(from headers: HTTPHeaders, and others: Set<String>) -> HTTPHeaders {
        let named = Set(headers[canonicalForm: "connection"].map { $0.lowercased() })
        var kept = HTTPHeaders()
        kept.reserveCapacity(headers.count)
        for (name, value) in headers {
            let lower = name.lowercased()
            guard !always.contains(lower), !others.contains(lower), !named.contains(lower), isToken(name),
                isValue(value)
            else { continue }
            kept.add(name: name, value: value)
        }
        return kept
    }

    /// Whether a text is a token (RFC 9110, 5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether a text has no control characters, such as line breaks, which would inject a field.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
