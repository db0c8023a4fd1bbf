import HTTPCaching

/// The validators of a response: what a client sends to ask whether the response that it has stored is still current
/// (RFC 9110, section 8.8), and how an origin answers (section 13.1).
///
/// An entity tag is sent as it was received, with or without quotes. A tag that a header field cannot hold, and a date
/// that is none, are no validators.
package struct HTTPValidators: Sendable, Equatable {
    /// The value of `ETag`.
    package let entityTag: String?
    /// The value of `Last-Modified`, which is a date.
    package let lastModified: String?

    package init(_ headers: [HTTPField]) {
        entityTag = headers.last { $0.name == "etag" && Self.isSendable($0.value) }?.value
        lastModified =
            headers.last {
                $0.name == "last-modified" && HTTPDate.microseconds($0.value) != nil && Self.isSendable($0.value)
            }?.value
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// The header fields that make a request conditional; none without validators.
    package var conditions: [HTTPField] {
        [
            entityTag.map { HTTPField("if-none-match", $0) },
            lastModified.map { HTTPField("if-modified-since", $0) },
        ].compactMap(\.self)
    }

    /// Whether an origin whose current response has these validators answers a request with 304.
    ///
    /// `If-None-Match` takes precedence, and tags are compared weakly (RFC 9110, section 13.1.2). A date in
    /// `If-Modified-Since` that is none has no effect (section 13.1.3).
    package func confirm(_ conditions: [HTTPField]) -> Bool {
        func value(_ name: String) -> String? { conditions.last { $0.name == name }?.value }
        if let tags = value("if-none-match") {
            if tags == "*" { return true }
            guard let own = entityTag.map(Self.opaque) else { return false }
            return Self.list(tags).contains { Self.opaque($0) == own }
        }
        guard let since = value("if-modified-since").flatMap(HTTPDate.microseconds),
            let modified = lastModified.flatMap(HTTPDate.microseconds)
        else { return false }
        return modified <= since
    }

    /// Whether a header field can hold the value: visible ASCII of at most 4 KiB.
    package static func isSendable(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.count <= 4096 && value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    /// The tag without its mark of weakness.
    private static func opaque(_ tag: some StringProtocol) -> String {
        tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : String(tag)
    }

    /// The members of a list of tags. A comma within quotes belongs to its tag.
    private static func list(_ text: String) -> [Substring] {
        var isQuoted = false
        let members = text.split {
            if $0 == "\"" { isQuoted.toggle() }
            return $0 == "," && !isQuoted
        }
        return members.map { member in
            var member = member.drop { $0 == " " }
            while member.last == " " { member.removeLast() }
            return member
        }
    }
}

/// The dates of recorded headers.
package enum HTTPDate {
    /// Returns microseconds since 1970, or nil if the text is no date of RFC 9110. A year of two digits is at most 50
    /// years after 2026.
    package static func microseconds(_ text: String) -> Int64? { HTTPDates.microseconds(text, now: start2026) }

    private static let start2026: Int64 = 1_767_225_600_000_000
}
