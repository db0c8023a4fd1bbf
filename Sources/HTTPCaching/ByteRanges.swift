/// Ranges of bytes (RFC 9110, section 14).
enum ByteRanges {
    enum Request: Equatable {
        /// First and last byte; the last byte is nil for `bytes=5-`.
        case from(Int, to: Int?)
        /// The last bytes: `bytes=-5`.
        case last(Int)
    }

    /// The range of `Range`; nil if it is no single range of bytes, which only an origin answers.
    static func request(_ text: String) -> Request? {
        guard text.lowercased().hasPrefix("bytes=") else { return nil }
        let sides = text.dropFirst(6).trimmed.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[0].isEmpty { return number(sides[1]).map { .last($0) } }
        guard let first = number(sides[0]) else { return nil }
        if sides[1].isEmpty { return .from(first, to: nil) }
        guard let last = number(sides[1]), last >= first else { return nil }
        return .from(first, to: last)
    }

    /// The bytes of a complete representation of `length` bytes; nil if there are none of them.
    static func resolved(_ request: Request, length: Int) -> Range<Int>? {
        switch request {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(min(last ?? .max - 1, length - 1) + 1)
        case .last(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// The first byte and the length of the whole of `bytes 4-9/10`; the length is nil for `*`.
    static func content(_ text: String) -> (range: Range<Int>, length: Int?)? {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, isSame(words[0], "bytes") else { return nil }
        let sides = words[1].trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let bounds = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = number(bounds[0]), let last = number(bounds[1]), last >= first else {
            return nil
        }
        if sides[1] == "*" { return (first..<(last + 1), nil) }
        guard let length = number(sides[1]), last < length else { return nil }
        return (first..<(last + 1), length)
    }

    /// A number of at most 18 digits, so that sums do not overflow.
    private static func number(_ text: some StringProtocol) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
