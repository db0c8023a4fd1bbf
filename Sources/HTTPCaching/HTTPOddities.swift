/// What is wrong with responses. A cache goes on with each of them, and counts it.
public enum HTTPOddity: String, Sendable, CaseIterable {
    /// An entity tag that is not in quotation marks. It is sent back as it came.
    case unquotedEntityTag = "ETag without quotation marks"
    /// The time of the response replaces it.
    case invalidDate = "invalid Date"
    /// The response is stale.
    case invalidExpires = "invalid Expires"
    /// No lifetime is estimated.
    case invalidLastModified = "invalid Last-Modified"
    /// `Expires` or `Last-Modified` is at or before the start of 1970: the server has no date. The response is stale.
    case dateOf1970 = "date of 1970"
    /// It counts as 0.
    case invalidAge = "invalid Age"
    /// What is no directive is ignored; a lifetime that is no number is 0.
    case invalidCacheControl = "invalid Cache-Control"
    /// A 304 that fits no stored response. The request is sent again without conditions.
    case unmatchedNotModified = "304 without a stored body"
    /// A 206 whose `Content-Range` is missing or not that of its body.
    case invalidContentRange = "invalid Content-Range"
    /// A body that is shorter than announced.
    case incompleteBody = "incomplete body"
}

/// Counts of ``HTTPOddity``.
public struct HTTPOddities: Sendable, Equatable {
    private var counts: [HTTPOddity: Int] = [:]

    public init() {}

    public subscript(oddity: HTTPOddity) -> Int { counts[oddity] ?? 0 }

    public mutating func count(_ oddity: HTTPOddity) { counts[oddity, default: 0] += 1 }

    public var total: Int { counts.values.reduce(0, +) }
}
