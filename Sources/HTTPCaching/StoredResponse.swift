/// A response in a cache.
public struct StoredResponse: Sendable {
    /// Differs from that of every other response of the cache.
    public let id: Int
    public var head: ResponseHead
    public var body: [UInt8]
    /// The position of the body in the whole representation. It is not 0 only for a part.
    var offset = 0
    /// The length of the whole representation; nil if it is unknown. A complete response has that of its body.
    var wholeLength: Int?
    public var freshness: ResponseFreshness
    var vary: VaryKey

    /// Whether the body is the whole representation.
    public var isComplete: Bool { offset == 0 && wholeLength == body.count }

    public var validators: Validators { Validators(head) }

    /// The head for a use at a time, with the current `Age` and without the fields that `no-cache` names
    /// (RFC 9111, sections 4 and 5.2.2.4).
    func head(at time: Int64) -> ResponseHead {
        var result = head
        for name in freshness.directives.noCacheFields { result.fields.remove(name) }
        result.fields.set("Age", String(freshness.age(at: time) / 1_000_000))
        return result
    }

    /// The bytes of a range of the whole, with their position and the length of the whole; nil if some are missing.
    func part(_ request: ByteRanges.Request) -> (range: Range<Int>, length: Int?)? {
        switch (request, wholeLength) {
        case (_, let length?):
            guard let range = ByteRanges.resolved(request, length: length), held.covers(range) else { return nil }
            return (range, length)
        case (.from(let first, let last?), nil):
            return held.covers(first..<(last + 1)) ? (first..<(last + 1), nil) : nil
        default: return nil
        }
    }

    /// The bytes of the whole that are there.
    var held: Range<Int> { offset..<(offset + body.count) }

    func bytes(_ range: Range<Int>) -> [UInt8] {
        Array(body[(range.lowerBound - offset)..<(range.upperBound - offset)])
    }

    /// Adds bytes of the same representation; false if there would be a gap between them and those that are there.
    mutating func combine(_ bytes: [UInt8], at position: Int) -> Bool {
        let added = position..<(position + bytes.count)
        guard added.lowerBound <= held.upperBound, held.lowerBound <= added.upperBound else { return false }
        let before = added.lowerBound < held.lowerBound ? bytes[..<(held.lowerBound - added.lowerBound)] : []
        let after = added.upperBound > held.upperBound ? bytes[(held.upperBound - added.lowerBound)...] : []
        body = before + body + after
        offset = min(offset, position)
        return true
    }
}

extension Range<Int> {
    fileprivate func covers(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}
