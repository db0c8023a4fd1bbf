import Runs

@testable import CacheReports

/// The amounts that a reader finds in a sentence. It knows nothing of how sentences are made.
struct ReadAmounts {
    /// A number as it is written.
    struct Amount: Equatable, CustomStringConvertible {
        enum Kind { case share, points, bytes }

        var kind: Kind
        /// `<`, `>`, or nothing.
        var bound: String
        var number: Double
        /// The largest distance of a number that is written like this one.
        var rounding: Double
        var description: String { "\(bound)\(number) \(kind)" }

        /// Whether a figure can be written as this amount.
        func states(_ figure: Double) -> Bool {
            switch bound {
            case "<": figure > 0 && figure < number
            case ">": figure > number
            default: abs(figure - number) <= rounding * (1 + 1e-9) + 1e-9 * abs(number)
            }
        }
    }

    private(set) var amounts: [Amount] = []

    init(_ text: String) {
        // The tolerance is a setting, and no figure.
        let text = text.replacing(#/within [\d.]+ points?/#, with: "")
        for match in text.matches(of: #/([<>]?)(\d+(?:\.(\d+))?)%/#) {
            add(.share, match.1, match.2, match.3)
        }
        for match in text.matches(of: #/([<>]?)(\d+(?:\.(\d+))?) points/#) {
            add(.points, match.1, match.2, match.3)
        }
        for match in text.matches(of: #/\((\d+\.(\d+)) to (\d+\.(\d+))\)/#) {
            add(.points, "", match.1, match.2)
            add(.points, "", match.3, match.4)
        }
        let factors = ["B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9]
        for match in text.matches(of: #/(\d+(?:\.\d+)?) (B|kB|MB|GB)\b/#) {
            guard let number = Double(match.1), let factor = factors[String(match.2)] else { continue }
            // Three digits, of which zeros at the end are left out.
            let step = number < 9.995 ? 0.01 : number < 99.95 ? 0.1 : 1
            amounts.append(Amount(kind: .bytes, bound: "", number: number * factor, rounding: step / 2 * factor))
        }
    }

    private mutating func add(_ kind: Amount.Kind, _ bound: Substring, _ number: Substring, _ places: Substring?) {
        guard let value = Double(number) else { return }
        var rounding = 0.5
        for _ in 0..<(places?.count ?? 0) { rounding /= 10 }
        amounts.append(Amount(kind: kind, bound: String(bound), number: value, rounding: rounding))
    }

    /// Returns the amounts that no figure has: a share or an amount of bytes is that of one figure, and points are the
    /// difference of two figures of one kind, or a difference that is a figure itself.
    func strangers(to evidence: [Finding.Evidence]) -> [Amount] {
        let shares = evidence.filter { $0.metric.hasSuffix("_ratio") }
        let bytes = evidence.filter { $0.metric.hasSuffix("_bytes") }
        return amounts.filter { amount in
            switch amount.kind {
            case .share: !shares.contains { amount.states($0.value * 100) }
            case .bytes: !bytes.contains { amount.states($0.value) }
            case .points:
                !shares.contains { one in
                    amount.states(abs(one.value) * 100) && one.trace == "difference"
                        || shares.contains { one.metric == $0.metric && amount.states(abs(one.value - $0.value) * 100) }
                }
            }
        }
    }
}
