import ArgumentParser
import Basics
import TraceSynthesis

/// The people of `trace synthesize --people`, and what they use.
struct PopulationOptions: ParsableArguments {
    @Option(help: "The number of people. Each has a file in the folder --output.")
    var people: Int?

    @Option(help: "The number of days of --people. (default: 1)")
    var days: Int?

    @Option(
        help: ArgumentHelp(
            """
            What people use: \(PeopleModel.App.allCases.map(\.rawValue).joined(separator: ", ")). (default: feed)
            """, valueName: "name"))
    var app: PeopleModel.App?

    @Option(
        help: ArgumentHelp(
            """
            The phone of all people: \(Phone.all.map(\.name).joined(separator: ", ")). By default, each person has one \
            of them.
            """, valueName: "name"),
        transform: { try named($0, among: Phone.all, \.name) })
    var device: Phone?

    @Option(
        help: ArgumentHelp(
            """
            The network of all people: \(NetworkProfile.all.map(\.name).joined(separator: ", ")). By default, each \
            person has one of their own.
            """, valueName: "name"),
        transform: { try named($0, among: NetworkProfile.all, \.name) })
    var network: NetworkProfile?

    /// The name of the first option that needs `--people`; nil if none is given. What prints the model of people has a
    /// use for `--app` too.
    func needsPeople(isModel: Bool) -> String? {
        if days != nil { return "--days" }
        if app != nil, !isModel { return "--app" }
        if device != nil { return "--device" }
        return network != nil ? "--network" : nil
    }
}

extension PeopleModel.App: ExpressibleByArgument {}

private func named<Value>(_ text: String, among all: [Value], _ name: (Value) -> String) throws -> Value {
    guard let value = all.first(where: { name($0) == text.lowercased() }) else {
        throw ValidationError("expected one of: \(all.map(name).joined(separator: ", "))")
    }
    return value
}

/// The parameters of a generator, which ``ParameterFacts`` describe.
struct ParameterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A parameter, such as pause=5; see --model. Repeatable.", valueName: "name=value"),
        transform: setting)
    var set: [Setting] = []

    @Option(
        help: ArgumentHelp("A YAML file of parameters, such as 'pause: 5'. --set has priority.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var parameters: String?

    @Flag(
        help: """
            Print the parameters: value, unit, certainty, meaning and source. With --app, only those that the app uses.
            """)
    var model = false

    struct Setting {
        var name: String
        var value: Double
    }

    /// Returns the values that are given, by the places of their parameters in a table. Later ones have priority.
    ///
    /// - Throws: ``CommandFailure`` for a file of parameters, and `ValidationError` for parameters that are not in the
    ///   table.
    func values(among table: [any ParameterFacts], of noun: String) throws -> [(place: Int, value: Double)] {
        var values: [(place: Int, value: Double)] = []
        if let parameters {
            let yaml = try YAMLFile(contentsOf: parameters, expected: "parameters such as 'pause: 5'")
            for (key, value) in try yaml.pairs(yaml.root, "parameters of \(noun)") {
                guard let place = table.firstIndex(where: { $0.name == key.string }) else {
                    throw yaml.unknown(key, "the parameters of \(noun)", table.map(\.name))
                }
                guard let number = value.string.flatMap(Double.init), number.isFinite else {
                    let facts = table[place]
                    throw yaml.error(
                        value, "\(facts.name): expected a number such as \(plainText(facts.value))")
                }
                values.append((place, number))
            }
        }
        for setting in set {
            guard let place = table.firstIndex(where: { $0.name == setting.name }) else {
                throw ValidationError(
                    "\(setting.name) is no parameter of \(noun), which are \(table.map(\.name).joined(separator: ", "))"
                )
            }
            values.append((place, setting.value))
        }
        return values
    }

    private static func setting(_ text: String) throws -> Setting {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2, let value = Double(sides[1]), value.isFinite else {
            throw ValidationError("expected a parameter and a number, such as pause=5")
        }
        let names = PeopleParameter.all.map(\.name) + RequestParameter.all.map(\.name)
        guard names.contains(sides[0]) else {
            let hint =
                nearestName(to: sides[0], among: names).map { "did you mean '\($0)'?" }
                ?? "the parameters are \(names.joined(separator: ", "))"
            throw ValidationError("there is no parameter '\(VisibleText.line(sides[0]))'; \(hint)")
        }
        return Setting(name: sides[0], value: value)
    }
}

/// A parameter with its value in a model, as `--model` prints it.
struct ParameterRow {
    let facts: any ParameterFacts
    let value: Double
    let known: PeopleParameter.Facts?

    init(_ facts: any ParameterFacts, _ value: Double, _ known: PeopleParameter.Facts? = nil) {
        (self.facts, self.value, self.known) = (facts, value, known)
    }

    static func table(_ rows: [Self]) -> [String] {
        let isKnown = rows.contains { $0.known != nil }
        let lines = rows.map { row in
            [row.facts.name, plainText(row.value), row.facts.unit]
                + (row.known.map { [$0.certainty.rawValue] } ?? []) + [row.facts.meaning]
        }
        return TextGrid.lines([["parameter", "value", "unit"] + (isKnown ? ["known"] : []) + ["meaning"]] + lines)
    }

    static func json(_ rows: [Self], version: Int?) -> String {
        JSONWriter.object {
            if let version { $0.member("version", version) }
            $0.array("parameters", rows) { writer, row in
                writer.object {
                    $0.member("name", row.facts.name)
                    $0.key("value")
                    $0.double(row.value)
                    $0.member("unit", row.facts.unit)
                    $0.key("least")
                    $0.double(row.facts.range.lowerBound)
                    $0.key("most")
                    $0.double(row.facts.range.upperBound)
                    if let known = row.known { $0.member("known", known.certainty.rawValue) }
                    $0.member("meaning", row.facts.meaning)
                    if let known = row.known {
                        $0.member("source", known.source)
                        $0.member("apps", known.apps.map(\.rawValue))
                    }
                }
            }
        }.text
    }
}
