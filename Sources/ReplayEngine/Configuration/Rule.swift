import Basics
import CachePolicies

/// One setting of a cache beside the policies of its tiers: its name, type, default and meaning, and where a
/// ``CacheConfiguration`` stores it.
///
/// ``all`` is the only list of rules. The parser of specifications, the YAML reader, the canonical text of a cache, the
/// help of the command, `cachereplay list rules` and the page of all rules in the documentation derive from it.
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

    /// Whether the rule says what an app does, and not its cache: what its cells do, and what it asks for ahead of
    /// need. A preset has a value of it all the same, which is an assumption unless the code of the library decides.
    public var isOfApp: Bool { Self.ofApp.contains(name) }

    private static let ofApp: Set<String> = ["prefetch", "prefetchCancels", "prefetchOnMetered", "cancelOnDisappear"]

    /// Returns the rule with the given name, or nil.
    public static func named(_ name: String) -> Rule? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: (all + former).map { ($0.name, $0) })

    /// Rules of earlier versions, which files and folders of results still have. No text is written with them.
    private static let former = [
        Rule("prefetchPromotes", .pipeline, \.pipeline.prefetchInto, .promotion, "Now `prefetchInto`.")
    ]
}

/// A rule that does not exist, or a value that a rule does not accept.
public struct RuleError: Error, Sendable, CustomStringConvertible {
    public var rule: String
    public var message: String

    package init(rule: String, message: String) {
        self.rule = rule
        self.message = message
    }

    public var description: String { message }
}

/// The type of a rule's value: which texts are values of it, and how a value is written.
struct RuleType<Value: Sendable>: Sendable {
    /// The texts that are accepted, in words: `true or false`.
    let expectation: String
    /// The forms of the texts that are accepted.
    let forms: [ValueForm]
    /// Parses a text; nil if it is not a value.
    let value: @Sendable (String) -> Value?
    /// Returns the text of a value. It parses as the same value.
    let text: @Sendable (Value) -> String
}

extension RuleType where Value == Bool {
    static var flag: Self { Self(expectation: "true or false", forms: [.flag], value: { Bool($0) }, text: { "\($0)" }) }
}

extension RuleType where Value == PrefetchDestination {
    /// Whether an object that a prefetch reads from disk is stored in memory too.
    static var promotion: Self {
        Self(
            expectation: "true or false", forms: [.flag],
            value: { Bool($0).map { $0 ? .memory : .memoryIfFetched } }, text: { "\($0 == .memory)" })
    }
}

extension RuleType where Value == Int {
    /// A whole number from `least` to 1000.
    static func count(atLeast least: Int) -> Self {
        Self(
            expectation: "a whole number from \(least) to 1000", forms: [.whole(least...1_000)],
            value: { text in Int(text).flatMap { (least...1_000).contains($0) ? $0 : nil } }, text: { "\($0)" })
    }
}

extension RuleType where Value == Int? {
    /// A whole number from 1 to 1000, or `none`.
    static var limit: Self { optional(.count(atLeast: 1)) }

    /// A size in bytes, or `none`.
    static var bytes: Self {
        optional(.size)
    }

    private static func optional(_ type: RuleType<Int>) -> Self {
        Self(
            expectation: "\(type.expectation), or none", forms: type.forms + [.words(["none"])],
            value: { $0 == "none" ? .some(nil) : type.value($0).map { $0 } },
            text: { $0.map(type.text) ?? "none" })
    }
}

extension RuleType where Value == Int {
    /// A size in bytes.
    static var size: Self {
        Self(
            expectation: "a size such as 80MB", forms: [.size],
            value: { if case .bytes(let bytes)? = try? Size($0) { bytes } else { nil } },
            text: { Size.bytes($0).description })
    }
}

extension RuleType where Value == Int64 {
    /// A duration in microseconds.
    static var duration: Self {
        Self(
            expectation: "a duration such as 500ms or 4s", forms: [.duration],
            value: { try? TimeSpan.microseconds($0) },
            text: TimeSpan.text)
    }
}

extension RuleType where Value == PressureAction {
    static var pressureAction: Self {
        Self(
            expectation: "keep, clear, or a size such as 50MB or a share such as 50% to trim to",
            forms: [.words(["keep", "clear"]), .size, .share],
            value: { text in
                switch text {
                case "keep": return .keep
                case "clear": return .clear
                default:
                    switch try? Size(text) {
                    case .bytes(let bytes): return bytes == 0 ? .clear : .trim(to: bytes)
                    case .share(let share) where share <= 1: return share == 0 ? .clear : .trimToShare(share)
                    default: return nil
                    }
                }
            },
            text: { action in
                switch action {
                case .keep: "keep"
                case .clear: "clear"
                case .trim(let bytes): Size.bytes(bytes).description
                case .trimToShare(let share): Size.share(share).description
                }
            })
    }
}

/// A rule's value that is one of a few words.
protocol RuleChoice: RawRepresentable<String>, CaseIterable, Sendable {}

extension RuleType where Value: RuleChoice {
    static var choice: Self {
        Self(
            expectation: "one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))",
            forms: [.words(Value.allCases.map(\.rawValue))],
            value: { Value(rawValue: $0) }, text: \.rawValue)
    }
}

/// A form that texts of a value have. A value has one of a few forms.
public enum ValueForm: Sendable, Equatable {
    case words([String])
    case flag
    case whole(ClosedRange<Int>)
    /// Bytes.
    case size
    /// A percentage.
    case share
    case duration
    /// One of these names, with an argument in parentheses.
    case call([String])
}
