import Foundation

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
