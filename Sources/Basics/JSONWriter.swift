import Foundation

/// Writes JSON (RFC 8259) into a byte buffer, as UTF-8. All JSON of the project is written here, except by the recorder
/// for apps, which depends on nothing.
///
/// Characters that control a terminal or the order of text (``VisibleText``) are escaped, which changes no value.
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
            guard var index = text.firstIndex(where: Self.canBeEscaped) else { return bytes.append(contentsOf: text) }
            // The bytes from `start` on need no escape.
            var start = 0
            while index < text.count {
                guard let (value, length) = Self.escape(text, at: index) else {
                    index += 1
                    continue
                }
                bytes.append(contentsOf: text[start..<index])
                appendEscaped(value)
                index += length
                start = index
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a byte is escaped, or the first one of a character that can be.
    private static func canBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F || byte == 0xC2 || byte == 0xE2
    }

    /// Returns the character at a place of UTF-8 text, and the number of its bytes, if it is escaped.
    private static func escape(
        _ text: UnsafeBufferPointer<UInt8>, at index: Int
    ) -> (value: UInt16, length: Int)? {
        let byte = text[index]
        guard canBeEscaped(byte) else { return nil }
        guard byte >= 0xC2 else { return (UInt16(byte), 1) }
        // Of the characters with several bytes, those are hidden that begin with C2 and E2.
        func following(_ distance: Int) -> UInt16 {
            index + distance < text.count ? UInt16(text[index + distance] & 0x3F) : 0
        }
        let value =
            byte == 0xC2 ? 0x80 | following(1) : 0x2000 | following(1) << 6 | following(2)
        guard let scalar = Unicode.Scalar(value), VisibleText.isHidden(scalar) else { return nil }
        return (value, byte == 0xC2 ? 2 : 3)
    }

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

    private mutating func appendEscaped(_ value: UInt16) {
        let letter: Character? =
            switch value {
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
            bytes.append(letter.asciiValue ?? 0)
        } else {
            let digits = String(value, radix: 16)
            bytes.append(contentsOf: "u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
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

extension JSONWriter {
    /// Returns a writer that has written a value as Foundation's `JSONEncoder` does with sorted keys, slashes that are
    /// not escaped, and dates of ISO 8601. The keys are sorted by their Unicode scalars, so that equal values are equal
    /// text on all systems.
    ///
    /// Bytes are written as values are encoded, without a tree of the value. A nested container must therefore be
    /// complete before the next member of its parent.
    /// - Parameter ordered: The types whose members keep the order in which they are encoded. A whole number of type
    ///   `Double` keeps its `.0` as their member, and a line break in a text is written as its number.
    /// - Throws: `EncodingError` for a number that is not finite, or an error of the value.
    package static func encoding(
        _ value: some Encodable, _ layout: Layout, ordered: [any Any.Type] = []
    ) throws -> JSONWriter {
        let text = EncodedText(JSONWriter(layout, escapes: .all), ordered: ordered.map { ObjectIdentifier($0) })
        try text.append(value)
        return text.writer
    }
}

/// The text of values that are being encoded, and the containers that are open.
private final class EncodedText {
    private struct Container {
        /// The number of the container, which no other container has.
        var number: Int
        var isArray: Bool
        /// The place in ``members`` of the first member that is sorted when the object ends; nil if none is.
        var firstMember: Int?
        /// The number of elements of an array.
        var count = 0
    }

    // The containers of one value share this text, and none of them is used within a function of another.
    @exclusivity(unchecked) private(set) var writer: JSONWriter
    @exclusivity(unchecked) private var open: [Container] = []
    @exclusivity(unchecked) private var members: [(key: String, start: Int)] = []
    private let ordered: [ObjectIdentifier]
    private var containerCount = 0

    init(_ writer: JSONWriter, ordered: [ObjectIdentifier]) {
        self.writer = writer
        self.ordered = ordered
        self.writer.reserve(bytes: 4_096)
    }

    func append<Value: Encodable>(_ value: Value, isOrderedMember: Bool = false) throws {
        // Types are compared, because a cast of a generic value takes longer than writing it.
        func scalar<Scalar>(_ type: Scalar.Type) -> Scalar { unsafeBitCast(value, to: type) }
        if Value.self == Int.self { return writer.integer(scalar(Int.self)) }
        if Value.self == Int64.self { return writer.integer(scalar(Int64.self)) }
        if Value.self == String.self {
            writer.escapes = isOrderedMember ? .none : .all
            return writer.string(scalar(String.self))
        }
        if Value.self == Double.self {
            let number = scalar(Double.self)
            return try append(number, digits: isOrderedMember ? number.description : number.shortestDigits)
        }
        if Value.self == Date.self { return writer.string(scalar(Date.self).ISO8601Format()) }
        if Value.self == [Int64].self { return writer.array(scalar([Int64].self)) { $0.integer($1) } }
        let (depth, start) = (open.count, writer.bytes.count)
        let isOrdered = ordered.contains(ObjectIdentifier(Value.self))
        try value.encode(to: Encoding(text: self, depth: depth, isOrdered: isOrdered))
        // A value that encodes nothing is an object.
        if writer.bytes.count == start { begin(depth: depth, isArray: false, isOrdered: true) }
        close(to: depth)
    }

    func append(_ number: some BinaryFloatingPoint, digits: String) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: [], debugDescription: "\(number) is not a number of JSON"))
        }
        writer.number(digits)
    }

    func append(_ number: some FixedWidthInteger) { writer.integer(number) }
    func append(_ flag: Bool) { writer.boolean(flag) }
    func appendNull() { writer.null() }

    // MARK: Containers

    /// Begins an object or an array, unless it is open at this depth.
    ///
    /// - Returns: The number of the container.
    @discardableResult
    func begin(depth: Int, isArray: Bool, isOrdered: Bool) -> Int {
        if open.count > depth {
            close(to: depth + 1)
            return open[depth].number
        }
        if isArray { writer.beginArray() } else { writer.beginObject() }
        containerCount += 1
        open.append(
            Container(
                number: containerCount, isArray: isArray, firstMember: isArray || isOrdered ? nil : members.count))
        return containerCount
    }

    /// Begins the next member of an object.
    func next(depth: Int, number: Int, key: String) {
        let container = top(depth: depth, number: number)
        if container.firstMember != nil { members.append((key, writer.bytes.count)) }
        writer.escapes = container.firstMember == nil ? .none : .all
        writer.key(key)
    }

    /// Begins the next element of an array.
    func next(depth: Int, number: Int) {
        _ = top(depth: depth, number: number)
        open[depth].count += 1
    }

    /// Returns a container after the end of those in it.
    private func top(depth: Int, number: Int) -> Container {
        if open.count > depth + 1 { close(to: depth + 1) }
        precondition(
            open.count == depth + 1 && open[depth].number == number,
            "a nested container is complete before the next member of its parent")
        return open[depth]
    }

    func count(depth: Int) -> Int { open.indices.contains(depth) ? open[depth].count : 0 }

    private func close(to depth: Int) {
        while open.count > depth {
            let container = open.removeLast()
            guard !container.isArray else {
                writer.endArray()
                continue
            }
            if let first = container.firstMember { sort(from: first) }
            writer.endObject()
        }
    }

    /// Sorts the last members by their keys. Of members with the same key, the last one counts.
    private func sort(from first: Int) {
        let unsorted = members[first...]
        defer { members.removeLast(unsorted.count) }
        let isSorted = unsorted.indices.dropFirst().allSatisfy { members[$0 - 1].key < members[$0].key }
        guard !isSorted else { return }
        let sorted = unsorted.indices.sorted { (members[$0].key, $0) < (members[$1].key, $1) }
        let last = sorted.indices.filter { place in
            place + 1 == sorted.count || members[sorted[place]].key != members[sorted[place + 1]].key
        }
        writer.rearrange(unsorted.map(\.start), last.map { sorted[$0] - first })
    }
}

/// The encoding of one value. Paths of keys are not kept.
private struct Encoding: Encoder {
    let text: EncodedText
    /// The number of containers around the value.
    let depth: Int
    let isOrdered: Bool
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let number = text.begin(depth: depth, isArray: false, isOrdered: isOrdered)
        return KeyedEncodingContainer(Members(text: text, depth: depth, number: number, isOrdered: isOrdered))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Elements(text: text, depth: depth, number: text.begin(depth: depth, isArray: true, isOrdered: false))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(text: text) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let text: EncodedText
    let depth: Int
    let number: Int
    let isOrdered: Bool
    var codingPath: [any CodingKey] { [] }

    private func begin(_ key: String) { text.next(depth: depth, number: number, key: key) }

    func encodeNil(forKey key: Key) {
        begin(key.stringValue)
        text.appendNull()
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        begin(key.stringValue)
        try text.append(value, isOrderedMember: isOrdered)
    }

    private func nested(_ key: String) -> Encoding {
        begin(key)
        return Encoding(text: text, depth: depth + 1, isOrdered: false)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { nested(key.stringValue).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested("super") }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }
}

private struct Elements: UnkeyedEncodingContainer {
    let text: EncodedText
    let depth: Int
    let number: Int
    var codingPath: [any CodingKey] { [] }
    var count: Int { text.count(depth: depth) }

    func encodeNil() {
        text.next(depth: depth, number: number)
        text.appendNull()
    }

    func encode(_ value: some Encodable) throws {
        text.next(depth: depth, number: number)
        try text.append(value)
    }

    private func nested() -> Encoding {
        text.next(depth: depth, number: number)
        return Encoding(text: text, depth: depth + 1, isOrdered: false)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    func superEncoder() -> any Encoder { nested() }
}

/// Scalars that are no `Int`, `Int64`, `String` or `Double` encode themselves with one of these functions.
private struct Single: SingleValueEncodingContainer {
    let text: EncodedText
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { text.appendNull() }
    func encode(_ value: Bool) { text.append(value) }
    func encode(_ value: Float) throws { try text.append(value, digits: value.shortestDigits) }
    func encode(_ value: Int8) { text.append(value) }
    func encode(_ value: Int16) { text.append(value) }
    func encode(_ value: Int32) { text.append(value) }
    func encode(_ value: UInt) { text.append(value) }
    func encode(_ value: UInt8) { text.append(value) }
    func encode(_ value: UInt16) { text.append(value) }
    func encode(_ value: UInt32) { text.append(value) }
    func encode(_ value: UInt64) { text.append(value) }
    func encode(_ value: some Encodable) throws { try text.append(value) }
}
