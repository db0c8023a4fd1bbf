import Basics
import CachePolicies
import Foundation

enum PolicyListing {
    static func print(_ name: String?, asJSON: Bool) throws {
        let registry = CacheReplay.policies
        let entries =
            try name.map { name in
                guard let entry = registry[name] else {
                    let hint =
                        nearestName(to: name, among: registry.entries.map(\.name)).map { " Did you mean '\($0)'?" }
                        ?? ""
                    throw CommandFailure(
                        .usage, "There is no policy '\(name)'.\(hint) `cachereplay list policies` lists them.")
                }
                return [entry]
            } ?? registry.entries
        if asJSON { return try printJSON(entries.map(Description.init)) }
        for entry in entries {
            CommandOutput.print("\(entry.signature)\n    \(entry.summary)")
            guard name != nil else { continue }
            for parameter in entry.parameters {
                let label = parameter.label.map { "\($0):" } ?? "(first)"
                let standard = parameter.defaultText.map { ", default \($0)" } ?? ""
                CommandOutput.print("    \(label) \(parameter.expected)\(standard)")
                if let explanation = parameter.explanation { CommandOutput.print("        \(explanation)") }
            }
            CommandOutput.print("    Example: \(entry.example)")
        }
    }

    private struct Description: Encodable {
        var name: String
        var signature: String
        var summary: String
        var parameters: [Parameter]

        struct Parameter: Encodable {
            var label: String?
            var expected: String
            var `default`: String?
            var explanation: String?
        }

        init(_ entry: PolicyEntry) {
            name = entry.name
            signature = entry.signature
            summary = entry.summary
            parameters = entry.parameters.map {
                Parameter(
                    label: $0.label, expected: $0.expected, default: $0.defaultText, explanation: $0.explanation)
            }
        }
    }
}
