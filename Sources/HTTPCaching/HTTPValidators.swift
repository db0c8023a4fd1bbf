/// The validators of a response: what a client sends to ask whether the response that it has stored is still current
/// (RFC 9110, section 8.8), and how an origin answers (section 13.1).
///
/// An entity tag is sent as it was received, with or without quotation marks. A tag that a header field cannot hold,
/// and a text that is no date, are no validators. Of several fields of a name, the last valid one counts.
public struct HTTPValidators: Sendable, Equatable {
    /// The value of `ETag`.
    public let entityTag: String?
    /// The value of `Last-Modified`, which is a date.
    public let lastModified: String?

    public init(_ headers: [HTTPField]) {
        entityTag = headers.last { $0.name == "etag" && Self.isSendable($0.value) }?.value
        lastModified =
            headers.last {
                $0.name == "last-modified" && HTTPDates.microseconds($0.value) != nil && Self.isSendable($0.value)
            }?.value
    }

    private init(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    public var withoutDate: HTTPValidators { HTTPValidators(entityTag: entityTag, lastModified: nil) }

    public var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// The header fields that make a request conditional (RFC 9111, section 4.3.1); none without validators.
    public var conditions: [HTTPField] {
        [
            entityTag.map { HTTPField("if-none-match", $0) },
            lastModified.map { HTTPField("if-modified-since", $0) },
        ].compactMap(\.self)
    }

    /// Whether an origin whose current response has these validators answers a request with 304.
    ///
    /// `If-None-Match` takes precedence, and tags are compared weakly (RFC 9110, section 13.1.2). An
    /// `If-Modified-Since` that is no date has no effect (section 13.1.3).
    public func confirm(_ conditions: [HTTPField]) -> Bool {
        func value(_ name: String) -> String? { conditions.last { $0.name == name }?.value }
        if let tags = value("if-none-match") {
            if tags == "*" { return true }
            guard let own = entityTag.map(Self.opaque) else { return false }
            // One tag is what caches send. Only a list is taken apart.
            guard tags.utf8.contains(UInt8(ascii: ",")) else { return Self.opaque(tags.trimmed) == own }
            return listItems(tags, hasEscapes: false).contains { Self.opaque($0) == own }
        }
        guard let since = value("if-modified-since").flatMap({ HTTPDates.microseconds($0) }),
            let modified = lastModified.flatMap({ HTTPDates.microseconds($0) })
        else { return false }
        return modified <= since
    }

    /// Whether a header field can hold the value: visible ASCII of at most 4 KiB.
    static func isSendable(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= 4096 && value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    /// Whether a tag is in quotation marks, as it must be (RFC 9110, section 8.8.3).
    static func isQuoted(_ tag: String) -> Bool {
        let opaque = opaque(tag)
        return opaque.count >= 2 && opaque.first == "\"" && opaque.last == "\""
    }

    /// The tag without its mark of weakness.
    private static func opaque(_ tag: some StringProtocol) -> String {
        tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : String(tag)
    }
}
