import ArgumentParser
import Basics
import CachePolicies
import CacheReports
import Foundation
import ReplayEngine

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

/// `cachereplay list schema`: prints JSON Schema of the files that users write and programs read.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the schema of a YAML file, of JSON output, or of CSV files.",
        discussion: """
            config    JSON Schema of the file of `replay --config`. Editors check and
                      complete such a file with it.
            results   JSON Schema of the output of `replay --json`.
            fleet     JSON Schema of the output of `replay --json` of over 20 sessions.
            advice    JSON Schema of the output of `advise --json`, and of advice.json.
            explanation
                      JSON Schema of the output of `explain --json`.
            verdict   JSON Schema of the output of `gate --json` and `compare --json`, and
                      of verdict.json.
            history   JSON Schema of the output of `history page --json`.
            served    JSON Schema of the output of `validate --cache --json`.
            probe     JSON Schema of the file of `probe nscache --output`.
            columns   The data dictionary of all CSV files, as CSV: name, unit, better
                      direction and meaning of each column.

            Example: cachereplay list schema config > cachereplay.schema.json
            """)

    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case config, results, fleet, advice, explanation, verdict, history, served, probe, columns
    }

    @Argument(help: "The subject: \(Subject.allCases.map(\.rawValue).joined(separator: ", ")).")
    var subject: Subject

    func run() throws {
        let schema: JSONSchema.Value
        switch subject {
        case .columns: return CommandOutput.print(ColumnDictionary.csv, terminator: "")
        case .config: schema = JSONSchema.config(CacheReplay.policies)
        case .results: schema = JSONSchema.results
        case .fleet: schema = JSONSchema.fleet
        case .advice: schema = JSONSchema.advice
        case .explanation: schema = JSONSchema.explanation
        case .verdict: schema = JSONSchema.verdict
        case .history: schema = JSONSchema.history
        case .served: schema = JSONSchema.served
        case .probe: schema = JSONSchema.probe
        }
        CommandOutput.printJSON(JSONSchema.json(schema).text(.spaced))
    }
}
