#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads JSON (RFC 8259) from front to back without building a tree: the caller asks for the value that it expects next
/// and skips the rest.
///
/// ```swift
/// try scanner.beginObject()
/// while let key = try scanner.nextKey() {
///     switch key {
///     case "size": size = try scanner.integer()
///     default: try scanner.skipValue()
///     }
/// }
/// ```
/// The structure of skipped values is checked, but not that their texts are UTF-8.
///
/// Invariant: `position` is within `0...end`, and every read of `bytes` is below `end`. The bytes outlive the scanner.
package struct JSONScanner {
    /// The limit of nesting. No recording nests as deeply. It bounds the recursion of ``skipValue()``.
    package static let maximumDepth = 256

    package private(set) var bytes: UnsafeRawBufferPointer
    package private(set) var end: Int
    package internal(set) var position: Int
    private var depth = 0
    /// Whether the next item is the first of its object or array, before which no comma may stand.
    private var isFirst = true

    /// Creates a scanner of a range of `bytes`. Offsets in errors count from the start of `bytes`.
    package init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>? = nil) {
        self.bytes = bytes
        position = range?.lowerBound ?? 0
        end = range?.upperBound ?? bytes.count
    }

    /// Continues in `bytes`, which contain the bytes from `position` on, and more.
    package mutating func move(to bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        position = 0
        end = bytes.count
    }

    /// The type of a value.
    package enum Kind: String { case object, array, string, number, boolean, null }

    /// Returns the type of the next value, by its first byte, without consuming it.
    package mutating func peek() throws(JSONError) -> Kind {
        skipWhitespace()
        guard position < end else { throw expected("a value") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw expected("a value")
        }
    }

    package mutating func beginObject() throws(JSONError) { try open(UInt8(ascii: "{"), "an object {…}") }

    package mutating func beginArray() throws(JSONError) { try open(UInt8(ascii: "["), "an array […]") }

    /// Returns the next key of the object, or nil at its end. The caller then reads or skips the value.
    package mutating func nextKey() throws(JSONError) -> RawJSONString? {
        guard try nextItem(closing: UInt8(ascii: "}"), "',' or '}'") else { return nil }
        guard position < end, bytes[position] == UInt8(ascii: "\"") else { throw expected("a key in quotes") }
        let key = try text()
        skipWhitespace()
        guard position < end, bytes[position] == UInt8(ascii: ":") else { throw expected("':' after the key") }
        position += 1
        return key
    }

    /// Returns whether the array has another element, which the caller then reads or skips.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try nextItem(closing: UInt8(ascii: "]"), "',' or ']'")
    }

    /// Reads `true` or `false`.
    package mutating func boolean() throws(JSONError) -> Bool {
        skipWhitespace()
        if try word("true") { return true }
        if try word("false") { return false }
        throw expected("true or false")
    }

    /// Consumes `null` if it is the next value, and returns whether it is.
    package mutating func null() throws(JSONError) -> Bool {
        skipWhitespace()
        return try word("null")
    }

    package mutating func skipValue() throws(JSONError) {
        switch try peek() {
        case .string: _ = try text()
        case .number: _ = try number()
        case .boolean: _ = try boolean()
        case .null: guard try null() else { throw expected("null") }
        case .object:
            try beginObject()
            while try nextKey() != nil { try skipValue() }
        case .array:
            try beginArray()
            while try nextElement() { try skipValue() }
        }
    }

    /// Throws an error unless only white space follows.
    package mutating func endOfInput() throws(JSONError) {
        skipWhitespace()
        guard position == end else { throw expected("the end") }
    }

    private mutating func open(_ bracket: UInt8, _ what: String) throws(JSONError) {
        skipWhitespace()
        guard position < end, bytes[position] == bracket else { throw expected(what) }
        guard depth < Self.maximumDepth else {
            throw JSONError(
                offset: position, message: "nested deeper than \(Self.maximumDepth) levels", isCutShort: false)
        }
        position += 1
        depth += 1
        isFirst = true
    }

    private mutating func nextItem(closing: UInt8, _ separators: StaticString) throws(JSONError) -> Bool {
        skipWhitespace()
        guard position < end else { throw expected(separators.description) }
        if bytes[position] == closing {
            position += 1
            depth -= 1
            isFirst = false
            return false
        }
        if !isFirst {
            guard bytes[position] == UInt8(ascii: ",") else { throw expected(separators.description) }
            position += 1
            skipWhitespace()
        }
        isFirst = false
        return true
    }

    private mutating func word(_ word: StaticString) throws(JSONError) -> Bool {
        let letters = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        let available = min(letters.count, end - position)
        guard available > 0, bytes[position..<position + available].elementsEqual(letters[..<available]) else {
            return false
        }
        guard available == letters.count else {
            position = end
            throw expected(word.description)
        }
        position += letters.count
        return true
    }

    package mutating func skipWhitespace() {
        while position < end {
            let byte = bytes[position]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position += 1
        }
    }

    /// Consumes a text if exactly its bytes come next, without white space before them, and returns whether they do.
    ///
    /// Inlined, so that the bytes of a literal are compared in registers.
    @inline(__always)
    mutating func take(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard length <= end - position, let base = bytes.baseAddress,
            memcmp(base + position, text.utf8Start, length) == 0
        else { return false }
        position += length
        return true
    }

    /// Consumes the digits of a whole number of at most 15 digits, without a sign or leading zeros.
    ///
    /// - Returns: nil if something else comes next; the position is then anywhere in it. What follows the digits, such
    ///   as a fraction, is the caller's to check.
    mutating func takeCount() -> Int64? {
        let start = position
        var value: Int64 = 0
        while position < end {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            guard position - start < 15 else { return nil }
            value = value &* 10 &+ Int64(digit)
            position += 1
        }
        let length = position - start
        return length > 1 && bytes[start] == UInt8(ascii: "0") || length == 0 ? nil : value
    }

    /// Consumes a decimal number of at most 15 digits, with or without a fraction, but without an exponent. The value
    /// equals the value of ``double()``: both factors are exact.
    ///
    /// - Returns: nil if something else comes next; the position is then anywhere in it. What follows is the caller's
    ///   to check.
    mutating func takeDecimal() -> Double? {
        let isNegative = position < end && bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        guard let whole = takeCount() else { return nil }
        var magnitude = Double(whole)
        if position < end, bytes[position] == UInt8(ascii: ".") {
            position += 1
            let point = position
            var digits = whole
            while position < end {
                let digit = bytes[position] &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                // With the point, one more than the digits.
                guard position - start < 16 else { return nil }
                digits = digits &* 10 &+ Int64(digit)
                position += 1
            }
            guard position > point else { return nil }
            magnitude = Double(digits) / Self.powersOfTen[position - point]
        }
        return isNegative ? -magnitude : magnitude
    }

    /// Returns an error that states what was expected at the current position, and what is there.
    package func expected(_ what: String) -> JSONError {
        guard position < end else {
            return JSONError(offset: position, message: "expected \(what), found the end", isCutShort: true)
        }
        let byte = bytes[position]
        let found =
            (0x21..<0x7F).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(String(byte, radix: 16))"
        return JSONError(offset: position, message: "expected \(what), found \(found)", isCutShort: false)
    }
}

/// Invalid or unexpected JSON. Readers convert it to a ``TraceError`` with the name of the file.
package struct JSONError: Error, Sendable {
    /// The offset in the scanner's bytes, from 0.
    package var offset: Int
    package var message: String
    /// Whether the text ends too early, such as a file whose writer was killed.
    package var isCutShort: Bool

    package init(offset: Int, message: String, isCutShort: Bool) {
        self.offset = offset
        self.message = message
        self.isCutShort = isCutShort
    }
}
