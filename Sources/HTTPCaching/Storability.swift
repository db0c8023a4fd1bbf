/// Whether a private cache may store a response (RFC 9111, section 3), and why not.
public enum Storability: Sendable, Equatable {
    case storable
    case refused(Reason)

    public enum Reason: String, Sendable, CaseIterable {
        case method = "the method is neither GET nor a POST whose response is that of its URL"
        case interim = "the response is not final"
        case noStoreRequest = "the request has no-store"
        case noStore = "the response has no-store"
        case notUnderstood = "the response has must-understand, and its status is unknown"
        case varyAny = "Vary is *, and no entity tag can select the response"
        case requestOnly = "the status is about a range or a condition of this request alone"
        case notModified = "a 304 has no body of its own"
        case unstated = "neither the status nor a field allows a cache to store the response"
    }

    /// - Parameters:
    ///   - request: The request of the client.
    ///   - response: The head of the response.
    ///   - freshness: That of the response.
    public init(_ request: RequestHead, _ response: ResponseHead, _ freshness: ResponseFreshness) {
        self = Self.reason(request, response, freshness).map { .refused($0) } ?? .storable
    }

    private static func reason(_ request: RequestHead, _ response: ResponseHead, _ freshness: ResponseFreshness)
        -> Reason?
    {
        let directives = freshness.directives
        if !isStorableMethod(request, response, freshness) { return .method }
        if response.status < 200 { return .interim }
        if response.status == 304 { return .notModified }
        if response.status == 412 || response.status == 416 { return .requestOnly }
        if RequestDirectives(request.fields).noStore { return .noStoreRequest }
        if directives.mustUnderstand {
            // A cache that understands the status ignores no-store beside must-understand (section 5.2.2.3).
            if !understood.contains(response.status) { return .notUnderstood }
        } else if directives.noStore {
            return .noStore
        }
        // No request matches it, but the origin can select it by a 304 (section 4.1).
        if VaryKey.isAny(response.fields), Validators(response).tag?.isValid != true { return .varyAny }
        let isStated =
            directives.isPublic || directives.isPrivate || response.fields.contains("Expires")
            || directives.maxAge != nil || FreshnessLifetime.heuristicStatuses.contains(response.status)
        return isStated ? nil : .unstated
    }

    /// A response to POST is stored for GET if it says so (RFC 9110, section 9.3.3).
    private static func isStorableMethod(
        _ request: RequestHead, _ response: ResponseHead, _ freshness: ResponseFreshness
    ) -> Bool {
        if request.method == "GET" { return true }
        guard request.method == "POST", (200..<300).contains(response.status), response.status != 206,
            freshness.lifetime.source == .maxAge || freshness.lifetime.source == .expires,
            let location = response.fields.first("Content-Location")
        else { return false }
        return ResourceKey.sameOrigin(location, of: request.url) == ResourceKey.key(request.url)
    }

    /// The statuses whose requirements on caches this cache follows (RFC 9110, section 15).
    private static let understood: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410,
        411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 500, 501, 502, 503, 504, 505,
    ]
}

/// The fields of a request that `Vary` of its response names (RFC 9111, section 4.1).
public struct VaryKey: Sendable, Hashable {
    /// Names in lower case with normalised values, sorted; a value is nil if the request lacks the field.
    private var values: [String: [String]?]
    /// `Vary` has `*`, which no request matches.
    public private(set) var isAny = false

    /// - Parameters:
    ///   - response: The fields of the response, with `Vary`.
    ///   - request: The fields of its request.
    public init(_ response: HeaderFields, request: HeaderFields) {
        values = [:]
        for name in Self.names(response) {
            if name == "*" { isAny = true } else { values[name] = .some(Self.normalised(name, request)) }
        }
    }

    public func matches(_ request: HeaderFields) -> Bool {
        !isAny && values.allSatisfy { name, value in value == Self.normalised(name, request) }
    }

    /// Whether `Vary` has `*`, which no request matches.
    public static func isAny(_ response: HeaderFields) -> Bool { names(response).contains("*") }

    private static func names(_ response: HeaderFields) -> [String] {
        (response.combined("Vary").map { listItems($0) } ?? []).map { $0.lowercased() }
    }

    /// The members of the field's list: the number of lines and the white space between members have no meaning. The
    /// order and the case of languages have none either (RFC 9110, section 12.5.4).
    private static func normalised(_ name: String, _ request: HeaderFields) -> [String]? {
        guard let text = request.combined(name) else { return nil }
        let items = listItems(text)
        return name == "accept-language" ? items.map { $0.lowercased() }.sorted() : items
    }
}
