/// Writes JSON (RFC 8259) into a byte buffer, as UTF-8. All JSON of the project is written here, except by the recorder
/// for apps, which depends on nothing.
///
/// The caller balances begin and end, and writes a key before the value of each member.
public struct JSONWriter: Sendable {
    /// Where spaces and line breaks are.
    package enum Layout: Sendable {
        /// Nowhere: `{"key":1}`.
        case line
        /// One member or element per line: `"key": 1`.
        case indented
        /// One member or element per line, as Foundation's `JSONEncoder` writes it: `"key" : 1`, and a blank line
        /// between the brackets of an empty object or array.
        case spaced
    }

    /// The control characters that are written with a letter. Others are written as their number, such as `\u001b`.
    package enum Escapes: Sendable {
        case none
        /// `\n`, `\r` and `\t`.
        case breaks
        /// `\n`, `\r`, `\t`, `\b` and `\f`, as Foundation's `JSONEncoder` writes them.
        case all
    }

    package private(set) var bytes: [UInt8] = []
    private let layout: Layout
    package var escapes: Escapes
    private var needsComma = false
    private var followsKey = false
    private var breaksLine = false
    /// The number of open objects and arrays.
    private var depth = 0

    package init(_ layout: Layout = .line, escapes: Escapes = .breaks) {
        self.layout = layout
        self.escapes = escapes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func reserve(bytes count: Int) { bytes.reserveCapacity(count) }

    /// Empties the buffer without freeing its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        (needsComma, followsKey, breaksLine, depth) = (false, false, false, 0)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    @usableFromInline package mutating func key(_ key: String) {
        string(key)
        if layout == .spaced { bytes.append(UInt8(ascii: " ")) }
        bytes.append(UInt8(ascii: ":"))
        if layout != .line { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    package mutating func string(_ string: String) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            guard let first = text.firstIndex(where: Self.isEscaped) else { return bytes.append(contentsOf: text) }
            // The bytes from `start` on need no escape.
            var start = 0
            for index in first..<text.count where Self.isEscaped(text[index]) {
                bytes.append(contentsOf: text[start..<index])
                appendEscaped(text[index])
                start = index + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    @inlinable public mutating func integer(_ value: some FixedWidthInteger) {
        integer(UInt64(value.magnitude), isNegative: value < 0)
    }

    @usableFromInline mutating func integer(_ magnitude: UInt64, isNegative: Bool) {
        begin()
        // 2^64 has 20 digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 21) { text in
            var start = text.count
            var rest = magnitude
            repeat {
                start -= 1
                text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if isNegative {
                start -= 1
                text[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
    }

    /// Writes the shortest digits that read back as the same Double, or null for infinity and not-a-number.
    package mutating func double(_ value: Double) {
        if value.isFinite { number(value.shortestDigits) } else { null() }
    }

    /// Writes the digits of a number.
    package mutating func number(_ digits: String) { literal(digits) }

    package mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }
    @usableFromInline package mutating func null() { literal("null") }

    /// Ends a line of JSON Lines. The next value starts a new text.
    package mutating func newline() {
        bytes.append(0x0A)
        needsComma = false
    }

    /// Writes the members of the object that is open in another order.
    ///
    /// - Parameters:
    ///   - starts: The numbers of bytes at which each of the members began, the comma before it included.
    ///   - order: The places of the members that are kept.
    package mutating func rearrange(_ starts: [Int], _ order: [Int]) {
        guard let first = starts.first else { return }
        let ends = starts.dropFirst() + [bytes.count]
        // Without commas.
        let members = order.map { Array(bytes[starts[$0] + ($0 > 0 ? 1 : 0)..<ends[ends.startIndex + $0]]) }
        bytes.removeSubrange(first...)
        bytes.append(contentsOf: members.joined(separator: [UInt8(ascii: ",")]))
    }

    /// Lets the next value, member or closing bracket begin on a new line, behind the comma if it needs one.
    package mutating func breakLine() { breaksLine = true }

    private mutating func literal(_ text: String) {
        begin()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes what precedes a value or the key of a member.
    private mutating func begin() {
        guard !followsKey else { return followsKey = false }
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        if breaksLine || layout != .line && depth > 0 { beginLine() }
    }

    private mutating func open(_ bracket: UInt8) {
        begin()
        bytes.append(bracket)
        needsComma = false
        depth += 1
    }

    private mutating func close(_ bracket: UInt8) {
        depth -= 1
        if layout == .spaced, !needsComma { bytes.append(0x0A) }
        if breaksLine || layout == .spaced || layout == .indented && needsComma { beginLine() }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func beginLine() {
        breaksLine = false
        bytes.append(0x0A)
        if layout != .line { for _ in 0..<depth { bytes.append(contentsOf: "  ".utf8) } }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        let letter: Character? =
            switch byte {
            case 0x22: "\""
            case 0x5C: "\\"
            case 0x0A where escapes != .none: "n"
            case 0x0D where escapes != .none: "r"
            case 0x09 where escapes != .none: "t"
            case 0x08 where escapes == .all: "b"
            case 0x0C where escapes == .all: "f"
            default: nil
            }
        bytes.append(UInt8(ascii: "\\"))
        if let letter {
            bytes.append(letter.asciiValue ?? byte)
        } else {
            bytes.append(contentsOf: (byte < 16 ? "u000" : "u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        }
    }
}

extension JSONWriter {
    /// Returns a writer that has written one object.
    package static func object(
        escapes: Escapes = .breaks, _ members: (inout JSONWriter) throws -> Void
    ) rethrows -> JSONWriter {
        var writer = JSONWriter(escapes: escapes)
        try writer.object(members)
        return writer
    }

    package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try members(&self)
        endObject()
    }

    package mutating func array<Item>(
        _ items: some Sequence<Item>, _ write: (inout JSONWriter, Item) throws -> Void
    ) rethrows {
        beginArray()
        for item in items { try write(&self, item) }
        endArray()
    }

    /// Writes a member; null for nil.
    package mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    /// Writes a member; null for nil.
    @inlinable public mutating func member(_ name: String, _ value: (some FixedWidthInteger)?) {
        key(name)
        if let value { integer(value) } else { null() }
    }

    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        boolean(value)
    }

    package mutating func member(_ name: String, _ values: [String]) {
        key(name)
        array(values) { $0.string($1) }
    }

    /// Writes a member whose value `write` writes.
    package mutating func member(_ name: String, _ write: (inout JSONWriter) throws -> Void) rethrows {
        key(name)
        try write(&self)
    }

    package mutating func object(_ name: String, _ members: (inout JSONWriter) throws -> Void) rethrows {
        key(name)
        try object(members)
    }

    package mutating func array<Item>(
        _ name: String, _ items: some Sequence<Item>, _ write: (inout JSONWriter, Item) throws -> Void
    ) rethrows {
        key(name)
        try array(items, write)
    }
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    /// The shortest digits that read back as the same number, without the `.0` of a whole number.
    var shortestDigits: String {
        let digits = description
        return digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    }
}
