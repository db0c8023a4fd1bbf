import Basics
import CachePolicies

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
