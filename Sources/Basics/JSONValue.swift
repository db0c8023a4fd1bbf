import Foundation

/// A JSON value. The members of objects keep their order.
package indirect enum JSONValue: Sendable {
    case object([(String, JSONValue)])
    case array([JSONValue])
    case string(String)
    /// The digits of a number.
    case number(String)
    case bool(Bool)
    case null

    /// Returns the value as text without a line break at the end.
    package func text(_ layout: JSONWriter.Layout) -> String { String(decoding: bytes(layout), as: UTF8.self) }

    package func bytes(_ layout: JSONWriter.Layout) -> [UInt8] {
        var writer = JSONWriter(layout, escapes: layout == .indented ? .breaks : .all)
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.key(name)
                value.write(to: &writer)
            }
            writer.endObject()
        case .array(let values): writer.array(values) { $1.write(to: &$0) }
        case .string(let text): writer.string(text)
        case .number(let digits): writer.number(digits)
        case .bool(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }
}

// MARK: Encoding

extension JSONValue {
    /// Encodes a value as Foundation's `JSONEncoder` does with sorted keys, slashes that are not escaped, and dates of
    /// ISO 8601. The keys are sorted by their Unicode scalars, so that equal values are equal text on all systems.
    ///
    /// - Throws: `EncodingError` for a number that is not finite, or an error of the value.
    package init(encoding value: some Encodable) throws { self = try Encoding.value(value, at: []) }
}

/// The encoding of a value that is not a scalar: it collects what containers are given.
private final class Encoding: Encoder {
    private enum Kind { case members, elements, scalar }

    /// A part is an encoding if it can grow: that of a nested container.
    fileprivate enum Part {
        case value(JSONValue)
        case encoding(Encoding)

        var value: JSONValue {
            switch self {
            case .value(let value): value
            case .encoding(let encoding): encoding.value
            }
        }
    }

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// A value that encodes nothing is an object.
    private var kind = Kind.members
    private var members: [(key: String, part: Part)] = []
    private var elements: [Part] = []
    private var scalar = JSONValue.null

    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    static func value<Value: Encodable>(_ value: Value, at path: @autoclosure () -> [any CodingKey]) throws -> JSONValue
    {
        switch value {
        case let text as String: return .string(text)
        case let flag as Bool: return .bool(flag)
        case let number as Double: return try Self.number(number, at: path())
        case let number as Float: return try Self.number(number, at: path())
        case let number as Int: return .number("\(number)")
        case let number as Int64: return .number("\(number)")
        case let number as any FixedWidthInteger: return .number("\(number)")
        case let date as Date: return .string(date.ISO8601Format())
        default:
            let encoding = Encoding(path())
            try value.encode(to: encoding)
            return encoding.value
        }
    }

    private static func number<Number: BinaryFloatingPoint & CustomStringConvertible>(
        _ number: Number, at path: [any CodingKey]
    ) throws -> JSONValue {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: path, debugDescription: "\(number) is not a number of JSON"))
        }
        return .number(number.shortestDigits)
    }

    /// The value after all containers were filled. Of members with the same key, the last one counts.
    var value: JSONValue {
        switch kind {
        case .scalar: return scalar
        case .elements: return .array(elements.map(\.value))
        case .members:
            let sorted = members.indices.sorted { (members[$0].key, $0) < (members[$1].key, $1) }
            let last = sorted.indices.filter { place in
                place + 1 == sorted.count || members[sorted[place]].key != members[sorted[place + 1]].key
            }
            return .object(last.map { (members[sorted[$0]].key, members[sorted[$0]].part.value) })
        }
    }

    var count: Int { elements.count }

    func set(_ value: JSONValue) {
        kind = .scalar
        scalar = value
    }

    func set(_ part: Part, for key: String) { members.append((key, part)) }
    func append(_ part: Part) { elements.append(part) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        kind = .members
        return KeyedEncodingContainer(Members(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        kind = .elements
        return Elements(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoding: self) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: Encoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil(forKey key: Key) { encoding.set(.value(.null), for: key.stringValue) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        encoding.set(.value(try Encoding.value(value, at: codingPath + [key])), for: key.stringValue)
    }

    private func nested(_ key: any CodingKey) -> Encoding {
        let nested = Encoding(codingPath + [key])
        encoding.set(.encoding(nested), for: key.stringValue)
        return nested
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { nested(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { nested(Name("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

private struct Elements: UnkeyedEncodingContainer {
    let encoding: Encoding
    var codingPath: [any CodingKey] { encoding.codingPath }
    var count: Int { encoding.count }

    func encodeNil() { encoding.append(.value(.null)) }

    func encode(_ value: some Encodable) throws {
        encoding.append(.value(try Encoding.value(value, at: codingPath + [Name("\(count)")])))
    }

    private func nested() -> Encoding {
        let nested = Encoding(codingPath + [Name("\(count)")])
        encoding.append(.encoding(nested))
        return nested
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    func superEncoder() -> any Encoder { nested() }
}

private struct Single: SingleValueEncodingContainer {
    let encoding: Encoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil() { encoding.set(.null) }
    func encode(_ value: some Encodable) throws { encoding.set(try Encoding.value(value, at: codingPath)) }
}

/// A key that is no case of a `CodingKey`.
private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
