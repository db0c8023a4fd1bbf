/// The directives of a response that matter to the cache of one user (RFC 9111, section 5.2.2; RFC 5861; RFC 8246).
/// `private` allows storing, and `s-maxage` and `proxy-revalidate` are for shared caches.
///
/// Of a directive that occurs twice, the first counts (section 4.2.1). A lifetime that is no number is 0, so the
/// response is stale.
public struct ResponseDirectives: Sendable, Equatable {
    public var noStore = false
    /// The response is validated before each use. `no-cache="set-cookie"`, which names fields, has no effect.
    public var noCache = false
    public var mustRevalidate = false
    public var isImmutable = false
    /// Seconds; nil without the directive.
    public var maxAge: Int64?
    public var staleWhileRevalidate: Int64?
    public var staleIfError: Int64?

    /// - Parameter text: The combined value of `Cache-Control`, such as `max-age=60, no-transform`.
    public init(_ text: String) {
        for item in listItems(text) {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            add(sides[0].lowercased(), sides.count > 1 ? Self.unquoted(sides[1]) : nil)
        }
    }

    /// - Parameters:
    ///   - name: In lower case.
    ///   - value: Without quotation marks; nil without `=`.
    private mutating func add(_ name: String, _ value: String?) {
        switch name {
        case "no-store": noStore = true
        case "no-cache": if value.map({ listItems($0).isEmpty }) ?? true { noCache = true }
        case "must-revalidate": mustRevalidate = true
        case "immutable": isImmutable = true
        case "max-age": set(\.maxAge, value)
        case "stale-while-revalidate": set(\.staleWhileRevalidate, value)
        case "stale-if-error": set(\.staleIfError, value)
        default: break
        }
    }

    private mutating func set(_ path: WritableKeyPath<ResponseDirectives, Int64?>, _ value: String?) {
        if self[keyPath: path] == nil { self[keyPath: path] = value.flatMap { deltaSeconds($0) } ?? 0 }
    }

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
