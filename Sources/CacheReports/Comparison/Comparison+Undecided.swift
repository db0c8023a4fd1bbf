import Basics
import ResultColumns
import Runs

/// What a user does about undecided figures that fail.
///
/// They are not accepted as worse ones are. An entry names the new value, but a measured value differs from repeat to
/// repeat and from machine to machine, so that the entry would hold by chance. An amount that is relative to the
/// baseline does not depend on the machine.
extension Comparison {
    /// Why undecided figures are not accepted, and what decides them; nil if none fails.
    var undecidedRemedy: String? {
        guard undecidedFails, !undecided.isEmpty else { return nil }
        var text = """
            Undecided figures fail, and accept: cannot name them, because their values differ from repeat to repeat. \
            More repeats decide them (gate --max-repeats, replay --repeat)
            """
        let entries = decidingAmounts
        if !entries.isEmpty { text += ", and so does a greater amount: allow: [\(entries.joined(separator: ", "))]" }
        return text + "."
    }

    /// The amounts with which the present repeats would decide the undecided figures, as entries of the key `allow`.
    private var decidingAmounts: [String] {
        var metrics: [String] = []
        var amounts: [String: Int] = [:]
        for judgement in undecided {
            guard let amount = Self.decidingPercentage(judgement) else { continue }
            if amounts[judgement.metric] == nil { metrics.append(judgement.metric) }
            amounts[judgement.metric] = max(amounts[judgement.metric] ?? 0, amount)
        }
        return metrics.map { metric in "\"\(metric):\(amounts[metric] ?? 0)%\"" }
    }

    /// Returns the least whole percentage of the baseline that no worsening of the 95 % interval exceeds; nil without
    /// an interval, for a baseline of 0, and for more than ten times the baseline.
    private static func decidingPercentage(_ judgement: Judgement) -> Int? {
        guard let interval = judgement.chance?.interval, let baseline = judgement.baseline, baseline != 0 else {
            return nil
        }
        let isHigherBetter = SummaryColumns[judgement.metric]?.polarity == .higherIsBetter
        let most: Double = isHigherBetter ? -interval.lowerBound : interval.upperBound
        let percentage: Double = (most / abs(baseline) * 100).rounded(.up)
        guard percentage > 0, percentage <= 1_000 else { return nil }
        return Int(percentage)
    }
}
