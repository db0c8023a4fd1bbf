/// One directive of `Cache-Control`.
struct CacheDirective: Equatable {
    /// In lower case.
    var name: String
    /// Without quotation marks; nil without `=`.
    var value: String?

    /// Reads `max-age=60, no-cache="a, b"` (RFC 9111, section 5.2). What is no directive is left out, and `isValid`
    /// becomes false.
    static func list(_ text: String, isValid: inout Bool) -> [CacheDirective] {
        listItems(text).compactMap { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard isToken(sides[0]) else {
                isValid = false
                return nil
            }
            return CacheDirective(name: sides[0].lowercased(), value: sides.count > 1 ? unquoted(sides[1]) : nil)
        }
    }

    /// Seconds (RFC 9111, section 1.2.2); nil if the value is no such number. A number that is too large becomes 2^31.
    var seconds: Int64? { value.flatMap(deltaSeconds) }

    private static func unquoted(_ text: Substring) -> String {
        guard text.utf8.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

/// RFC 9110, section 5.6.2.
func isToken(_ text: some StringProtocol) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercase(byte))
                || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
}

func deltaSeconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int64(text) ?? .max, 1 << 31)
}

/// The directives of a response that matter to the cache of one user (RFC 9111, section 5.2.2; RFC 5861; RFC 8246).
/// `private` allows storing, and `s-maxage` and `proxy-revalidate` are for shared caches.
///
/// Of a directive that occurs twice, the first counts (section 4.2.1). A lifetime that is no number is 0, so the
/// response is stale.
public struct ResponseDirectives: Sendable, Equatable {
    public var noStore = false
    /// The response is validated before each use.
    public var noCache = false
    /// The fields that are left out of a response from the store: `no-cache="set-cookie"`.
    public var noCacheFields: [String] = []
    public var mustRevalidate = false
    public var mustUnderstand = false
    public var isPrivate = false
    public var isPublic = false
    public var immutable = false
    /// Seconds; nil without the directive.
    public var maxAge: Int64?
    public var staleWhileRevalidate: Int64?
    public var staleIfError: Int64?
    /// Something in the text is no directive, or has an invalid value.
    public var isValid = true

    /// - Parameter text: The combined value of `Cache-Control`.
    public init(_ text: String) {
        for directive in CacheDirective.list(text, isValid: &isValid) { add(directive) }
    }

    /// - Parameters:
    ///   - fields: The fields of a response.
    ///   - targets: The fields of targeted caching (RFC 9213) that concern this cache, for example
    ///     `Example-Cache-Control`. The first that is present and valid replaces `Cache-Control`. A private cache of a
    ///     client has none unless its maker defines one; `CDN-Cache-Control` is for others.
    public init(_ fields: HeaderFields, targets: [String] = []) {
        for target in targets {
            guard let text = fields.combined(target) else { continue }
            let directives = ResponseDirectives(text)
            if directives.isValid, !text.trimmed.isEmpty {
                self = directives
                return
            }
        }
        self.init(fields.combined("Cache-Control") ?? "")
    }

    private mutating func add(_ directive: CacheDirective) {
        switch directive.name {
        case "no-store": noStore = true
        case "no-cache":
            let names = directive.value.map { listItems($0) } ?? []
            if names.isEmpty { noCache = true } else { noCacheFields += names }
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "private": isPrivate = true
        case "public": isPublic = true
        case "immutable": immutable = true
        case "max-age": set(\.maxAge, directive)
        case "stale-while-revalidate": set(\.staleWhileRevalidate, directive)
        case "stale-if-error": set(\.staleIfError, directive)
        default: break
        }
    }

    private mutating func set(_ path: WritableKeyPath<ResponseDirectives, Int64?>, _ directive: CacheDirective) {
        let seconds = directive.seconds
        if seconds == nil { isValid = false }
        if self[keyPath: path] == nil { self[keyPath: path] = seconds ?? 0 }
    }
}

/// The directives of a request (RFC 9111, section 5.2.1). `Pragma` has no effect: RFC 9111 deprecates it.
public struct RequestDirectives: Sendable, Equatable {
    public var noStore = false
    public var noCache = false
    public var onlyIfCached = false
    /// Seconds; nil without the directive.
    public var maxAge: Int64?
    /// Seconds; the largest number without a value.
    public var maxStale: Int64?
    public var minFresh: Int64?
    public var staleIfError: Int64?

    public init(_ text: String) {
        var isValid = true
        for directive in CacheDirective.list(text, isValid: &isValid) {
            switch directive.name {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "only-if-cached": onlyIfCached = true
            // A limit that is no number limits as far as possible.
            case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
            case "min-fresh": minFresh = minFresh ?? directive.seconds ?? 1 << 31
            case "max-stale": maxStale = maxStale ?? (directive.value == nil ? 1 << 31 : directive.seconds ?? 0)
            case "stale-if-error": staleIfError = staleIfError ?? directive.seconds ?? 0
            default: break
            }
        }
    }

    public init(_ fields: HeaderFields) { self.init(fields.combined("Cache-Control") ?? "") }
}
