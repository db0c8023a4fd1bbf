/// One setting of a cache beside the policies of its tiers: its name, type, default and meaning, and where a
/// ``CacheConfiguration`` stores it.
///
/// ``all`` is the only list of rules. The parser of specifications, the YAML reader, the canonical text of a cache, the
/// help of the command, `cachereplay rules` and the page of all rules in the documentation derive from it.
public struct Rule: Sendable {
    /// The part of a cache that a rule belongs to. In a YAML file, it is the key that the rule is written under.
    public enum Section: String, Sendable, CaseIterable {
        case memory
        case disk
        case pipeline
    }

    public let name: String
    public let section: Section
    /// The accepted values, in words.
    public let values: String
    /// The forms of the accepted values.
    public let forms: [ValueForm]
    /// The meaning, in one sentence or two.
    public let meaning: String
    private let parse: @Sendable (String, inout CacheConfiguration) -> Bool
    private let read: @Sendable (CacheConfiguration) -> String

    /// Creates a rule that is stored at a key path.
    init<Value: Sendable>(
        _ name: String, _ section: Section, _ path: WritableKeyPath<CacheConfiguration, Value> & Sendable,
        _ type: RuleType<Value>, _ meaning: String
    ) {
        self.name = name
        self.section = section
        self.meaning = meaning
        values = type.expectation
        forms = type.forms
        parse = { text, cache in
            guard let value = type.value(text) else { return false }
            cache[keyPath: path] = value
            return true
        }
        read = { type.text($0[keyPath: path]) }
    }

    /// Returns the rule's value in a cache, as it is written.
    public func text(in cache: CacheConfiguration) -> String { read(cache) }

    /// The default, as it is written.
    public var defaultText: String { read(CacheConfiguration.defaults) }

    /// Sets the rule in a cache.
    ///
    /// - Throws: ``RuleError`` that names the accepted values.
    public func set(_ text: String, in cache: inout CacheConfiguration) throws(RuleError) {
        guard parse(text, &cache) else {
            throw RuleError(rule: name, message: "\(name) is \(values), not '\(text)'")
        }
    }

    /// Returns the rule with the given name, or nil.
    public static func named(_ name: String) -> Rule? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// A rule that does not exist, or a value that a rule does not accept.
public struct RuleError: Error, Sendable, CustomStringConvertible {
    public var rule: String
    public var message: String

    public var description: String { message }
}
