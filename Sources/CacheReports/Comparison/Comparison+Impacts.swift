import Basics
import ReplayEngine
import Runs

/// What a user of the app notices of a change: the blank time of both sides of a pair.
private struct Impact {
    var pair: Comparison.Pair
    /// The shares of blank time.
    var blank: Comparison.Judgement
    /// The seconds of the session that are more blank in the candidate, negative for less; nil if unknown or none.
    var seconds: Double?
    /// Whether a gated figure of the pair is worse, or may be.
    var isShown: Bool

    var text: String {
        let place = VisibleText.printable("\(pair.place), \(pair.cache)")
        let whole = Measure.blank.whole
        guard blank.baseline != blank.candidate else {
            return "\(place): blank time stays \(blank.candidateText) of \(whole)"
        }
        let change = "\(place): blank time \(blank.baselineText) → \(blank.candidateText) of \(whole)"
        return seconds.map { "\(change), \(Self.amount($0)) in the session" } ?? change
    }

    /// The sentence of a page's first line; nil if the blank time did not grow.
    var headline: String? {
        guard let before = blank.baseline, let after = blank.candidate, before < after else { return nil }
        let name = VisibleText.printable("\(pair.cache) on \(pair.place)")
        let change = "Blank time of \(name) grew from \(blank.baselineText) to \(blank.candidateText)"
        return seconds.map { "\(change), \(Self.amount($0)) in the session." } ?? "\(change)."
    }

    static func amount(_ seconds: Double) -> String {
        "\(HumanText.figure(abs(seconds), .seconds)) \(seconds > 0 ? "more" : "less")"
    }
}

extension Comparison {
    /// A sentence for each pair with a figure that is worse, on what a user of the app notices: the shares of blank
    /// time of both sides, and the difference in seconds of the session. The other models of Darwin's NSCache stand in
    /// the sentence of their cache, if blank time changed in the same direction with each.
    var impacts: [String] {
        let all = allImpacts
        return all.compactMap { impact -> String? in
            let others = all.filter { isModel($0.pair, of: impact.pair) }
            let isTold = all.contains { base in
                let models = all.filter { isModel($0.pair, of: base.pair) }
                return base.isShown && isModel(impact.pair, of: base.pair) && Self.areAlike([base] + models)
            }
            guard impact.isShown, !isTold else { return nil }
            guard !others.isEmpty, Self.areAlike([impact] + others) else { return impact.text }
            let amounts = others.compactMap(\.seconds).sorted { abs($0) < abs($1) }
            guard let least = amounts.first, let most = amounts.last else { return impact.text }
            let shortest = HumanText.figure(abs(least), .seconds)
            let longest = Impact.amount(most)
            let range = longest.hasPrefix("\(shortest) ") ? longest : "\(shortest) to \(longest)"
            return "\(impact.text) (with other models of NSCache \(range))"
        }
    }

    /// The first line of a page about a comparison that fails: the pair whose blank time grew by the largest share;
    /// nil if no figure of blank time failed.
    var answer: String? {
        let failed = failures.filter { $0.metric == Measure.blank.metric }.map { Pair($0.pair) }
        let grown = allImpacts.filter { impact in failed.contains(impact.pair) }
        return grown.max { growth($0) < growth($1) }?.headline
    }

    private func growth(_ impact: Impact) -> Double {
        (impact.blank.candidate ?? 0) - (impact.blank.baseline ?? 0)
    }

    private var allImpacts: [Impact] {
        let figures = Dictionary(grouping: judgements, by: \.pair)
        return judgements.compactMap { blank -> Impact? in
            guard blank.metric == Measure.blank.metric, blank.baseline != nil, blank.candidate != nil else {
                return nil
            }
            let others = figures[blank.pair] ?? []
            let shown: [Judgement.Verdict] = [.worse, .accepted, .allowed, .undecided]
            let isShown = others.contains { $0.isGated && shown.contains($0.verdict) }
            let time = others.first { $0.metric == "blank_s" }
            let change = time.flatMap { time in
                time.candidate.flatMap { new in time.baseline.map { new - $0 } }
            }
            return Impact(
                pair: Pair(blank.pair), blank: blank, seconds: change == 0 ? nil : change, isShown: isShown)
        }
    }

    /// Whether blank time changed in the same direction, by a known number of seconds, in all of these.
    private static func areAlike(_ impacts: [Impact]) -> Bool {
        impacts.allSatisfy { ($0.seconds ?? 0) > 0 } || impacts.allSatisfy { ($0.seconds ?? 0) < 0 }
    }

    /// Whether a pair has another model of Darwin's NSCache for the cache of a pair, as its name says.
    func isModel(_ pair: Pair, of base: Pair) -> Bool {
        pair.trace == base.trace && pair.network == base.network
            && NSCacheModelChoice.allCases.contains { pair.cache == "\(base.cache) [\($0.rawValue)]" }
    }
}
