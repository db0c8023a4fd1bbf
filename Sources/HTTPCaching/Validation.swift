/// An entity tag (RFC 9110, section 8.8.3). A text that is none is kept as it is, and equals only itself.
public struct EntityTag: Sendable, Hashable {
    /// As it came.
    public let text: String
    public let isWeak: Bool
    /// Whether it is in quotation marks, as it must be.
    public let isValid: Bool

    public init(_ text: String) {
        self.text = String(text.trimmed)
        isWeak = self.text.hasPrefix("W/")
        let opaque = isWeak ? self.text.dropFirst(2) : self.text[...]
        isValid = opaque.utf8.count >= 2 && opaque.first == "\"" && opaque.last == "\""
    }

    /// The tag within, without `W/`.
    private var opaque: Substring { isWeak ? text.dropFirst(2) : text[...] }

    /// Section 8.8.3.2.
    public func equalsWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    public func equalsStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && text == other.text }

    public var isStrong: Bool { isValid && !isWeak }
}

/// What a stored response can be validated with (RFC 9110, section 8.8).
public struct Validators: Sendable, Equatable {
    public var tag: EntityTag?
    /// As it came, which is what a request sends back.
    public var lastModified: String?

    public init(_ response: ResponseHead) {
        tag = response.fields.first("ETag").flatMap { $0.isEmpty ? nil : EntityTag($0) }
        lastModified = response.fields.first("Last-Modified").flatMap { $0.isEmpty ? nil : $0 }
    }

    public var isEmpty: Bool { tag == nil && lastModified == nil }

    /// The fields of a conditional request: `If-None-Match` and `If-Modified-Since`, as far as the response has
    /// validators (RFC 9111, section 4.3.1).
    public var conditions: HeaderFields {
        var fields = HeaderFields()
        if let tag { fields.append("If-None-Match", tag.text) }
        if let lastModified { fields.append("If-Modified-Since", lastModified) }
        return fields
    }
}

enum Preconditions {
    /// The conditions that a cache evaluates (RFC 9111, section 4.3.2). `If-Match` and `If-Unmodified-Since` are for
    /// the origin.
    static let names = ["If-None-Match", "If-Modified-Since"]

    static func isConditional(_ request: HeaderFields) -> Bool { names.contains { request.contains($0) } }

    /// Whether the client, which sent conditions, has the stored response already.
    static func clientHas(_ stored: ResponseHead, _ request: HeaderFields, received: Int64) -> Bool {
        if let text = request.combined("If-None-Match") {
            let tags = listItems(text)
            if tags == ["*"] { return true }
            guard let tag = Validators(stored).tag else { return false }
            return tags.contains { EntityTag($0).equalsWeakly(tag) }
        }
        guard let text = request.first("If-Modified-Since"), let since = HTTPDates.microseconds(text, now: received)
        else { return false }
        var oddities = HTTPOddities()
        let date = HTTPDates.date(of: stored, received: received, oddities: &oddities)
        let modified = stored.fields.first("Last-Modified").flatMap { HTTPDates.microseconds($0, now: received) }
        return (modified ?? date) <= since
    }

    /// A 304 for the client: the fields that it must have, and no other metadata (RFC 9110, section 15.4.5).
    static func notModified(_ stored: ResponseHead) -> ResponseHead {
        let kept = ["Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary", "Age", "Last-Modified"]
        return ResponseHead(
            304, HeaderFields(stored.fields.filter { field in kept.contains { isSame($0, field.name) } }))
    }
}

extension ResponseHead {
    /// Updates a stored head with that of a 304, or of a response to HEAD (RFC 9111, sections 3.2 and 4.3.4).
    ///
    /// `Content-Length` stays, because the stored body does, and so does `Content-Range` of a part. A `Date` or an
    /// `Age` of the older response says nothing about the newer one, and is removed.
    mutating func update(with newer: ResponseHead) {
        let kept = status == 206 ? ["Content-Length", "Content-Range"] : ["Content-Length"]
        let fields = newer.fields.withoutConnectionFields.filter { field in !kept.contains { isSame($0, field.name) } }
        self.fields.remove("Age")
        self.fields.remove("Date")
        for field in fields { self.fields.remove(field.name) }
        for field in fields { self.fields.append(field.name, field.value) }
    }

    /// Whether a 304 can be about this stored response (RFC 9111, section 4.3.4).
    func isMeant(by notModified: ResponseHead) -> Bool {
        let (own, other) = (Validators(self), Validators(notModified))
        if let tag = other.tag {
            guard let ownTag = own.tag else { return false }
            return tag.isWeak ? tag.equalsWeakly(ownTag) : tag.text == ownTag.text
        }
        return other.lastModified == nil || other.lastModified == own.lastModified
    }
}
