import CacheReports
import ReplayEngine

extension JSONSchema {
    // MARK: The output of `gate --json` and `compare --json`, and verdict.json

    static var verdict: Value {
        document(
            "The output of `cachereplay gate --json` and `compare --json`, and the file verdict.json",
            record([
                "failed": flag("Whether the command ends with the exit code 1."),
                "failed_because": list(
                    words(Comparison.FailureReason.allCases.map(\.rawValue), "The member that is true."),
                    "Why the comparison fails; empty if it does not."),
                "worse": flag("Whether a figure is worse than allowed and not accepted, missing, or over budget."),
                "undecided": flag("Whether the repeats of a gated figure do not decide."),
                "first_run": flag("Whether there is no baseline, so that only budgets are judged."),
                "verdict": string("The result in one sentence."),
                "accept": nullable("The YAML that accepts what is worse; null if nothing is."),
                "base_commit": nullable("The commit of the baseline, of --base-commit; null without it."),
                "caches": list(verdictCache, "The caches of both files; none if a side is a results folder."),
                "sessions": list(string, "The sessions with their numbers of requests; none in `compare`."),
                "report": nullable("The address of the report, of --report-url; null without it."),
                "outdated": list(string, "The outdated entries of the file, which accept nothing, and why."),
                "trade_offs": list(string, "Gains of hits for blank time that grows within what is allowed."),
                "warnings": list(string, "Reasons to doubt the comparison."),
                "missing": list(verdictPair, "The pairs that only the baseline has."),
                "new": list(verdictPair, "The pairs that only the candidate has."),
                "renamed": list(
                    record(["baseline": verdictPair, "candidate": verdictPair]),
                    "The pairs of the baseline that the candidate has under another name."),
                "causes": list(verdictCause, "The causes and waits that grew, for pairs with figures that got worse."),
                "findings": list(verdictFigure, "Each figure that was judged."),
                "budgets": list(verdictBudget, "Each limit and each pair that it is for."),
            ]))
    }

    private static func nullable(_ meaning: String) -> Value { described(["type": ["string", "null"]], meaning) }

    private static var verdictCache: Value {
        record([
            "name": string,
            "baseline": nullable("The specification of the baseline; null if the cache is new."),
            "candidate": nullable("The specification of the candidate; null if the cache was removed."),
            "change": nullable("What differs, as \"lru(20MB) → lru(18MB)\"; null if both are equal."),
        ])
    }

    private static var pairNames: Value { ["trace": string, "cache": string] }

    private static var network: Value { ["network": string("The network; absent if there is one.")] }

    private static var verdictPair: Value { record(pairNames, optional: network) }

    private static var verdictCause: Value {
        let miss = record([
            "tier": string, "cause": string, "baseline": figure("Misses of a repeat."),
            "candidate": figure("Misses of a repeat."),
        ])
        let wait = record(["wait": string, "baseline_s": figure, "candidate_s": figure])
        let own: Value = [
            "misses": list(miss, "The causes with more misses than before."),
            "waits": list(wait, "The waits with more blank time than before."),
        ]
        return record(pairNames.merging(own) { $1 }, optional: network)
    }

    private static var verdictFigure: Value {
        let verdicts = [
            "better", "same", "allowed", "accepted", "noted", "worse", "undecided", "missing", "new",
        ]
        let chance = record([
            "baseline_repeats": count, "candidate_repeats": count,
            "change_low": figure("The lower end of the 95 % interval of the change."),
            "change_high": figure("The upper end."),
            "p": figure("The corrected probability of such ranks without a change."),
            "detectable": figure("The smallest worsening that the repeats find in 19 of 20 cases."),
            "repeats_needed": described(["type": ["integer", "null"]], "The repeats that would probably decide."),
        ])
        let own: Value = [
            "metric": string("A metric of summary.csv."), "baseline": figure, "candidate": figure,
            "gated": flag("Whether the figure can fail."),
            "allowed": figure("The amount by which it may get worse, in its unit."),
            "verdict": words(verdicts, "How the figure is judged."),
            "failed": flag("Whether the figure fails."),
            "reason": nullable("Why a worse figure is accepted."),
            "chance": ["anyOf": [chance, ["type": "null"]]],
        ]
        return record(pairNames.merging(own) { $1 }, optional: network)
    }

    private static var verdictBudget: Value {
        let own: Value = [
            "budget": string("The limit as it was written."), "value": figure("The median of the repeats."),
            "kept": flag("Whether the figure is within the limit."),
        ]
        return record(pairNames.merging(own) { $1 }, optional: network)
    }
}
