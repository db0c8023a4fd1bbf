import Basics

/// The order of a comparison whose repeats are made while it runs: when to look, and what to repeat.
///
/// In the first stage, both sides are repeated in turn, and compared after fixed numbers of repeats (``looks``). The
/// stage ends when every gated figure is decided. In the second stage, the pairs of trace and cache that raised an
/// alarm are repeated again on both sides, and the alarm is raised only if the new repeats alone confirm it.
///
/// The error of the first stage is `stageError`, divided equally among its looks, because a test that is repeated
/// until it succeeds always succeeds (Bonferroni). The error of the second stage is `stageError` too. The stages use
/// different repeats, so that the probability of a false alarm is at most `stageError` squared: 1 in 100 gates of
/// equal builds.
public struct SequentialGate: Sendable {
    /// The probability that a stage finds something worse by chance.
    static let stageError = 0.1

    /// The numbers of repeats after which the figures are compared, in ascending order.
    public let looks: [Int]

    /// - Parameter mostRepeats: The most repeats of each side in the first stage; at least 1.
    public init(mostRepeats: Int) {
        looks = [5, 8, 12, 18, 27, 40, 60, 90].filter { $0 < mostRepeats } + [mostRepeats]
    }

    /// Compares the repeats made so far. The failures are alarms, which the second stage has to confirm.
    /// - Throws: `ResultsError`.
    public func look(
        baseline: ResultSet, candidate: ResultSet, rules: Comparison.Rules
    ) throws -> Comparison {
        var rules = rules
        rules.error = Self.stageError / Double(looks.count)
        return try Comparison(baseline: baseline, candidate: candidate, rules: rules)
    }

    /// Returns the pairs that need more repeats.
    public static func open(_ comparison: Comparison) -> [Comparison.Pair] { pairs(comparison.undecided) }

    /// Returns the pairs with alarms that chance can explain, which the second stage has to confirm.
    public static func alarmed(_ comparison: Comparison) -> [Comparison.Pair] {
        pairs(comparison.judgements.filter { $0.verdict == .worse })
    }

    private static func pairs(_ judgements: [Comparison.Judgement]) -> [Comparison.Pair] {
        var pairs: [Comparison.Pair] = []
        for judgement in judgements {
            let pair = Comparison.Pair(judgement.pair)
            if !pairs.contains(pair) { pairs.append(pair) }
        }
        return pairs
    }

    /// Returns a comparison of the first stage in which only confirmed alarms are left. `baseline` and `candidate` have
    /// the new repeats of the alarmed pairs.
    ///
    /// - Throws: `ResultsError`.
    public static func confirm(
        _ comparison: Comparison, baseline: ResultSet, candidate: ResultSet, rules: Comparison.Rules
    ) throws -> Comparison {
        var rules = rules
        rules.error = stageError
        rules.gatedFigures = Set(comparison.judgements.filter { $0.verdict == .worse }.map(\.figure))
        let second = try Comparison(baseline: baseline, candidate: candidate, rules: rules)
        let confirmed = Set(second.judgements.filter { $0.verdict == .worse }.map(\.figure))
        return comparison.accepting(confirmed, reason: "new repeats did not confirm it")
    }

    /// Returns a comparison of the first stage whose alarms count as undecided, because they could not be confirmed.
    public static func unconfirmed(_ comparison: Comparison, reason: String) -> Comparison {
        comparison.accepting([], reason: reason)
    }
}

extension Comparison {
    /// Returns this comparison with only these figures as worse.
    fileprivate func accepting(_ confirmed: Set<Figure>, reason: String) -> Comparison {
        var result = self
        for index in judgements.indices
        where judgements[index].verdict == .worse && !confirmed.contains(judgements[index].figure) {
            result.judgements[index].verdict = .undecided
            let judgement = judgements[index]
            result.warnings.append(
                """
                \(VisibleText.printable(judgement.pair.place)), \(VisibleText.printable(judgement.cache)): \
                \(judgement.metric) \
                raised \
                an alarm, and \(reason)
                """)
        }
        return result
    }
}
