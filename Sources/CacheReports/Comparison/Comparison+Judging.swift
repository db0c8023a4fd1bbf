import Foundation
import ReplayEngine
import Runs
import Statistics

/// The verdicts of a comparison.
extension Comparison {
    /// A figure whose verdict depends on chance.
    private struct Draft {
        /// The place of its judgement.
        var place = 0
        var repeats: RepeatComparison
        var test: RankTest
        /// 1 if larger values are worse, and -1 if smaller values are.
        var sign: Double
        /// The smallest improvement that counts.
        var effect: Double
    }

    /// The metrics for which a single occurrence is a defect, and not noise.
    private static let defects: Set<String> = ["failed", "wrong"]

    /// Judges all figures of the groups that both sides have.
    mutating func judge(
        _ common: [RunGroup], _ after: [RunGroup.Key: RunGroup], _ rules: Rules, isRounded: Bool
    ) {
        let allowances = Dictionary(
            rules.allowances.map { ($0.metric, $0.worsening) }, uniquingKeysWith: { _, last in last })
        var drafts: [Draft] = []
        for old in common {
            guard let new = after[old.key] else { continue }
            for metric in SummaryColumns.metrics where metric.polarity != .neutral {
                guard
                    let (judgement, draft) = Self.judge(
                        metric, old, new, allowances[metric.name], rules, isRounded: isRounded)
                else { continue }
                if var draft {
                    draft.place = judgements.count
                    drafts.append(draft)
                }
                judgements.append(judgement)
            }
        }
        judge(drafts, error: rules.error)
    }

    /// Returns the judgement of one metric, or nil if neither side has a figure; and what is left to statistics.
    private static func judge(
        _ metric: Column<RunResult>, _ old: RunGroup, _ new: RunGroup, _ allowance: Allowance.Worsening?,
        _ rules: Rules, isRounded: Bool
    ) -> (Judgement, Draft?)? {
        let (before, after) = (old.values(metric.name), new.values(metric.name))
        let baseline = old.median(metric.name)
        let candidate = new.median(metric.name)
        var judgement = Judgement(
            trace: old.key.trace, network: old.key.network, cache: old.key.cache, metric: metric.name,
            unit: metric.unit,
            isGated: metric.isGated && rules.strictness != .budgets || allowance != nil, baseline: baseline,
            candidate: candidate, allowed: nil,
            verdict: .same)
        if let figures = rules.gatedFigures { judgement.isGated = figures.contains(judgement.figure) }
        guard let baseline else {
            judgement.verdict = .new
            return candidate == nil ? nil : (judgement, nil)
        }
        let sign = metric.polarity == .higherIsBetter ? -1.0 : 1
        let repeats = RepeatComparison(baseline: before.map { sign * $0 }, candidate: after.map { sign * $0 })
        let isExact = old.isExact && new.isExact
        let isFixed = isExact || candidate != nil && repeats.isWithoutVariation
        let relevant = rules.relevanceThreshold.difference(from: baseline, metric.unit)
        let least = isFixed ? (rules.isExact ? 0 : relevant) : max(relevant, SmallestEffect.ofBuilds * abs(baseline))
        let allowed = allowance?.amount(of: baseline) ?? least
        if judgement.isGated { judgement.allowed = allowed }
        guard candidate != nil else {
            judgement.verdict = .missing
            return (judgement, nil)
        }
        let worsening = repeats.worsening
        let isDefect = defects.contains(metric.name) && before.allSatisfy { $0 == 0 } && worsening > allowed
        guard isFixed || isDefect else {
            if repeats.isEqual { return (judgement, nil) }
            return (
                judgement, Draft(repeats: repeats, test: repeats.test, sign: sign, effect: least)
            )
        }
        // 0.90 - 0.89 is a little more than 0.01 in binary. Decimal figures that are equal count as equal.
        var rounding = 1e-9 * max(1e-3, abs(baseline), abs(candidate ?? 0))
        // A figure from a CSV file differs from the run's own by up to half of its last place.
        if isRounded, metric.unit.places > 0 { rounding += 0.5 * pow(10, -Double(metric.unit.places)) }
        if allowance == nil, abs(worsening) <= least + rounding { return (judgement, nil) }
        if worsening > rounding {
            judgement.verdict = !judgement.isGated ? .noted : worsening > allowed + rounding ? .worse : .allowed
        } else if worsening < -rounding {
            judgement.verdict = .better
        }
        return (judgement, nil)
    }

    /// Judges the figures that differ by chance: the gated ones together, and each of the others alone.
    private mutating func judge(_ drafts: [Draft], error: Double) {
        let gated = drafts.filter { judgements[$0.place].isGated && $0.repeats.isTestable }
        let worse = HolmCorrection.corrected(gated.map(\.test.pGreater))
        let better = HolmCorrection.corrected(gated.map(\.test.pLess))
        let corrected = Dictionary(
            uniqueKeysWithValues: gated.enumerated().map { ($1.place, (worse: worse[$0], better: better[$0])) })
        for draft in drafts {
            let p = corrected[draft.place] ?? (draft.test.pGreater, draft.test.pLess)
            // The first step of the correction is the hardest. It is the step of a figure that changes alone.
            let share = error / Double(max(gated.count, 1))
            judge(draft, worse: p.worse, better: p.better, error: error, share: share)
        }
    }

    private mutating func judge(_ draft: Draft, worse: Double, better: Double, error: Double, share: Double) {
        let repeats = draft.repeats
        let (worsening, isTestable) = (repeats.worsening, repeats.isTestable)
        var judgement = judgements[draft.place]
        defer { judgements[draft.place] = judgement }
        guard judgement.isGated else {
            // Only shown: without a verdict, the figure counts as unchanged.
            guard isTestable, abs(worsening) > draft.effect else { return }
            if worse <= error { judgement.verdict = .noted } else if better <= error { judgement.verdict = .better }
            return
        }
        let allowed = judgement.allowed ?? 0
        let interval = isTestable ? repeats.interval : nil
        if isTestable, worse <= error, worsening > allowed {
            judgement.verdict = .worse
        } else if isTestable, better <= error, -worsening > draft.effect {
            judgement.verdict = .better
        } else if let interval, interval.upperBound <= allowed {
            judgement.verdict = worse <= error && worsening > draft.effect ? .allowed : .same
        } else {
            judgement.verdict = .undecided
        }
        let isUndecided = judgement.verdict == .undecided
        judgement.chance = Chance(
            repeats: [repeats.baseline.count, repeats.candidate.count],
            interval: interval.map { draft.sign > 0 ? $0 : -$0.upperBound...(-$0.lowerBound) },
            p: isTestable ? (worsening >= 0 ? worse : better) : nil,
            detectable: repeats.detectable(allowed: allowed, error: share),
            repeatsNeeded: isUndecided ? repeats.repeatsNeeded(allowed: allowed, error: share) : nil)
    }
}
