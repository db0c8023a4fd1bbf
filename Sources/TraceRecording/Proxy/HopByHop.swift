import NIOHTTP1

/// Header fields that concern one connection and are not passed on (RFC 9110, 7.6.1): those named here, and those that
/// `Connection` names.
enum HopByHop {
    private static let always: Set = [
        "connection", "proxy-connection", "keep-alive", "te", "transfer-encoding", "upgrade", "trailer",
        // For proxies that the client knows to be one, which this is not.
        "proxy-authenticate", "proxy-authorization", "proxy-authentication-info",
    ]

    /// Those of `headers` that go on, in their order, but for those in `others` (in lower case).
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

    /// RFC 9110, 5.6.2.
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

    /// No control character, and so no line break by which a field could become two.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
