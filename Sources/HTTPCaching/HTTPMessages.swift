import Foundation

/// The head of a request, as a client makes it or as a cache sends it on.
public struct RequestHead: Sendable, Hashable {
    /// What the client wants of the cache beside the fields of the request.
    public enum Mode: Sendable {
        case standard
        /// As a reload: the cache validates a stored response before its use, fresh or not. A fresh response that is
        /// `immutable` is an exception (RFC 8246). `no-cache` of the Fetch standard.
        case validate
    }

    public var method: String
    public var url: String
    public var fields: HeaderFields
    public var mode: Mode

    public init(_ url: String, method: String = "GET", fields: HeaderFields = [], mode: Mode = .standard) {
        self.url = url
        self.method = method
        self.fields = fields
        self.mode = mode
    }

    /// Whether the method has no effect on the server (RFC 9110, section 9.2.1). An unknown method is not safe.
    public var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
}

/// The head of a response.
public struct ResponseHead: Sendable, Hashable {
    public var status: Int
    public var fields: HeaderFields

    public init(_ status: Int, _ fields: HeaderFields = []) {
        self.status = status
        self.fields = fields
    }
}

/// The key of a stored response: a URL without its fragment.
enum ResourceKey {
    static func key(_ url: String) -> String { String(url.prefix { $0 != "#" }) }

    /// The key of a reference within a response of `base`, if both have one origin (RFC 9111, section 4.4).
    static func sameOrigin(_ reference: String, of base: String) -> String? {
        guard let base = URL(string: base), let target = URL(string: reference, relativeTo: base)?.absoluteURL,
            origin(base) == origin(target)
        else { return nil }
        return key(target.absoluteString)
    }

    private static func origin(_ url: URL) -> [String]? {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else { return nil }
        return [scheme, host, String(url.port ?? (scheme == "https" ? 443 : 80))]
    }
}
