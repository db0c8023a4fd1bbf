import CachePolicies
import Foundation
import HTTPCaching
import ImageLibraries
import ReplayEngine
import SessionModel

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
                    object(Dictionary(uniqueKeysWithValues: costs)), "Durations of operations with modelled timing."),
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
            case .size, .share, .duration, .call: [["type": "string", "pattern": form.pattern ?? ""]]
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
        switch self {
        case .words: return nil
        case .flag: return "^(true|false)$"
        case .whole: return "^[0-9]+$"
        case .size: return "^\(number)([kKmMgGtT][iI]?)?[bB]$"
        case .share: return "^\(number)%$"
        case .call(let names): return "^(\(names.joined(separator: "|")))\\([^()]+\\)$"
        case .duration: return "^\(number)(us|ms|s|min|h|d)$"
        }
    }
}
