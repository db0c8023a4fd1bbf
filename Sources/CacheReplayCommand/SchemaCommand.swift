import ArgumentParser
import CachePolicies
import CacheReports
import Foundation
import ReplayEngine

/// `cachereplay schema`: prints JSON Schema of the files that users write and programs read.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the schema of a YAML file, of results, or of CSV files.",
        discussion: """
            config    JSON Schema of the file of `replay --config`. Editors check and
                      complete such a file with it.
            results   JSON Schema of the output of `replay --json`.
            columns   The data dictionary of all CSV files, as CSV: name, unit, better
                      direction and meaning of each column.

            Example: cachereplay schema config > cachereplay.schema.json
            """)

    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case config, results, columns
    }

    @Argument(help: "The subject: \(Subject.allCases.map(\.rawValue).joined(separator: ", ")).")
    var subject: Subject

    func run() throws {
        if subject == .columns { return CommandOutput.print(ColumnDictionary.csv, terminator: "") }
        let schema = subject == .config ? JSONSchema.config(CacheReplay.policies) : JSONSchema.results
        let data = try JSONSerialization.data(
            withJSONObject: schema, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        CommandOutput.printJSON(String(decoding: data, as: UTF8.self))
    }
}

/// JSON Schema (draft 2020-12), made from the tables that the parsers use.
enum JSONSchema {
    typealias Value = [String: Any]

    private static func document(_ title: String, _ members: Value) -> Value {
        members.merging([
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title,
        ]) { $1 }
    }

    private static func object(_ properties: Value, required: [String] = []) -> Value {
        var object: Value = ["type": "object", "properties": properties, "additionalProperties": false]
        if !required.isEmpty { object["required"] = required }
        return object
    }

    // MARK: The YAML file of `replay --config`

    static func config(_ registry: PolicyRegistry) -> Value {
        let text: Value = ["type": "string", "minLength": 1]
        let caches: Value = [
            "type": "object", "additionalProperties": cache(registry), "propertyNames": ["minLength": 1],
        ]
        let costs = CostModel.Constant.all.map { constant -> (String, Any) in
            (constant.name, described(["type": "string", "minLength": 1], constant.unit.expectation))
        }
        return document(
            "A file of `cachereplay replay --config`",
            object([
                "traces": described(["anyOf": [text, ["type": "array", "items": text]]], "Paths of traces."),
                "repeat": described(["type": "integer", "minimum": 1], "The number of runs of each cache."),
                "caches": described(caches, "The caches to compare, by name."),
                "costs": described(
                    object(Dictionary(uniqueKeysWithValues: costs)), "Durations of operations with modelled timing."),
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
        own["not"] = ["anyOf": DeviceFact.all.map { ["required": [$0.name]] } + [["required": ["preset"]]]]
        var derived = properties
        derived["memory"] = tier(.memory, registry, needsPolicy: false)
        derived["disk"] = tier(.disk, registry, needsPolicy: false)
        return [
            "anyOf": [
                described(["type": "string", "minLength": 1], "A specification, as `--cache` takes it."),
                described(object(derived, required: ["preset"]), "A preset, and what differs from it."),
                described(own, "A cache of one's own."),
            ]
        ]
    }

    private static func tier(_ section: Rule.Section, _ registry: PolicyRegistry, needsPolicy: Bool = true) -> Value {
        var properties = rules(section)
        properties["policy"] = policy(registry)
        return ["anyOf": [policy(registry), object(properties, required: needsPolicy ? ["policy"] : [])]]
    }

    /// A policy by its name. The parser checks the arguments.
    private static func policy(_ registry: PolicyRegistry) -> Value {
        let names = registry.entries.map { NSRegularExpression.escapedPattern(for: $0.name) }
        return described(
            ["type": "string", "pattern": "^\\s*(\(names.joined(separator: "|")))\\s*(\\([\\s\\S]*\\))?\\s*$"],
            "A policy such as lru(100MB); `cachereplay policies` lists all.")
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
            case .size, .share, .duration: [["type": "string", "pattern": form.pattern ?? ""]]
            }
        }
        guard let first = alternatives.first else { return ["type": "string", "minLength": 1] }
        return alternatives.count == 1 ? first : ["anyOf": alternatives]
    }

    private static func described(_ schema: Value, _ text: String) -> Value {
        schema.merging(["description": text]) { $1 }
    }

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
        let evidence = object(
            ["trace": text, "cache": text, "metric": text, "value": ["type": ["number", "null"]]],
            required: ["trace", "cache", "metric", "value"])
        let conclusion = object(
            [
                "subject": ["type": "string", "enum": Conclusion.Subject.allCases.map(\.rawValue)],
                "text": text, "evidence": ["type": "array", "items": evidence],
            ], required: ["subject", "text", "evidence"])
        let note = object(["group": text, "text": text], required: ["group", "text"])
        return document(
            "The output of `cachereplay replay --json`",
            object(
                [
                    "conclusions": ["type": "array", "items": conclusion, "maxItems": 5],
                    "results": ["type": "array", "items": object(row, required: row.keys.sorted())],
                    "notes": ["type": "array", "items": note],
                ], required: ["conclusions", "results", "notes"]))
    }
}
