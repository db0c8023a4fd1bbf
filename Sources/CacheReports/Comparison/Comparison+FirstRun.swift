import Basics
import Runs

extension Comparison {
    /// A pair of the baseline, and the pair of the candidate that stands in its place.
    public struct Replacement: Sendable, Equatable {
        public var old: Pair
        public var new: Pair
    }

    /// Creates the comparison of a candidate that has no baseline: only its budgets are judged.
    public init(firstRun candidate: ResultSet) {
        isFirstRun = true
        newPairs = candidate.groups.map { group in Pair(group.key) }
        warnings = candidate.stayingCells
    }

    /// Finds renamed pairs. If only limits can fail, missing pairs become warnings.
    mutating func findUnpaired(_ rules: Rules) {
        if rules.acceptsFirstRun { findReplacements() }
        guard rules.strictness == .budgets else { return }
        for pair in missingPairs {
            warnings.append("\(VisibleText.printable("\(pair.place), \(pair.cache)")) is missing in the candidate")
        }
        missingPairs = []
    }

    /// Takes a missing pair for a renamed one if there is a new pair of the same trace or, otherwise, of the same
    /// cache. In a first run, any new pair is taken.
    private mutating func findReplacements() {
        var free = newPairs
        var left: [Pair] = []
        for old in missingPairs {
            let sameTrace: Int? = free.firstIndex { $0.trace == old.trace && $0.network == old.network }
            let sameCache: Int? = free.firstIndex { $0.cache == old.cache }
            let first: Int? = isFirstRun ? free.indices.first : nil
            if let place = sameTrace ?? sameCache ?? first {
                replacedPairs.append(Replacement(old: old, new: free.remove(at: place)))
            } else {
                left.append(old)
            }
        }
        if isFirstRun {
            for pair in left {
                warnings.append("\(VisibleText.printable("\(pair.place), \(pair.cache)")) is missing in the candidate")
            }
            left = []
        }
        missingPairs = left
    }

    /// The metrics whose gain is reported as a trade-off with blank time.
    private static let hits: Set<String> = ["hit_ratio", "memory_hit_ratio", "byte_hit_ratio"]

    /// The pairs that gain hits, and whose blank time grows by no more than is allowed, one sentence each.
    var tradeOffs: [String] {
        let figures = Dictionary(grouping: judgements, by: \.pair)
        return judgements.compactMap { blank -> String? in
            guard blank.metric == Measure.blank.metric, blank.verdict == .same || blank.verdict == .allowed,
                let before = blank.baseline, let after = blank.candidate, after > before,
                blank.baselineText != blank.candidateText
            else { return nil }
            let others = figures[blank.pair] ?? []
            let gain = others.first { Self.hits.contains($0.metric) && $0.verdict == .better }
            guard let gain, !others.contains(where: { $0.isFailure }) else { return nil }
            return "Trade-off: \(VisibleText.printable("\(blank.pair.place), \(blank.cache)")): \(gain.metric) "
                + "\(gain.baselineText) → \(gain.candidateText), and blank time \(blank.baselineText) → "
                + "\(blank.candidateText), which is within what is allowed"
        }
    }
}
