import Foundation

/// A value of JSON that was read, of any type.
indirect enum PlayJSON: Decodable, Sendable, Equatable {
    case object([String: PlayJSON])
    case array([PlayJSON])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Key.self) {
            var object: [String: PlayJSON] = [:]
            for key in members.allKeys { object[key.stringValue] = try members.decode(PlayJSON.self, forKey: key) }
            self = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [PlayJSON] = []
            while !elements.isAtEnd { array.append(try elements.decode(PlayJSON.self)) }
            self = .array(array)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let flag = try? value.decode(Bool.self) {
                self = .bool(flag)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else {
                self = .string(try value.decode(String.self))
            }
        }
    }

    /// The type in words, for messages.
    var kind: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .string: "a text"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}

/// The members of an object of a question, each with the name that messages have.
struct PlayMembers {
    /// The name of the object in messages: "the question", or "cache 2".
    let name: String
    /// The place of the cache that the object describes; nil for another object.
    let cache: Int?
    private let members: [String: PlayJSON]

    /// - Throws: ``PlayFailure`` for a value that is no object, and for a member that is not among the known ones.
    init(_ value: PlayJSON, _ name: String, cache: Int? = nil, known: [String]) throws {
        self.name = name
        self.cache = cache
        guard case .object(let members) = value else {
            throw PlayFailure(.badQuestion, "\(name) is an object of JSON, not \(value.kind).", cache: cache)
        }
        self.members = members
        if let other = members.keys.filter({ !known.contains($0) }).sorted().first {
            throw PlayFailure(
                .badQuestion,
                "\(name) has no member '\(other.prefix(80))'; its members are \(known.joined(separator: ", ")).",
                cache: cache)
        }
    }

    /// Returns the error for a member that is not what is expected.
    func failure(_ member: String, expected: String) -> PlayFailure {
        let found = members[member].map { "is \($0.kind)" } ?? "is missing"
        return PlayFailure(.badQuestion, "'\(member)' of \(name) \(found); expected is \(expected).", cache: cache)
    }

    /// Returns a member; nil if the object has none.
    subscript(member: String) -> PlayJSON? { members[member] }

    /// Returns a text of at most some characters.
    func text(_ member: String, atMost most: Int, expected: String) throws -> String {
        guard case .string(let text)? = members[member] else { throw failure(member, expected: expected) }
        guard text.utf8.count <= most else {
            throw PlayFailure(
                .badQuestion,
                "'\(member)' of \(name) has \(text.utf8.count) bytes; write at most \(most).", cache: cache)
        }
        return text
    }

    /// Returns a whole number in a range, or another one if the object has no such member.
    func whole(_ member: String, _ range: ClosedRange<Int>, without standard: Int) throws -> Int {
        guard let value = members[member] else { return standard }
        guard case .number(let number) = value, number == number.rounded(), number >= Double(range.lowerBound),
            number <= Double(range.upperBound)
        else {
            let found = if case .number(let number) = value { "\(number)" } else { value.kind }
            throw PlayFailure(
                .badQuestion,
                """
                '\(member)' of \(name) is \(found); expected is a whole number from \(range.lowerBound) to \
                \(range.upperBound).
                """, cache: cache)
        }
        return Int(number)
    }

    /// Returns a flag, or another one if the object has no such member.
    func flag(_ member: String, without standard: Bool) throws -> Bool {
        guard let value = members[member] else { return standard }
        guard case .bool(let flag) = value else { throw failure(member, expected: "true or false") }
        return flag
    }
}
