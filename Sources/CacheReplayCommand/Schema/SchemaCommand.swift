import ArgumentParser
import Basics
import CachePolicies
import CacheReports
import Foundation
import ReplayEngine

/// `cachereplay schema`: prints JSON Schema of the files that users write and programs read.
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
            served    JSON Schema of the output of `validate --cache --json`.
            probe     JSON Schema of the file of `probe nscache --output`.
            columns   The data dictionary of all CSV files, as CSV: name, unit, better
                      direction and meaning of each column.

            Example: cachereplay schema config > cachereplay.schema.json
            """)

    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case config, results, fleet, advice, explanation, served, probe, columns
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
        case .served: schema = JSONSchema.served
        case .probe: schema = JSONSchema.probe
        }
        CommandOutput.printJSON(JSONSchema.json(schema).text(.spaced))
    }
}
