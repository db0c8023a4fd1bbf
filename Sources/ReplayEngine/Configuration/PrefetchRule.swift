import Basics

/// The rule by which a cache fetches images before cells need them.
public enum PrefetchRule: Codable, Sendable, Equatable {
    /// The prefetches that the app asked for when the session was recorded.
    case recorded
    case none
    /// So many cells beyond the last one that appeared, in the direction of movement.
    case next(Int)
    /// So many rows of cells.
    case rows(Int)
    /// The cells that the present speed of the list reaches within so many microseconds.
    case velocity(Int64)
    /// Each cell, so many microseconds before it appears. No app knows that: it is the bound of all others.
    case oracle(Int64)

    /// Whether the replay decides what is prefetched, and not the recording.
    public var isPlanned: Bool {
        switch self {
        case .recorded, .none: false
        case .next, .rows, .velocity, .oracle: true
        }
    }

    /// Whether it asks for the cells that will appear, before the app can know them.
    var knowsFuture: Bool { if case .oracle = self { true } else { false } }

    /// The most cells or rows ahead.
    static let most = 1_000
    /// The longest time ahead, in microseconds.
    static let longest: Int64 = 60_000_000

    /// Parses `rows(2)`; nil for another text.
    init?(_ text: String) {
        switch text {
        case "recorded": self = .recorded
        case "none": self = .none
        default:
            guard text.hasSuffix(")"), let open = text.firstIndex(of: "(") else { return nil }
            let argument = String(text[text.index(after: open)...].dropLast())
            let count = Int(argument).flatMap { (1...Self.most).contains($0) ? $0 : nil }
            let time = (try? TimeSpan.microseconds(argument)).flatMap { (1...Self.longest).contains($0) ? $0 : nil }
            switch text[..<open] {
            case "next": if let count { self = .next(count) } else { return nil }
            case "rows": if let count { self = .rows(count) } else { return nil }
            case "velocity": if let time { self = .velocity(time) } else { return nil }
            case "oracle": if let time { self = .oracle(time) } else { return nil }
            default: return nil
            }
        }
    }

    /// The text that parses as this value.
    public var text: String {
        switch self {
        case .recorded: "recorded"
        case .none: "none"
        case .next(let count): "next(\(count))"
        case .rows(let count): "rows(\(count))"
        case .velocity(let time): "velocity(\(TimeSpan.text(time)))"
        case .oracle(let time): "oracle(\(TimeSpan.text(time)))"
        }
    }
}

extension RuleType where Value == PrefetchRule {
    static var prefetch: Self {
        Self(
            expectation: """
                recorded, none, next(COUNT), rows(COUNT), velocity(DURATION) or oracle(DURATION), with a count from 1 \
                to \(PrefetchRule.most) and a duration up to 60s, such as next(12) or velocity(500ms)
                """,
            forms: [.words(["recorded", "none"]), .call(["next", "rows", "velocity", "oracle"])],
            value: { PrefetchRule($0) }, text: \.text)
    }
}
