import Foundation

/// A JSON string in its place in the file, without the quotes and with its escapes. Comparing it with a literal
/// allocates nothing.
///
/// It is valid as long as the scanner's bytes are.
package struct RawJSONString {
    package let bytes: UnsafeRawBufferPointer
    package let hasEscapes: Bool
    /// The offset of the first byte in the scanner's bytes.
    package let offset: Int

    /// Returns whether the decoded string equals `literal`.
    ///
    /// Inlined, so that a literal is compared in registers, and only with a text of its length.
    @inline(__always)
    package static func ~= (literal: StaticString, text: RawJSONString) -> Bool {
        if text.hasEscapes { return text.decodes(to: literal) }
        guard text.bytes.count == literal.utf8CodeUnitCount, let start = text.bytes.baseAddress else { return false }
        return memcmp(start, literal.utf8Start, text.bytes.count) == 0
    }

    @inline(never)
    private func decodes(to literal: StaticString) -> Bool { (try? decoded()) == literal.description }

    package func decoded() throws(JSONError) -> String {
        if hasEscapes { return try decodedEscapes() }
        // Strict validation is several times slower, and ASCII needs none.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        guard let string = String(validating: bytes, as: UTF8.self) else { throw notUTF8() }
        return string
    }

    /// Returns the number of UTF-8 bytes of the decoded string.
    package func decodedCount() -> Int {
        hasEscapes ? ((try? decodedEscapes())?.utf8.count ?? 0) : bytes.count
    }

    func notUTF8() -> JSONError {
        JSONError(offset: offset, message: "this string is not UTF-8; write the file as UTF-8", isCutShort: false)
    }

    private func decodedEscapes() throws(JSONError) -> String {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < bytes.count else {
                utf8.append(byte)
                continue
            }
            let escape = bytes[index]
            index += 1
            switch escape {
            case UInt8(ascii: "b"): utf8.append(0x08)
            case UInt8(ascii: "f"): utf8.append(0x0C)
            case UInt8(ascii: "n"): utf8.append(0x0A)
            case UInt8(ascii: "r"): utf8.append(0x0D)
            case UInt8(ascii: "t"): utf8.append(0x09)
            case UInt8(ascii: "u"):
                utf8.append(contentsOf: UTF8.encode(try unicodeEscape(&index)) ?? UTF8.encodedReplacementCharacter)
            default: utf8.append(escape)  // " \ / stand for themselves; the scanner accepts no other escape.
            }
        }
        guard let string = String(validating: utf8, as: UTF8.self) else { throw notUTF8() }
        return string
    }

    /// Returns the character of an escape such as `\u00E9`, or of a surrogate pair such as `\uD83D\uDE00`. `index` is
    /// the index of the byte after the `u`.
    private func unicodeEscape(_ index: inout Int) throws(JSONError) -> Unicode.Scalar {
        let start = index - 2
        let first = hexadecimal(at: index)
        index += 4
        if let first, let scalar = Unicode.Scalar(first) { return scalar }
        if let first, (0xD800..<0xDC00).contains(first), index + 6 <= bytes.count,
            bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
            let second = hexadecimal(at: index + 2), (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        {
            index += 6
            return scalar
        }
        throw JSONError(
            offset: offset + start, message: "expected \\u and four hexadecimal digits, surrogates in pairs",
            isCutShort: false)
    }

    private func hexadecimal(at index: Int) -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return value
    }
}
