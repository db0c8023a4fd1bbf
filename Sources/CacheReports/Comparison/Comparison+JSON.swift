import Basics
import Foundation
import ReplayEngine
import Runs

extension Comparison {
    /// The comparison for programs: every figure that was judged, including those that stayed the same.
    var json: String {
        let state: [(String, JSONValue)] = [
            ("failed", .bool(!failureReasons.isEmpty)),
            ("failed_because", .array(failureReasons.map { .string($0.rawValue) })),
            ("worse", .bool(hasWorsened)), ("undecided", .bool(!undecided.isEmpty)),
            ("first_run", .bool(isFirstRun)), ("verdict", .string(verdict)),
            ("accept", acceptableEntries.map { JSONValue.string($0) } ?? JSONValue.null),
        ]
        let sentences: [(String, JSONValue)] = [
            ("outdated", .array(outdated.map { .string($0) })), ("trade_offs", .array(tradeOffs.map { .string($0) })),
            ("warnings", .array(warnings.map { .string($0) })),
        ]
        let lists: [(String, JSONValue)] = [
            ("missing", .array(missingPairs.map(Self.json))), ("new", .array(newPairs.map(Self.json))),
            ("renamed", .array(replacedPairs.map(Self.json))), ("causes", .array(causes.map(Self.json))),
            ("findings", .array(judgements.map(Self.json))), ("budgets", .array(budgets.map(Self.json))),
        ]
        // Results without a gate have no context; the members are there all the same.
        let sides: [(String, JSONValue)] = (context ?? VerdictContext()).members
        let whole = JSONValue.object(state + sides + sentences + lists)
        return whole.text(.indented) + "\n"
    }

    private static func json(_ change: CauseChange) -> JSONValue {
        .object(
            [
                ("trace", .string(change.trace)), ("cache", .string(change.cache)),
                (
                    "misses",
                    .array(
                        change.misses.map {
                            .object([
                                ("tier", .string($0.tier.rawValue)), ("cause", .string($0.cause.name)),
                                ("baseline", .figure($0.baseline, .ratio)),
                                ("candidate", .figure($0.candidate, .ratio)),
                            ])
                        })
                ),
                (
                    "waits",
                    .array(
                        change.waits.map {
                            .object([
                                ("wait", .string($0.wait.name)), ("baseline_s", .figure($0.baseline, .seconds)),
                                ("candidate_s", .figure($0.candidate, .seconds)),
                            ])
                        })
                ),
            ].inserting(network: change.network))
    }

    private static func json(_ renamed: Replacement) -> JSONValue {
        .object([("baseline", json(renamed.old)), ("candidate", json(renamed.new))])
    }

    private static func json(_ pair: Pair) -> JSONValue {
        .object([("trace", .string(pair.trace)), ("cache", .string(pair.cache))].inserting(network: pair.network))
    }

    private static func json(_ judgement: Judgement) -> JSONValue {
        .object(
            [
                ("trace", .string(judgement.trace)), ("cache", .string(judgement.cache)),
                ("metric", .string(judgement.metric)),
                ("baseline", .figure(judgement.baseline, judgement.unit)),
                ("candidate", .figure(judgement.candidate, judgement.unit)),
                ("gated", .bool(judgement.isGated)), ("allowed", .figure(judgement.allowed, judgement.unit)),
                ("verdict", .string(judgement.verdict.rawValue)), ("failed", .bool(judgement.isFailure)),
                ("reason", judgement.reason.map { JSONValue.string($0) } ?? JSONValue.null),
                ("chance", judgement.chance.map { json($0, judgement.unit) } ?? JSONValue.null),
            ].inserting(network: judgement.network))
    }

    private static func json(_ chance: Chance, _ unit: Unit) -> JSONValue {
        .object([
            ("baseline_repeats", .number("\(chance.repeats[0])")),
            ("candidate_repeats", .number("\(chance.repeats[1])")),
            ("change_low", .figure(chance.interval?.lowerBound, unit)),
            ("change_high", .figure(chance.interval?.upperBound, unit)), ("p", .figure(chance.p, .ratio)),
            ("detectable", .figure(chance.detectable, unit)),
            ("repeats_needed", chance.repeatsNeeded.map { .number("\($0)") } ?? .null),
        ])
    }

    private static func json(_ judgement: BudgetJudgement) -> JSONValue {
        .object(
            [
                ("trace", .string(judgement.trace)), ("cache", .string(judgement.cache)),
                ("budget", .string(judgement.budget.description)), ("value", .figure(judgement.value, judgement.unit)),
                ("kept", .bool(judgement.isKept)),
            ].inserting(network: judgement.network))
    }
}
