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

extension PolicySpec {
    /// Returns this specification with another limit of the policy, wherever it is written: in `lru(20MB)`, in
    /// `nscache(cost: 20MB)`, or in the one policy within a wrapper such as `ttl(lru(20MB), lifetime: 7d)`.
    ///
    /// A limit of bytes replaces one of bytes or a share, and leaves one of objects; and the other way round. The two
    /// policies of a `split` keep the proportion of their limits.
    ///
    /// - Parameters:
    ///   - size: The limit; nil for none.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if the policy has no limit, if the limit is 0 and 0 is no limit in the policy, or if it
    ///   is a `split` whose policies have no limits in the unit of `size`.
    public func limited(to size: Size?, registry: PolicyRegistry = .builtIn) throws -> PolicySpec {
        guard let entry = registry[name] else { throw SpecError("there is no policy '\(name)'", in: description) }
        var spec = self
        if size == nil, name == UnboundedPolicy.entry.name { return self }
        guard size?.isZero != true || !entry.zeroIsNoLimit else {
            throw SpecError(
                """
                a limit of 0 is no limit in '\(name)', and not the smallest one; write unlimited for no limit, or a \
                size above 0
                """, in: description)
        }
        if entry.parameters.contains(where: { $0.kind == .limits }) {
            let others = arguments.filter { argument in
                guard argument.label == nil, case .quantity(let text) = argument.value, let size else {
                    return argument.label != nil
                }
                return (try? Size(text))?.isOfObjects != size.isOfObjects
            }
            spec.arguments = [Argument(label: nil, value: .quantity(Self.text(size)), column: column)] + others
            return spec
        }
        let (ofBytes, ofObjects) = (entry.limitLabel(ofObjects: false), entry.limitLabel(ofObjects: true))
        if let label = size == nil ? ofBytes ?? ofObjects : size?.isOfObjects == true ? ofObjects : ofBytes {
            // In these policies, 0 stands for no limit.
            let none = label == ofObjects ? "0" : "0B"
            let count = size.flatMap { if case .objects(let count) = $0 { "\(count)" } else { nil } }
            let value = Value.quantity(count ?? size?.description ?? none)
            spec = size == nil ? withoutOwnLimits(registry) : self
            spec.arguments.removeAll { $0.label == label }
            spec.arguments.append(Argument(label: label, value: value, column: column))
            return spec
        }
        let inner = policyIndices(registry)
        if inner.count == 2 {
            return try mappingHalves(registry) { halves in
                let sizes = try size.map { try halves.sizes(of: $0, registry) }
                return try PolicyHalves(
                    halves.thumbnail.limited(to: sizes?.thumbnail, registry: registry),
                    halves.full.limited(to: sizes?.full, registry: registry))
            }
        }
        guard inner.count == 1, case .spec(let policy) = spec.arguments[inner[0]].value else {
            throw SpecError(
                "'\(name)' has no limit that could be set; write the whole policy, such as lru(64MB)", in: description)
        }
        spec.arguments[inner[0]].value = .spec(try policy.limited(to: size, registry: registry))
        return spec
    }

    /// The largest limit that a specification can have, in bytes. It stands for none.
    public static let noLimit = 1_000_000_000_000_000_000

    static func text(_ size: Size?) -> String { size?.description ?? "1000000TB" }
}

extension Size {
    /// Whether the size counts objects, not bytes.
    var isOfObjects: Bool { if case .objects = self { true } else { false } }

    var isZero: Bool {
        switch self {
        case .bytes(let count), .objects(let count): count == 0
        case .share(let share): share == 0
        }
    }
}

extension PolicyEntry {
    /// The label of the parameter that limits bytes or objects, for policies whose limits have labels: `nscache`.
    func limitLabel(ofObjects: Bool) -> String? {
        ofObjects
            ? parameters.first { $0.label == "count" && $0.kind == .integer }?.label
            : parameters.first { $0.label == "cost" && $0.kind == .size }?.label
    }

    /// Whether limits are all that the policy needs: it encloses no policy, and its other parameters have defaults.
    public var needsOnlyLimits: Bool {
        let others = parameters.filter { $0.kind != .limits }
        return (others.count < parameters.count || limitLabel(ofObjects: false) != nil)
            && others.allSatisfy { $0.kind != .policy && $0.defaultText != nil }
    }

    /// Whether the policy takes the capacity of a run, and needs nothing else. The word `all` of `simulate` stands for
    /// these policies.
    public var needsOnlyCapacity: Bool { needsOnlyLimits && parameters.contains { $0.kind == .limits } }
}

// The policies within a specification, and other policies in their place.
extension PolicySpec {
    /// Returns this specification with another limit of a `split`, and with the share of it that thumbnails get.
    /// Returns this specification with another limit of a `split`, and with the share of it that thumbnails get, above
    /// 0 and below 1. All earlier limits of both policies are replaced, also limits of the other unit.
    /// - Throws: ``SpecError`` if there is no `split`, if a policy of it has no limit, or if the share of one of them
    ///   is less than one byte or object.
    public func limited(
        to size: Size?, thumbnails share: Double, registry: PolicyRegistry = .builtIn
    ) throws -> PolicySpec {
        try mappingHalves(registry) { halves in
            let sizes = try size.map { try PolicyHalves.sizes(of: $0, thumbnails: share) }
            func limiting(_ half: PolicySpec, _ size: Size?) throws -> PolicySpec {
                try half.mappingInnermost(registry) { $0.withoutOwnLimits(registry) }
                    .limited(to: size, registry: registry)
            }
            return try PolicyHalves(
                limiting(halves.thumbnail, sizes?.thumbnail), limiting(halves.full, sizes?.full))
        }
    }

    /// Returns this specification with another share of thumbnails in the limits of a `split`. The sum of the limits
    /// stays.
    ///
    /// - Parameters:
    ///   - share: The share of thumbnails, above 0 and below 1.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if there is no `split`, or if its policies have no limits in the same unit.
    public func sharing(thumbnails share: Double, registry: PolicyRegistry = .builtIn) throws -> PolicySpec {
        try mappingHalves(registry) { halves in
            let sums = halves.limits(registry).map { $0 + $1 }
            guard !sums.isEmpty else {
                throw SpecError(
                    """
                    '\(name)' has no limits in the same unit for thumbnails and for full images: give the limit of \
                    both together too (memory=64MB), or write the whole policy
                    """, in: description)
            }
            return try sums.reduce(halves) { halves, sum in
                let sizes = try PolicyHalves.sizes(of: sum, thumbnails: share)
                return try PolicyHalves(
                    halves.thumbnail.limited(to: sizes.thumbnail, registry: registry),
                    halves.full.limited(to: sizes.full, registry: registry))
            }
        }
    }

    /// Returns this specification with another policy in place of the innermost one, or of both in a `split`, with the
    /// same limits.
    ///
    /// - Parameters:
    ///   - name: The name of a policy that needs nothing but a limit.
    ///   - registry: The policies that specifications can name.
    /// - Throws: ``SpecError`` if there is no such policy, if it needs other arguments or has no limit, and if there is
    ///   no policy to replace.
    public func replacingInnermost(
        with name: String, registry: PolicyRegistry = .builtIn
    ) throws -> PolicySpec {
        guard let entry = registry[name] else { throw SpecError(registry.unknown(name), in: "") }
        guard entry.needsOnlyLimits else {
            throw SpecError(
                "'\(name)' is no policy that needs a limit and nothing else, such as lru or sieve", in: entry.signature)
        }
        return try mappingInnermost(registry) { policy in
            guard policy.name != NoCache.entry.name else {
                throw SpecError(
                    "there is no policy to replace; write one with its limit, such as \(name)(64MB)", in: "")
            }
            let limits = policy.ownLimits(registry)
            let other = PolicySpec(name: name, arguments: [], column: policy.column)
            guard !limits.isEmpty else { return try other.limited(to: nil, registry: registry) }
            return try limits.reversed().reduce(other) { try $0.limited(to: $1, registry: registry) }
        }
    }

    /// The places of the policies within this one.
    func policyIndices(_ registry: PolicyRegistry) -> [Int] {
        arguments.indices.filter { index in
            guard case .spec(let inner) = arguments[index].value, registry[inner.name] != nil else { return false }
            let label = arguments[index].label
            return registry[name]?.parameters.contains { $0.kind == .policy && $0.label == label } ?? false
        }
    }

    /// Returns this specification with other policies in the only `split` of it.
    func mappingHalves(
        _ registry: PolicyRegistry, _ change: (PolicyHalves) throws -> PolicyHalves
    ) throws -> PolicySpec {
        var spec = self
        let inner = policyIndices(registry)
        if inner.count == 1, case .spec(let policy) = arguments[inner[0]].value {
            spec.arguments[inner[0]].value = .spec(try policy.mappingHalves(registry, change))
            return spec
        }
        let labelled = { (label: String) in inner.first { arguments[$0].label == label } }
        guard let thumbnail = labelled("thumbnail"), case .spec(let first) = arguments[thumbnail].value,
            let full = labelled("full"), case .spec(let second) = arguments[full].value
        else {
            throw SpecError(
                """
                '\(name)' does not divide memory between thumbnails and full images; write a policy that does, such as \
                split(thumbnail: lru(16MB), full: lru(48MB))
                """, in: description)
        }
        let halves = try change(PolicyHalves(first, second))
        spec.arguments[thumbnail].value = .spec(halves.thumbnail)
        spec.arguments[full].value = .spec(halves.full)
        return spec
    }

    /// Returns this specification with other policies in place of those that enclose none.
    func mappingInnermost(
        _ registry: PolicyRegistry, _ change: (PolicySpec) throws -> PolicySpec
    ) throws -> PolicySpec {
        let inner = policyIndices(registry)
        guard !inner.isEmpty else { return try change(self) }
        return try inner.reduce(into: self) { spec, index in
            guard case .spec(let policy) = arguments[index].value else { return }
            spec.arguments[index].value = .spec(try policy.mappingInnermost(registry, change))
        }
    }

    /// The limits of a policy that encloses none, or of the innermost of several: at most one of bytes or a share, and
    /// one of objects. Empty for a `split`.
    func ownLimits(_ registry: PolicyRegistry) -> [Size] {
        let inner = policyIndices(registry)
        if inner.count == 1, case .spec(let policy) = arguments[inner[0]].value { return policy.ownLimits(registry) }
        guard inner.isEmpty, let entry = registry[name] else { return [] }
        let sizes = arguments.compactMap { argument -> Size? in
            guard case .quantity(let text) = argument.value, isOwnLimit(argument, entry) else { return nil }
            guard argument.label == nil || argument.label != entry.limitLabel(ofObjects: true) else {
                return Int(text).map(Size.objects)
            }
            return try? Size(text)
        }
        return sizes.filter { size in
            switch size {
            case .bytes(Self.noLimit): false
            case .bytes(0), .objects(0): !entry.zeroIsNoLimit
            default: true
            }
        }
    }

    /// Whether an innermost policy has a limit in bytes, or a share of the working set.
    public func limitsBytes(_ registry: PolicyRegistry = .builtIn) -> Bool {
        let inner = policyIndices(registry)
        guard inner.isEmpty else {
            return inner.contains { index in
                guard case .spec(let policy) = arguments[index].value else { return false }
                return policy.limitsBytes(registry)
            }
        }
        return ownLimits(registry).contains { !$0.isOfObjects }
    }

    /// Returns a policy that encloses none without its limits.
    func withoutOwnLimits(_ registry: PolicyRegistry) -> PolicySpec {
        guard let entry = registry[name] else { return self }
        var spec = self
        spec.arguments.removeAll { isOwnLimit($0, entry) }
        return spec
    }

    private func isOwnLimit(_ argument: Argument, _ entry: PolicyEntry) -> Bool {
        guard let label = argument.label else { return entry.parameters.contains { $0.kind == .limits } }
        return label == entry.limitLabel(ofObjects: false) || label == entry.limitLabel(ofObjects: true)
    }
}

/// The two policies of a `split`.
struct PolicyHalves {
    var thumbnail: PolicySpec
    var full: PolicySpec

    init(_ thumbnail: PolicySpec, _ full: PolicySpec) {
        self.thumbnail = thumbnail
        self.full = full
    }

    /// The limits that both have in the same unit.
    func limits(_ registry: PolicyRegistry) -> [(Size, Size)] {
        let others = full.ownLimits(registry)
        return thumbnail.ownLimits(registry).compactMap { own in
            others.first { $0.hasUnit(of: own) }.map { (own, $0) }
        }
    }

    /// Returns the parts of a limit, in the proportion of the present limits.
    func sizes(of size: Size, _ registry: PolicyRegistry) throws -> (thumbnail: Size, full: Size) {
        guard let own = limits(registry).first(where: { $0.0.isOfObjects == size.isOfObjects }) else {
            throw SpecError(
                """
                'split' has no limits in \(size.isOfObjects ? "objects" : "bytes") for thumbnails and for full images: \
                give the share of thumbnails too (thumbnails=25%), or write the whole policy
                """, in: "split(thumbnail: \(thumbnail), full: \(full))")
        }
        return try Self.sizes(of: size, thumbnails: own.0.number / (own.0.number + own.1.number))
    }

    static func sizes(of size: Size, thumbnails share: Double) throws -> (thumbnail: Size, full: Size) {
        guard share > 0, share < 1 else {
            throw SpecError("the share of thumbnails is above 0% and below 100%, such as 25%", in: "")
        }
        func parts(_ whole: Int) throws -> (Int, Int) {
            let part = Int((Double(whole) * share).rounded())
            // In some policies, 0 stands for no limit.
            guard 0 < part, part < whole else {
                throw SpecError(
                    "\(size) cannot be divided so that thumbnails get \(Size.share(share)) and full images the rest",
                    in: "")
            }
            return (part, whole - part)
        }
        switch size {
        case .bytes(let bytes):
            let (part, rest) = try parts(bytes)
            return (.bytes(part), .bytes(rest))
        case .objects(let objects):
            let (part, rest) = try parts(objects)
            return (.objects(part), .objects(rest))
        case .share(let whole): return (.share(whole * share), .share(whole * (1 - share)))
        }
    }
}

extension Size {
    fileprivate var number: Double {
        switch self {
        case .bytes(let bytes): Double(bytes)
        case .objects(let objects): Double(objects)
        case .share(let share): share
        }
    }

    fileprivate func hasUnit(of other: Size) -> Bool {
        switch (self, other) {
        case (.bytes, .bytes), (.objects, .objects), (.share, .share): true
        default: false
        }
    }

    /// The sum of two sizes of the same unit.
    fileprivate static func + (one: Size, other: Size) -> Size {
        func sum(_ one: Int, _ other: Int) -> Int {
            let (sum, overflow) = one.addingReportingOverflow(other)
            return overflow ? .max : sum
        }
        return switch (one, other) {
        case (.objects(let one), .objects(let other)): .objects(sum(one, other))
        case (.bytes(let one), .bytes(let other)): .bytes(sum(one, other))
        default: .share(one.number + other.number)
        }
    }
}
