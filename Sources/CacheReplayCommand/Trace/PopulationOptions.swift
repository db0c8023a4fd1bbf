import ArgumentParser
import Basics
import Foundation
import Synchronization
import TraceSynthesis

/// The people of `trace synthesize --people`, and what they use.
struct PopulationOptions: ParsableArguments {
    @Option(
        help: """
            Generate the sessions of this many modelled people instead of one session: a file per person in the folder \
            --output.
            """)
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
        transform: phone)
    var device: Phone?

    @Option(
        help: ArgumentHelp(
            "A parameter of people, such as pause=5; see --model. Repeatable.", valueName: "name=value"),
        transform: parameter)
    var set: [PeopleSetting] = []

    @Option(
        help: ArgumentHelp("A YAML file of parameters, such as 'pause: 5'. --set has priority.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var parameters: String?

    @Flag(
        help: """
            Print the parameters of people: value, unit, certainty, meaning and source. With --app, only those that \
            the app uses.
            """)
    var model = false

    /// The name of the first option that needs `--people`; nil if none is given. `--model` has a use for `--app` too.
    var needsPeople: String? {
        if days != nil { return "--days" }
        if app != nil, !model { return "--app" }
        if device != nil { return "--device" }
        return nil
    }

    /// Returns the model of people. Without `--people`, it has one person.
    ///
    /// - Throws: ``CommandFailure`` for a file of parameters, and `ValidationError` for values out of range.
    func peopleModel(seed: UInt64, network: NetworkProfile?) throws -> PeopleModel {
        var model = PeopleModel()
        model.people = people ?? 1
        model.days = days ?? 1
        model.app = app ?? .feed
        model.phone = device
        model.seed = seed
        model.network = network
        if let parameters {
            let yaml = try YAMLFile(contentsOf: parameters, expected: "parameters such as 'pause: 5'")
            for (key, value) in try yaml.pairs(yaml.root, "parameters of people") {
                guard let name = key.string, let parameter = PeopleParameter(named: name) else {
                    throw yaml.unknown(key, "the parameters of people", PeopleParameter.all.map(\.name))
                }
                guard let number = value.string.flatMap(Double.init), number.isFinite else {
                    throw yaml.error(
                        value, "\(name): expected a number such as \(PeopleModel.plain(parameter.facts.value))")
                }
                model[parameter] = number
            }
        }
        for setting in set { model[setting.parameter] = setting.value }
        do { try model.check() } catch let error as SynthesisError { throw ValidationError(error.description) }
        return model
    }

    /// The parameters that `--model` prints.
    private var printed: [PeopleParameter.Facts] {
        PeopleParameter.all.filter { facts in app.map(facts.apps.contains) ?? true }
    }

    /// Returns the parameters with their values in a model, as a table and a list of sources.
    func table(_ model: PeopleModel) -> String {
        let rows = printed.map { facts in
            [
                facts.name, PeopleModel.plain(model[facts.parameter]), facts.unit, facts.certainty.rawValue,
                facts.meaning,
            ]
        }
        let sources = printed.filter { $0.certainty != .assumed }.map { [$0.name, $0.source] }
        return
            (TextGrid.lines([["parameter", "value", "unit", "known", "meaning"]] + rows) + ["", "Sources"]
            + TextGrid.lines(sources) + [
                "",
                """
                Parameters without a source are assumed, not measured. Change them, and see whether \
                conclusions change.
                """,
            ]).joined(separator: "\n")
    }

    /// Returns the parameters with their values in a model as JSON.
    func json(_ model: PeopleModel) -> String {
        JSONWriter.object {
            $0.member("version", PeopleModel.version)
            $0.array("parameters", printed) { writer, facts in
                writer.object {
                    $0.member("name", facts.name)
                    $0.key("value")
                    $0.double(model[facts.parameter])
                    $0.member("unit", facts.unit)
                    $0.key("least")
                    $0.double(facts.range.lowerBound)
                    $0.key("most")
                    $0.double(facts.range.upperBound)
                    $0.member("known", facts.certainty.rawValue)
                    $0.member("meaning", facts.meaning)
                    $0.member("source", facts.source)
                    $0.member("apps", facts.apps.map(\.rawValue))
                }
            }
        }.text
    }

    private static func phone(_ text: String) throws -> Phone {
        guard let phone = Phone.all.first(where: { $0.name == text.lowercased() }) else {
            throw ValidationError("expected one of: \(Phone.all.map(\.name).joined(separator: ", "))")
        }
        return phone
    }

    private static func parameter(_ text: String) throws -> PeopleSetting {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2, let value = Double(sides[1]), value.isFinite else {
            throw ValidationError("expected a parameter and a number, such as pause=5")
        }
        guard let parameter = PeopleParameter(named: sides[0]) else {
            let names = PeopleParameter.all.map(\.name)
            let hint =
                nearestName(to: sides[0], among: names).map { "did you mean '\($0)'?" }
                ?? "'cachereplay trace synthesize --model' prints all"
            throw ValidationError("there is no parameter '\(VisibleText.line(sides[0]))'; \(hint)")
        }
        return PeopleSetting(parameter: parameter, value: value)
    }
}

/// A value of a parameter of people, from the command line.
struct PeopleSetting {
    var parameter: PeopleParameter
    var value: Double
}

extension PeopleModel.App: ExpressibleByArgument {}

extension TraceSynthesizeCommand {
    /// Writes the sessions of people into the folder of `--output`, on all processors.
    func writePeople(_ model: PeopleModel) throws {
        guard let output else {
            throw ValidationError("--people writes a file for each person; name a folder: --output Sessions")
        }
        try Self.makeEmptyFolder(output)
        let failure = Mutex<(any Error)?>(nil)
        DetachedThread.forEach(model.people, threads: ProcessInfo.processInfo.activeProcessorCount) { person in
            guard failure.withLock({ $0 == nil }) else { return }
            do {
                let file = try AtomicFile("\(output)/\(Population.name(of: person, in: model)).jsonl")
                try Population.writeJSONLines(model, person: person) { try $0.withUnsafeBytes(file.write) }
                try file.commit()
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        printToStandardError(
            """
            wrote the sessions of \
            \(model.people == 1 ? "1 person" : "\(HumanText.count(Double(model.people))) people") on \
            \(HumanText.count(model.days, "day")) to \(output)
            """
        )
    }

    /// - Throws: ``CommandFailure`` if the folder cannot be made, or has files, which would be taken for people's.
    private static func makeEmptyFolder(_ path: String) throws {
        let files = FileManager.default
        do { try files.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
            throw CommandFailure(.cannotCreate, "\(path): cannot create the folder: \(error.localizedDescription)")
        }
        let content: [String]
        do { content = try files.contentsOfDirectory(atPath: path) } catch {
            throw CommandFailure(.ioError, "\(path): cannot read the folder: \(error.localizedDescription)")
        }
        guard content.isEmpty else {
            throw CommandFailure(.cannotCreate, "\(path): the folder has files; remove them, or name another folder.")
        }
    }
}
