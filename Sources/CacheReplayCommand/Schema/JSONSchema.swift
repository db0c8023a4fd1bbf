import ArgumentParser
import Basics
import CachePolicies
import CacheReports
import Foundation
import HTTPCaching
import ImageLibraries
import ReplayEngine
import Runs
import SessionModel
import Statistics

/// JSON Schema (draft 2020-12), made from the tables that the parsers use.
enum JSONSchema {
    typealias Value = [String: Any]

    /// Returns a schema as JSON. Members are sorted without regard to case, and numbers in names by their value.
    static func json(_ value: Any) -> JSONValue {
        switch value {
        case let members as Value:
            .object(
                members.sorted {
                    $0.key.compare($1.key, options: [.caseInsensitive, .numeric, .forcedOrdering]) == .orderedAscending
                }.map { ($0.key, json($0.value)) })
        case let values as [Any]: .array(values.map(json))
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as any FixedWidthInteger: .number("\(number)")
        default: .null
        }
    }

    static func document(_ title: String, _ members: Value) -> Value {
        members.merging([
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title,
        ]) { $1 }
    }

    static func object(_ properties: Value, required: [String] = []) -> Value {
        var object: Value = ["type": "object", "properties": properties, "additionalProperties": false]
        if !required.isEmpty { object["required"] = required }
        return object
    }

    static func described(_ schema: Value, _ text: String) -> Value {
        schema.merging(["description": text]) { $1 }
    }

    // MARK: Values of outputs

    static var string: Value { ["type": "string"] }
    static var flag: Value { ["type": "boolean"] }
    static var number: Value { ["type": "number"] }
    /// A number that is null when there is no figure.
    static var figure: Value { ["type": ["number", "null"]] }
    /// A whole number that is not negative.
    static var count: Value { ["type": "integer", "minimum": 0] }

    static func string(_ meaning: String) -> Value { described(string, meaning) }
    static func flag(_ meaning: String) -> Value { described(flag, meaning) }
    static func number(_ meaning: String) -> Value { described(number, meaning) }
    static func figure(_ meaning: String) -> Value { described(figure, meaning) }
    static func count(_ meaning: String) -> Value { described(count, meaning) }

    static func words(_ words: [String], _ meaning: String) -> Value {
        described(["type": "string", "enum": words], meaning)
    }

    static func list(_ items: Value, _ meaning: String) -> Value {
        described(["type": "array", "items": items], meaning)
    }

    /// Returns an object that has every one of the properties, may have the optional ones, and has no other one.
    static func record(_ properties: Value, optional: Value = [:]) -> Value {
        object(properties.merging(optional) { $1 }, required: properties.keys.sorted())
    }
}

extension JSONSchema {
    /// The output of `cachereplay list schema`: the schemas of files that users write and programs read.
    enum Subject: String, CaseIterable {
        case config, results, fleet, advice, explanation, verdict, served, columns

        static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

        /// - Throws: ``CommandFailure`` if no subject has the name.
        static func print(_ name: String) throws {
            guard let subject = Self(rawValue: name) else {
                throw CommandFailure(.usage, "There is no schema '\(name)'; the schemas are \(words).")
            }
            subject.print()
        }

        private func print() {
            let schema: JSONSchema.Value
            switch self {
            case .columns: return CommandOutput.print(ColumnDictionary.csv, terminator: "")
            case .config: schema = JSONSchema.config(CacheReplay.policies)
            case .results: schema = JSONSchema.results
            case .fleet: schema = JSONSchema.fleet
            case .advice: schema = JSONSchema.advice
            case .explanation: schema = JSONSchema.explanation
            case .verdict: schema = JSONSchema.verdict
            case .served: schema = JSONSchema.served
            }
            CommandOutput.printJSON(JSONSchema.json(schema).text(.spaced))
        }
    }
}

extension JSONSchema {
    // MARK: The output of `replay --json` for many sessions

    static var fleet: Value {
        document(
            "The output of `cachereplay replay --json` for more than 20 sessions",
            record([
                "conclusions": list(string, "The conclusions, a sentence each."),
                "sessions": count, "users": count,
                "figures": list(fleetRow, "The distributions of each figure, by cache."),
                "pairs": list(fleetPair, "The differences of each two caches for the same users."),
                "latencies": list(fleetLatency, "The times to image of the requests of all sessions."),
                "notes": list(string, "What a reader of the figures must know, a sentence each."),
            ]))
    }

    private static var fleetFigure: Value {
        let meanings = FleetFigure.allCases.map { figure in
            let direction = figure.polarity == .neutral ? "" : "; better: \(figure.polarity.rawValue)"
            return "\(figure.rawValue): \(figure.meaning) (\(figure.unit.rawValue)\(direction))."
        }
        return words(FleetFigure.allCases.map(\.rawValue), meanings.joined(separator: " "))
    }

    /// A figure with its interval, or with the reason why there is none.
    private static func estimate(_ meaning: String) -> Value {
        let lacks: [Any] = Estimate.Lack.allCases.map(\.rawValue)
        return described(
            record([
                "value": figure, "low": figure("The lower end of the 95 % interval."),
                "high": figure("The upper end."),
                "no_interval": described(["enum": lacks + [NSNull()]], "Why there is no interval; null if there is."),
            ]), meaning)
    }

    private static var fleetRow: Value {
        var row: Value = [
            "cache": string, "figure": fleetFigure,
            "over": words(FleetStatistics.Level.allCases.map(\.rawValue), "What the distribution is over."),
            "mean": estimate("The mean."),
            "count": count("The users or sessions with a value."),
            "without": count("The users or sessions without one, which are in no figure."),
        ]
        for (name, share) in zip(FleetStatistics.shareNames, FleetStatistics.shares) {
            row[name] = estimate("The value that a share of \(share) does not exceed.")
        }
        return record(row)
    }

    private static var fleetPair: Value {
        record([
            "first": string("The name of a cache."), "second": string("The name of another cache."),
            "figure": fleetFigure,
            "difference": estimate("The mean over users of the second cache's value minus the first one's."),
            "better": figure(
                "The share of users for whom the second cache is better; null if no direction of the figure is."),
            "worse": figure("The share of users for whom it is worse; null likewise."),
            "equal": figure("The share of users whose values are equal within a tolerance."),
            "count": count("The users with a value of both caches."),
            "without": count("The users without one."),
        ])
    }

    private static var fleetLatency: Value {
        var latency: Value = [
            "cache": string,
            "outcome": words(LatencyGroup.allCases.map(\.rawValue), "The outcome of the requests."),
            "count": count("The requests."),
        ]
        for column in FleetColumns.latencies where column.unit == .microseconds {
            latency[column.name] = figure("In microseconds.")
        }
        return record(latency)
    }
}

extension JSONSchema {
    // MARK: The output of `replay --json`

    static var results: Value {
        let text: Value = ["type": "string"]
        let metrics = SummaryColumns.metrics.map { column -> (String, Any) in
            let direction = column.polarity.map { "; better: \($0.rawValue)" } ?? ""
            return (
                column.name,
                described(["type": ["number", "null"]], "\(column.meaning) (\(column.unit.rawValue)\(direction))")
            )
        }
        var row: Value = [
            "trace": text, "cache": text,
            "repeats": described(["type": "integer", "minimum": 1], "The runs whose medians the figures are."),
        ]
        row.merge(metrics) { $1 }
        let required = row.keys.sorted()
        let network = described(text, "The network; absent if the results of the trace are over one.")
        row["network"] = network
        let evidence = object(
            ["trace": text, "network": network, "cache": text, "metric": text, "value": ["type": ["number", "null"]]],
            required: ["trace", "cache", "metric", "value"])
        let subjects = Finding.Subject.ofReplays.map(\.rawValue)
        let conclusion = object(
            [
                "subject": ["type": "string", "enum": subjects],
                "text": text, "evidence": ["type": "array", "items": evidence],
            ], required: ["subject", "text", "evidence"])
        let note = object(["group": text, "text": text], required: ["group", "text"])
        return document(
            "The output of `cachereplay replay --json`",
            object(
                [
                    "conclusions": ["type": "array", "items": conclusion, "maxItems": subjects.count],
                    "results": ["type": "array", "items": object(row, required: required)],
                    "notes": ["type": "array", "items": note],
                ], required: ["conclusions", "results", "notes"]))
    }
}

extension JSONSchema {
    // MARK: The output of `validate --cache --json`

    static var served: Value {
        let comparison = record([
            "trace": string, "cache": string, "requests": count,
            "compared": count("The requests with a recorded source."),
            "agreeing": count("Those whose recorded source is the predicted one."),
            "agreement": figure("The share of the compared requests that agree."),
            "agreement_low": number("The lower end of its 95 % interval, after Wilson."),
            "agreement_high": number("The upper end."),
            "kappa": figure("Cohen's kappa: the agreement beyond that of chance."),
            "unmatched": count("The served events that belong to no request."),
            "matrix": matrix,
            "costs": described(
                ["anyOf": [["type": "null"], costs]], "The recorded costs and the modelled ones; null without any."),
            "disagreements": list(disagreement, "The first requests that do not agree."),
        ])
        return document(
            "The output of `cachereplay validate --cache --json`",
            list(comparison, "The comparisons: each trace with each cache."))
    }

    private static var sources: [String] { ServedSource.allCases.map(\.description) }
    private static var predictions: [String] { ServedComparison.Prediction.allCases.map(ServedTable.word) }

    private static var matrix: Value {
        let row = record(Dictionary(uniqueKeysWithValues: (sources + ["not_recorded"]).map { ($0, count) }))
        let rows = record(Dictionary(uniqueKeysWithValues: predictions.map { ($0, row) }))
        return described(rows, "The requests by prediction, then by recorded source.")
    }

    private static var costs: Value {
        record([
            "count": count("The recorded costs."),
            "median_ratio": number("The median of recorded costs divided by modelled ones."),
            "worst_ratio": number("The ratio that is farthest from 1, up or down."),
            "worst_key": string("The key of the image with that ratio."),
            "worst_variant": words(Variant.allCases.map(\.description), "What its cell shows."),
            "worst_recorded_bytes": count("Its recorded cost."), "worst_modelled_bytes": count("Its modelled cost."),
        ])
    }

    private static var disagreement: Value {
        record([
            "request": count("The number of the request, from 0."), "time_s": number, "key": string,
            "variant": words(Variant.allCases.map(\.description), "What the cell shows."),
            "predicted": words(predictions, "Where the replay had the image."),
            "observed": words(sources, "Where the app had it."),
            "memory_cause": cause("Why memory missed in the replay; null if it did not."),
            "disk_cause": cause("Why the disk missed in the replay; null if it did not, or was not asked."),
            "reason": string("The reason of the prediction, for people."),
        ])
    }

    private static func cause(_ meaning: String) -> Value {
        described(["anyOf": [["type": "null"], words(MissCause.allCases.map(\.name), "A cause.")]], meaning)
    }
}

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

extension JSONSchema {
    // MARK: The output of `explain --json`

    static var explanation: Value {
        let facts: Value = [
            "trace": string, "cache": string, "requests": count,
            "memory_hits": count, "disk_hits": count,
            "causes": list(cause, "The requests that a tier did not answer, by cause."),
            "waits": list(wait, "The blank time, by what was waited for."),
            "blank_ms": number("The time that visible cells had no image."),
            "worst_keys": list(worstKey, "The keys with the most blank time, the worst first."),
            "worst_moments": list(worstMoment, "The seconds with the most blank time, the worst first."),
            "soon_after_warnings": count(
                "The requests of objects that a memory warning had removed at most two seconds before."),
            "changes": list(change, "The effects of changes, each found by another replay."),
        ]
        let runs = record(
            facts,
            optional: [
                "injected": string("The injected events; absent without any."),
                "least_misses": leastMisses,
                "hitches": list(
                    hitches,
                    """
                    How much the main lane delays frames while the list moves, at 60 and at 120 Hz; absent if the list \
                    never moves, and with instant timing.
                    """),
                "least_blank": leastBlank,
            ])
        return document(
            "The output of `cachereplay explain --json`",
            list(runs, "The runs: each trace with each cache."))
    }

    private static var causes: [String] { MissCause.allCases.map(\.name) }
    private static var waits: [String] { Wait.allCases.map(\.name) }

    private static var cause: Value {
        record([
            "tier": words(RunExplanation.Tier.allCases.map(\.rawValue), "The tier that missed."),
            "cause": words(causes, "Why it missed."), "requests": count,
            "share": number("The share of the tier's misses."),
        ])
    }

    private static var wait: Value {
        record([
            "wait": words(waits, "What cells waited for."), "blank_ms": number,
            "share": number("The share of the blank time."),
        ])
    }

    private static var leastBlank: Value {
        let reasons = LeastBlankTime.Exemption.allCases.map(\.rawValue)
        let least = record(
            [
                "ms": number("The least blank time; the sum of the parts."),
                "share": number("The least blank time as a share of the time that cells are visible."),
                "own_share": number("The blank time of the run as such a share."),
                "first_bytes_ms": number("First loads, until their first byte."),
                "transfers_ms": number("First loads, until their last byte, over a link without other transfers."),
                "processing_ms": number("The decoding of first loads, and the first reads from disk after relaunches."),
                "memory_ms": number("Loads of what memory has no room for."),
                "link_ms": number("Transfers that share the link."),
                "connections_ms": number("Fetches that wait for a connection."),
                "holds": words(["decoded", "encoded"], "What memory holds: bitmaps, or the bytes of responses."),
                "has_disk": flag("Whether the caches have a disk."),
                "has_prefetches": flag("Whether the app asks for images ahead of need."), "network": string,
                "exemptions": list(
                    words(reasons, "Why it does not hold for the cache of the run."), "Empty if it holds."),
            ], optional: ["memory_bytes": count("What memory holds at most; absent without a limit.")])
        return described(
            least,
            """
            The least blank time of all caches with the prefetches, the network, the memory and the connections of \
            the run; absent if no cell disappears, and with instant timing.
            """)
    }

    private static var hitches: Value {
        let works = ReplayEvents.Work.allCases.map(\.rawValue)
        let work = record([
            "work": words(works, "The work that takes longest among the work that a frame waits for."), "ms": number,
            "share": number("The share of the hitches."),
        ])
        return record([
            "hz": count("The frames of the display per second."),
            "ms": number("The time by which frames are shown late."),
            "ms_per_s": number("This time for each second in which the list moves."),
            "works": list(work, "This time by kind of work, the most first; work without hitches is left out."),
        ])
    }

    private static var leastMisses: Value {
        described(
            record([
                "least": count("No policy with the same memory has fewer misses."),
                "known": count("The best known schedule of what to keep has as many: the optimum, if equal to least."),
            ]),
            """
            The fewest misses of memory that any policy could have if fetches took no time. Absent if the limit of \
            memory caused no miss, above 20,000 requests, and for a cache with a memory of encoded bytes.
            """)
    }

    private static var worstKey: Value {
        record([
            "key": string, "requests": count, "misses": count, "blank_ms": number,
            "cause": words(causes + [""], "The most frequent cause of its misses in memory; empty without a miss."),
        ])
    }

    private static var worstMoment: Value {
        record([
            "second": count("The second of the session, from 0."), "requests": count, "blank_ms": number,
            "wait": words(waits + [""], "What its requests waited for most; empty without a wait."),
            "cause": words(causes + [""], "The most frequent cause of their misses in memory; empty without a miss."),
        ])
    }

    private static var change: Value {
        record(
            [
                "name": string("The change of the app, the cache or the session."),
                "by": words(["app", "cache", "session"], "Who makes the change."), "memory_hits": count,
                "gained_memory_hits": ["type": "integer"], "blank_ms": number("The blank time with the change."),
                "added_origin_bytes": described(["type": "integer"], "The bytes that are fetched in addition."),
                "added_memory_peak_bytes": described(
                    ["type": "integer"], "By how much the most bytes in memory grow."),
            ],
            optional: [
                "lever": words(Lever.Kind.allCases.map(\.rawValue), "What changes; absent for the session."),
                "setting": string("The rule or the limit with its new value; absent for the session."),
                "attributed_misses": count(
                    "The misses in memory whose causes the change removes; absent if it removes none."),
            ])
    }
}

extension JSONSchema {
    // MARK: The YAML file of `replay --config`

    static func config(_ registry: PolicyRegistry) -> Value {
        let text: Value = ["type": "string", "minLength": 1]
        let caches: Value = [
            "type": "object", "additionalProperties": cache(registry), "propertyNames": ["minLength": 1],
        ]
        let texts: Value = ["anyOf": [text, ["type": "array", "items": text]]]
        let budgets: Value = [
            "anyOf": [text, ["type": "array", "items": text], ["type": "object", "additionalProperties": texts]]
        ]
        let accepted = object(
            [
                "figure": described(text, "The name of a metric of summary.csv."),
                "cache": described(text, "The name of a cache."),
                "session": described(text, "The name of a session; without it, all sessions."),
                "value": described(["type": ["string", "number"]], "The new value, such as 9.7% or 64MB."),
                "reason": described(text, "Why the change is accepted."),
            ], required: ["figure", "cache", "value", "reason"])
        let costs = CostModel.Constant.all.map { constant -> (String, Any) in
            (constant.name, described(["type": "string", "minLength": 1], constant.unit.expectation))
        }
        let injected = InjectedEvents.Kind.allCases.map { kind -> (String, Any) in
            (kind.rawValue, described(texts, "As --\(kind.rawValue) takes it."))
        }
        return document(
            "A file of `cachereplay replay --config`",
            object([
                "traces": described(texts, "Paths of traces."),
                "repeat": described(["type": "integer", "minimum": 1], "The number of runs of each cache."),
                "caches": described(caches, "The caches to compare, by name."),
                "costs": described(
                    object(Dictionary(uniqueKeysWithValues: costs)), "The costs of modelled timing."),
                "budgets": described(budgets, "Limits of figures, such as blank_ratio<2%, for all traces or by trace."),
                "allow": described(texts, "Amounts by which figures may get worse in a gate, such as origin_bytes:5%."),
                "accept": list(accepted, "Changes for the worse that a gate accepts."),
                "inject": described(
                    object(Dictionary(uniqueKeysWithValues: injected)), "Events that are injected into all traces."),
            ]))
    }

    private static func cache(_ registry: PolicyRegistry) -> Value {
        let presets: Value = ["type": "string", "enum": CachePreset.all.map(\.name)]
        let facts = DeviceFact.all.map { ($0.name, described(value($0.forms), $0.values)) }
        var properties: Value = [
            "preset": described(presets, "The preset that the cache is derived from."),
            "memory": tier(.memory, registry), "disk": tier(.disk, registry),
            "pipeline": object(rules(.pipeline)),
        ]
        properties.merge(facts) { $1 }
        var own = object(properties, required: ["memory"])
        var program = properties
        program["memory"] = nil
        program["own"] = described(
            ["type": "string", "minLength": 1], "The command of a program that is the memory of the cache.")
        var driven = object(program, required: ["own"])
        driven["not"] = ["anyOf": DeviceFact.all.map { ["required": [$0.name]] } + [["required": ["preset"]]]]
        own["not"] = ["anyOf": DeviceFact.all.map { ["required": [$0.name]] } + [["required": ["preset"]]]]
        var derived = properties
        derived["memory"] = tier(.memory, registry, needsPolicy: false)
        derived["disk"] = tier(.disk, registry, needsPolicy: false)
        return [
            "anyOf": [
                described(["type": "string", "minLength": 1], "A specification, as `--cache` takes it."),
                described(object(derived, required: ["preset"]), "A preset, and what differs from it."),
                described(own, "A cache of one's own."),
                described(driven, "A program, and the rules of the cache around it."),
            ]
        ]
    }

    private static func tier(_ section: Rule.Section, _ registry: PolicyRegistry, needsPolicy: Bool = true) -> Value {
        var properties = rules(section)
        properties["policy"] = policy(registry)
        var tier = object(properties, required: needsPolicy ? ["policy"] : [])
        if needsPolicy { tier.merge(validationNeedsHeaders(section)) { $1 } }
        return ["anyOf": [policy(registry), tier]]
    }

    /// A tier validates only objects whose lifetimes headers state. A preset may have that rule already.
    private static func validationNeedsHeaders(_ section: Rule.Section) -> Value {
        let (revalidate, lifetime) = ("\(section.rawValue)Revalidate", "\(section.rawValue)Lifetime")
        let headers: Value = ["enum": LifetimeRule.allCases.filter { $0 != .policy }.map(\.rawValue)]
        return [
            "if": ["properties": [revalidate: ["not": ["const": "never"]]], "required": [revalidate]],
            "then": ["properties": [lifetime: headers], "required": [lifetime]],
        ]
    }

    /// A policy by its name. The parser checks the arguments.
    private static func policy(_ registry: PolicyRegistry) -> Value {
        let names = registry.entries.map { NSRegularExpression.escapedPattern(for: $0.name) }
        return described(
            ["type": "string", "pattern": "^\\s*(\(names.joined(separator: "|")))\\s*(\\([\\s\\S]*\\))?\\s*$"],
            "A policy such as lru(100MB); `cachereplay list policies` lists all.")
    }

    private static func rules(_ section: Rule.Section) -> Value {
        let rules = Rule.all.filter { $0.section == section }.map { rule -> (String, Any) in
            (rule.name, described(value(rule.forms), "\(rule.meaning) Values: \(rule.values)."))
        }
        return Dictionary(uniqueKeysWithValues: rules)
    }

    /// YAML reads `4` as a number and `true` as a truth value; the parser takes them as text.
    private static func value(_ forms: [ValueForm]) -> Value {
        let alternatives = forms.flatMap { form -> [Value] in
            switch form {
            case .words(let words): [["type": "string", "enum": words]]
            case .flag: [["type": "boolean"], ["type": "string", "enum": ["true", "false"]]]
            case .whole(let range):
                [
                    ["type": "integer", "minimum": range.lowerBound, "maximum": range.upperBound],
                    ["type": "string", "pattern": form.pattern ?? ""],
                ]
            case .size, .share, .limitShare, .entryShare, .duration, .call:
                [["type": "string", "pattern": form.pattern ?? ""]]
            }
        }
        guard let first = alternatives.first else { return ["type": "string", "minLength": 1] }
        return alternatives.count == 1 ? first : ["anyOf": alternatives]
    }
}

extension ValueForm {
    /// A regular expression that the texts of the form match; nil for ``words(_:)``.
    fileprivate var pattern: String? {
        let number = "[0-9_]*\\.?[0-9_]+ *"
        let size = "\(number)([kKmMgGtT][iI]?)?[bB]"
        switch self {
        case .words: return nil
        case .flag: return "^(true|false)$"
        case .whole: return "^[0-9]+$"
        case .size: return "^\(size)$"
        case .share: return "^\(number)%$"
        case .limitShare: return "^\(number)% of limit$"
        case .entryShare: return "^(below )?\(number)% of limit(, at least \(size))?$"
        case .call(let names): return "^(\(names.joined(separator: "|")))\\([^()]+\\)$"
        case .duration: return "^\(number)(us|ms|s|min|h|d)$"
        }
    }
}
