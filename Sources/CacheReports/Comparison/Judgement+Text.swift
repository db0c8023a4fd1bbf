import Basics
import Foundation
import ReplayEngine
import Runs

extension Comparison.Judgement {
    var baselineText: String { text(baseline, beside: candidate) }
    var candidateText: String { text(candidate, beside: baseline) }

    /// Returns a figure with as many digits as it needs to differ from the other one.
    private func text(_ figure: Double?, beside other: Double?) -> String {
        guard let figure else { return "–" }
        let plain = HumanText.figure(figure, unit)
        guard let other, other != figure, HumanText.figure(other, unit) == plain else { return plain }
        for places in 2...9 {
            let text = HumanText.exact(figure, unit, places)
            if text != HumanText.exact(other, unit, places) { return text }
        }
        return plain
    }

    /// The statistics of the repeats in a sentence; nil for figures that do not differ by chance.
    var chanceText: String? {
        guard let chance else { return nil }
        func amount(_ value: Double) -> String {
            let text = Self.amount(abs(value), unit)
            guard unit != .ratio, let baseline, baseline != 0 else { return text }
            return "\(text) (\(HumanText.share(abs(value / baseline))))"
        }
        func signed(_ value: Double) -> String { (value < 0 ? "-" : "+") + Self.amount(abs(value), unit) }
        let repeats =
            chance.repeats[0] == chance.repeats[1]
            ? "\(chance.repeats[0])" : "\(chance.repeats[0]) and \(chance.repeats[1])"
        var parts: [String] = []
        if let interval = chance.interval {
            parts.append("the change is \(signed(interval.lowerBound)) to \(signed(interval.upperBound)) (95%)")
        }
        if let p = chance.p { parts.append("p \(p < 0.001 ? "< 0.001" : "= \(p.fixed(3))")") }
        guard verdict == .undecided else { return parts.isEmpty ? nil : parts.joined(separator: ", ") }
        parts.append(
            chance.detectable.map { "\(repeats) repeats find a worsening of \(amount($0)) or more" }
                ?? "\(repeats) \(repeats == "1" ? "repeat finds" : "repeats find") no change")
        parts.append(
            chance.repeatsNeeded.map { "about \($0) repeats would decide" }
                ?? "more than \(RepeatComparison.mostNeeded) repeats would be needed")
        return parts.joined(separator: "; ")
    }

    var allowedText: String { allowed.map { $0 == 0 ? "0" : Self.amount($0, unit) } ?? "–" }

    /// The change with its sign: `+1.2 ms (+4.1%)`. Ratios change by percentage points.
    var changeText: String {
        guard let baseline, let candidate else { return "–" }
        let change = candidate - baseline
        let sign = change < 0 ? "-" : "+"
        let amount = sign + Self.amount(abs(change), unit)
        guard unit != .ratio, baseline != 0 else { return amount }
        return amount + " (\(sign)\(HumanText.share(abs(change / baseline))))"
    }

    private static func amount(_ value: Double, _ unit: Unit) -> String {
        guard unit == .ratio else { return HumanText.figure(value, unit) }
        // Three digits that count, so that a change of a few requests in a million does not read as 0.
        let points = value * 100
        var places = 2
        while places < 9, points > 0, points < pow(10, Double(2 - places)) { places += 1 }
        var digits = points.fixed(places)
        while digits.contains("."), digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return "\(digits) points"
    }
}
