extension JSONScanner {
    package mutating func string() throws(JSONError) -> String {
        try text().decoded()
    }

    /// Reads a string without copying or decoding it.
    package mutating func text() throws(JSONError) -> RawJSONString {
        skipWhitespace()
        guard position < end, bytes[position] == UInt8(ascii: "\"") else { throw expected("a string in quotes") }
        let start = position + 1
        var hasEscapes = false
        position = start
        while true {
            skipOrdinary()
            guard position < end else { throw expected("a closing quote") }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { break }
            guard byte == UInt8(ascii: "\\") else { throw expected("control characters as escapes such as \\n") }
            hasEscapes = true
            position += 1
            guard position < end else { throw expected("an escape") }
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "u"):
                position += 1
            default: throw expected("one of \" \\ / b f n r t u after the backslash")
            }
        }
        let text = RawJSONString(bytes: .init(rebasing: bytes[start..<position]), hasEscapes: hasEscapes, offset: start)
        position += 1
        return text
    }

    /// Moves to the next quote, backslash or control character, or to the end, eight bytes at a time.
    ///
    /// `(x - 0x01…) & ~x & 0x80…` marks the bytes of x that are zero. A borrow may mark one byte too many, but only
    /// above a true mark, so the lowest mark is correct.
    private mutating func skipOrdinary() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while position + 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let marks =
                ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
                & (ones &* 0x80)
            if marks != 0 {
                position += marks.trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
        while position < end {
            let byte = bytes[position]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { return }
            position += 1
        }
    }
}
