/// The specification of a policy, written like a Swift call: `ttl(lru(100MB), lifetime: 300s)`.
///
///     spec     = name [ "(" [ argument { "," argument } ] ")" ]
///     argument = [ label ":" ] ( spec | quantity )
///     quantity = digits [ unit ]            100MB   20 objects   5%   300s   0.1
///
/// A name stands for a policy, or for a choice such as `true` and `corelibs`. The parameter determines which.
///
/// The specification is a value: it is parsed once, and then stored, compared, sent to other processes and printed.
public struct PolicySpec: Sendable, Codable, CustomStringConvertible {
    public var name: String
    public var arguments: [Argument]
    /// The place of the name in the text that was parsed, in characters, counted from 0.
    public var column: Int

    public struct Argument: Sendable, Codable {
        public var label: String?
        public var value: Value
        public var column: Int
    }

    public enum Value: Sendable, Codable {
        case spec(PolicySpec)
        case quantity(String)
    }

    /// Parses a specification.
    ///
    /// - Parameters:
    ///   - text: The specification.
    ///   - offset: The column of `text` in a larger text, which all columns refer to.
    /// - Throws: ``SpecError`` with the column of the mistake in `text`, or for a text above ``longest``.
    public init(_ text: String, offset: Int = 0) throws {
        try Self.checkLength(text)
        var parser = SpecParser(text, offset: offset)
        self = try parser.wholeSpec()
    }

    /// The longest text of a specification in bytes.
    public static let longest = 16_384

    /// Throws a ``SpecError`` for a text above ``longest``. It does not quote the text.
    public static func checkLength(_ text: String) throws {
        let length = text.utf8.count
        guard length <= longest else {
            throw SpecError(
                "a specification has at most \(longest) bytes, and this one has \(length); it begins with "
                    + "'\(text.prefix(40))'", in: "")
        }
    }

    /// Creates the specification of a policy without arguments.
    public init(named name: String) { self.init(name: name, arguments: [], column: 0) }

    init(name: String, arguments: [Argument], column: Int) {
        self.name = name
        self.arguments = arguments
        self.column = column
    }

    /// The text that parses as this specification.
    public var description: String {
        guard !arguments.isEmpty else { return name }
        let parts = arguments.map { argument in
            argument.label.map { "\($0): \(argument.value)" } ?? "\(argument.value)"
        }
        return "\(name)(\(parts.joined(separator: ", ")))"
    }

    /// Returns the first specification with the given name in this one and the policies within it.
    public func first(named name: String) -> PolicySpec? {
        if self.name == name { return self }
        for case .spec(let inner) in arguments.lazy.map(\.value) {
            if let found = inner.first(named: name) { return found }
        }
        return nil
    }

    /// The quantities of this specification and of the policies within it, as written, in order.
    public var quantities: [String] {
        arguments.flatMap { argument in
            switch argument.value {
            case .quantity(let text): [text]
            case .spec(let inner): inner.quantities
            }
        }
    }

    /// Returns the word that is given for a label, or nil if the label is missing or has a quantity.
    public func word(_ label: String) -> String? {
        guard case .spec(let word)? = arguments.first(where: { $0.label == label })?.value else { return nil }
        return word.name
    }

    /// Returns this specification with a word or a quantity set for a label of every policy with the given name.
    public func setting(_ label: String, to word: String, inPoliciesNamed name: String) -> PolicySpec {
        var spec = self
        spec.arguments = arguments.map { argument in
            guard case .spec(let inner) = argument.value else { return argument }
            var argument = argument
            argument.value = .spec(inner.setting(label, to: word, inPoliciesNamed: name))
            return argument
        }
        guard self.name == name else { return spec }
        let value: Value =
            word.first?.isQuantityStart == true
            ? .quantity(word) : .spec(PolicySpec(name: word, arguments: [], column: column))
        if let index = spec.arguments.firstIndex(where: { $0.label == label }) {
            spec.arguments[index].value = value
        } else {
            spec.arguments.append(Argument(label: label, value: value, column: column))
        }
        return spec
    }
}

// Columns say where a specification was written, not what it specifies.
extension PolicySpec: Equatable {
    public static func == (one: PolicySpec, other: PolicySpec) -> Bool {
        one.name == other.name && one.arguments == other.arguments
    }
}

extension PolicySpec.Argument: Equatable {
    public static func == (one: Self, other: Self) -> Bool { one.label == other.label && one.value == other.value }
}

extension PolicySpec.Value: Equatable, CustomStringConvertible {
    public var description: String {
        switch self {
        case .spec(let spec): spec.description
        case .quantity(let text): text
        }
    }
}

struct SpecParser {
    private let text: String
    private let characters: [Character]
    private var index = 0
    private var depth = 0
    /// Without a limit, a long text of brackets would exhaust the stack.
    private static let deepest = 32
    private let offset: Int

    init(_ text: String, offset: Int) {
        self.text = text
        self.offset = offset
        characters = Array(text)
    }

    mutating func wholeSpec() throws -> PolicySpec {
        let spec = try spec()
        skipSpaces()
        guard index == characters.count else {
            throw error(
                next == ")" ? "there is one ')' too many" : "nothing may follow the ')' that ends \(spec.name)(…)")
        }
        return spec
    }

    private mutating func spec() throws -> PolicySpec {
        skipSpaces()
        let column = index
        let name = try name()
        skipSpaces()
        guard next == "(" else { return PolicySpec(name: name, arguments: [], column: column + offset) }
        let open = index
        index += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw error("policies nest at most \(Self.deepest) deep", at: column) }
        return PolicySpec(
            name: name, arguments: try arguments(of: name, openedAt: open), column: column + offset)
    }

    private mutating func arguments(of name: String, openedAt open: Int) throws -> [PolicySpec.Argument] {
        var arguments: [PolicySpec.Argument] = []
        skipSpaces()
        if next == ")" {
            index += 1
            return []
        }
        while true {
            arguments.append(try argument())
            skipSpaces()
            switch next {
            case ",": index += 1
            case ")":
                index += 1
                return arguments
            case nil: throw error("this '(' is never closed", at: open)
            default: throw error("expected ',' or ')' after an argument of \(name)")
            }
        }
    }

    private mutating func argument() throws -> PolicySpec.Argument {
        skipSpaces()
        let column = index
        if next?.isQuantityStart == true {
            return PolicySpec.Argument(label: nil, value: try quantityOrSpec(), column: column + offset)
        }
        let before = index
        let label = try name()
        skipSpaces()
        guard next == ":" else {
            index = before
            return PolicySpec.Argument(label: nil, value: .spec(try spec()), column: column + offset)
        }
        index += 1
        skipSpaces()
        let value: PolicySpec.Value = next?.isQuantityStart == true ? try quantityOrSpec() : .spec(try spec())
        return PolicySpec.Argument(label: label, value: value, column: column + offset)
    }

    /// Reads a quantity, or a policy whose name begins with a digit: if a parenthesis follows, `2q(1MB)`, or a hyphen
    /// and a letter, `3l-cache`.
    private mutating func quantityOrSpec() throws -> PolicySpec.Value {
        let start = index
        let text = quantity()
        let isName = next == "-" && index + 1 < characters.count && characters[index + 1].isLetter
        guard next == "(" || isName else { return .quantity(text) }
        index = start
        return .spec(try spec())
    }

    /// Reads digits, then a unit, which a space may separate from them.
    private mutating func quantity() -> String {
        let start = index
        while let next, next.isQuantityStart || next == "_" { index += 1 }
        let digits = index
        skipSpaces()
        let unit = index
        while let next, next.isLetter || next == "%" { index += 1 }
        if unit == index { index = digits }
        return String(characters[start..<index])
    }

    private mutating func name() throws -> String {
        let start = index
        while let next, next.isLetter || next.isNumber || next == "-" || next == "_" { index += 1 }
        guard index > start else {
            throw error(next.map { "expected a name, found '\($0)'" } ?? "expected a name, the text ends here")
        }
        return String(characters[start..<index])
    }

    private var next: Character? { index < characters.count ? characters[index] : nil }

    private mutating func skipSpaces() {
        while next?.isWhitespace == true { index += 1 }
    }

    private func error(_ message: String, at column: Int? = nil) -> SpecError {
        SpecError(message, in: text, at: column ?? index)
    }
}

extension Character {
    fileprivate var isQuantityStart: Bool { isASCII && isNumber || self == "." }
}

/// A mistake in a specification, with its place.
public struct SpecError: Error, Sendable, CustomStringConvertible {
    public var message: String
    /// The text with the mistake.
    public var text: String
    /// The offset of the mistake in `text`, in characters.
    public var column: Int
    /// Whether the specification is valid, and the policy does not support its capacity.
    public var refusesCapacity = false

    public init(_ message: String, in text: String, at column: Int = 0) {
        self.message = message
        self.text = text
        self.column = column
    }

    /// The message, the text, and a caret under the place.
    public var description: String {
        text.isEmpty ? message : "\(message)\n    \(text)\n    \(String(repeating: " ", count: column))^"
    }

    /// Returns the same mistake in a larger text, in which `self.text` begins at `offset`.
    public func within(_ larger: String, at offset: Int) -> SpecError {
        var error = SpecError(message, in: larger, at: column + offset)
        error.refusesCapacity = refusesCapacity
        return error
    }
}
