import Advising
import Basics
import ReplayEngine
import ResultColumns
import Runs

extension Advice {
    /// The gain of the levers of a cache: the levers that gain most, the ones whose gain may be chance, and the ones
    /// without a gain.
    func changes(of row: Row) -> [Finding] {
        // Limits have findings of their own.
        let all = levers.filter { $0.cache == row.cache }
        let own = all.filter { $0.lever.kind != .limit }
        guard !own.isEmpty else { return [] }
        let limits = all.filter { $0.lever.kind == .limit && $0.gain > 0 && $0.isRelevant }
        let rising = own.filter { $0.gain > 0 }.stableSorted { $0.gain > $1.gain }
        let gains = rising.filter(\.isRelevant)
        let open = rising.filter(mayBeChance)
        let none = own.filter { !$0.isRelevant && !mayBeChance($0) }.map(\.lever.title)
        let least = "\(tolerance)\(open.isEmpty ? "" : " beyond chance")"
        let (text, named): (String, [LeverGain]) =
            if !gains.isEmpty {
                ("What gains most with \(name(row)): \(amounts(gains)).", gains)
            } else if let limit = limits.max(by: { $0.gain < $1.gain }) {
                (
                    """
                    No single change of \(name(row)) or of its app gains more than \(least), but for its memory: \
                    \(limit.lever.title) (\(inDetail(limit.gain))).
                    """, [limit]
                )
            } else {
                ("No single change of \(name(row)) or of its app gains more than \(least).", [])
            }
        var findings = [Finding(subject: .difference, text: text, evidence: evidence(named), caches: [row.cache])]
        if !open.isEmpty {
            findings.append(
                Finding(
                    subject: .difference, text: "\(Self.cannotTell) about \(amounts(open)).",
                    evidence: evidence(open), caches: [row.cache]))
        }
        if !none.isEmpty {
            findings.append(
                Finding(
                    subject: .noDifference, text: "No difference that counts: \(NameList.text(none)).",
                    caches: [row.cache]))
        }
        return findings
    }

    /// Whether a lever has an effect above the tolerance that is not relevant, because the users do not agree on it.
    private func mayBeChance(_ gain: LeverGain) -> Bool {
        !gain.isRelevant && !relevanceThreshold.ties(gain.value, gain.value + gain.gain, objective.unit)
    }

    /// The first three levers with their gains: `downloads cancelled (1.1 points)`.
    private func amounts(_ gains: [LeverGain]) -> String {
        NameList.text(gains.prefix(3).map { "\($0.lever.title) (\(gained($0.gain)))" })
    }

    private func evidence(_ gains: [LeverGain]) -> [Finding.Evidence] {
        gains.prefix(3).map { gain in
            Finding.Evidence(
                trace: "", cache: "\(gain.cache) \(gain.lever.setting.text)",
                metric: objective == .bytes ? "origin_bytes" : "blank_ratio", value: gain.value)
        }
    }

    /// The finding of a search of rules; none without one, or if the cache's own rules are as good.
    var searched: [Finding] {
        guard let changeGain, let row = rows.first, let unchanged = row.unchanged else { return [] }
        let value =
            objective == .bytes
            ? "a session fetches \(HumanText.bytes(unchanged))"
            : "\(HumanText.share(unchanged)) of the visible time is blank"
        let interval = interval(changeGain.low, changeGain.high, gained)
        let text = """
            With its own rules in place of \(Self.rules(row.improvedBy)), \(value): \
            \(gained(changeGain.difference)) more\(interval).
            """
        return [finding(.difference, text, [row])]
    }

    /// `connections: 12 and order: lifo`.
    static func rules(_ changes: [SweptValue]) -> String {
        let texts = changes.map { "\($0.parameter): \($0.value)" }
        return texts.count < 3
            ? texts.joined(separator: " and ")
            : texts.dropLast().joined(separator: ", ") + " and " + (texts.last ?? "")
    }

    /// The causes of misses and blank time that make the first cache better than the compared one; nil if no cause
    /// differs.
    var why: String? {
        guard let rival, let first = rows.first,
            let change = CauseChange(.init(trace: "", cache: first.cache), rival.best, rival.other)
        else { return nil }
        let name = rival.cache == first.cache ? "\(rival.cache) with its own rules" : rival.cache
        return "Why: per session, \(name) has \(change.text)."
    }
}
