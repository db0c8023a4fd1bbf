import ResultColumns

/// The smallest difference that counts: the `relevanceThreshold` of results, comparisons and commands.
///
/// Conclusions, marks of tables, charts, counts of users and gates take a difference within it for a tie.
public struct Tolerance: Sendable, Hashable, Codable {
    /// Of shares of time, of requests and of bytes, in percentage points.
    public var points = 0.1
    /// Of bytes, memory, times and counts, in per cent of the smaller figure.
    public var percent = 1.0

    /// 0.1 points and 1 %.
    public static let standard = Tolerance()

    public init() {}

    /// Reads `0.1pt` or `0.1` (points), `1%`, or both with a comma between them. A part that is missing comes from
    /// ``standard``.
    ///
    /// - Returns: nil for another text, and for a number that is not from 0 to 100.
    public init?(_ text: String) {
        var kinds: Set<Bool> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isPercentage = part.hasSuffix("%")
            let digits = isPercentage ? part.dropLast() : part.hasSuffix("pt") ? part.dropLast(2) : part
            guard kinds.insert(isPercentage).inserted, let number = Double(digits),
                (0...100).contains(number)
            else { return nil }
            if isPercentage { percent = number } else { points = number }
        }
    }

    /// Returns the largest difference from a figure that does not count.
    package func difference(from figure: Double, _ unit: Unit) -> Double {
        unit == .ratio ? points / 100 : abs(figure) * percent / 100
    }

    /// Whether a figure is at most as large as another one, or larger by no more than the tolerance.
    package func accepts(_ figure: Double, for other: Double, _ unit: Unit) -> Bool {
        figure <= other || ties(figure, other, unit)
    }

    /// Whether two figures differ by no more than the tolerance. The last digits do not count.
    package func ties(_ one: Double, _ other: Double, _ unit: Unit) -> Bool {
        one == other
            || abs(one - other) <= difference(from: min(abs(one), abs(other)), unit) * (1 + 1e-9)
    }
}

extension Tolerance: CustomStringConvertible {
    /// The text that ``init(_:)`` reads: `0.1,1%`.
    public var description: String { "\(Self.number(points)),\(Self.number(percent))%" }

    /// Returns `0.1` or `1`.
    package static func number(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
}
