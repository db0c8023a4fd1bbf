import ArgumentParser
import Basics
import CacheTraces
import Foundation
import Synchronization
import TraceSynthesis

struct TraceSynthesizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize",
        abstract: "Generate the sessions of modelled people, or requests.",
        discussion: """
            Example: cachereplay trace synthesize --people 60 --days 3 --app feed --output Sessions

            Each person has a file with all visits of some days: people differ in pace, phone and network, visits have \
            observed lengths and gaps, and a feed has other pictures when a person returns. --model prints each \
            parameter with its certainty and its source; 'cachereplay trace people Sessions' compares sessions with \
            people.

            Example: cachereplay trace synthesize --requests 20000000 --set objects=1000000 --set exponent=1 \
            --output zipf.oracleGeneral.bin

            Without --people, requests are drawn independently by popularity (Zipf), without a list, a person or a \
            network, to measure policies and simulators. 'cachereplay trace convert' converts them to other formats. \
            --requests 1000 --model prints their parameters.

            The same options give the same bytes on every machine. The header of a session states that it is \
            synthetic, and names the model, the app, the seed and each changed parameter.

            Fetches are those of a browser at a first visit: an object that a view cell requests or the app prefetches \
            is fetched, unless it is in flight or was fetched since the app was launched. A failed fetch is tried \
            again at the next request.
            """)

    @OptionGroup var population: PopulationOptions

    @Option(help: "The number of requests. With --people, the most requests of a person, with which a session ends.")
    var requests: Int?

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @OptionGroup var parameters: ParameterOptions

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The folder for the files of people, or the file of requests, which ends in .oracleGeneral.bin.",
            valueName: "path"),
        completion: .file())
    var output: String?

    @OptionGroup var printing: JSONOption

    func validate() throws {
        if printing.json, !parameters.model { throw ValidationError("--json prints the parameters; add --model.") }
        if population.people == nil, let option = population.needsPeople(isModel: parameters.model) {
            throw ValidationError("\(option) describes modelled people; add --people 60, for example.")
        }
        if population.people == nil, requests == nil, !parameters.model {
            throw ValidationError("What is generated? Add --people 60 or --requests 20000, for example.")
        }
    }

    func run() throws {
        do {
            if population.people == nil, let requests {
                try writeRequests(requestModel(requests))
            } else {
                try writePeople(peopleModel())
            }
        } catch let error as SynthesisError {
            throw ValidationError(error.description)
        }
    }

    private func peopleModel() throws -> PeopleModel {
        var model = PeopleModel()
        model.people = population.people ?? 1
        model.days = population.days ?? 1
        model.app = population.app ?? .feed
        model.phone = population.device
        model.network = population.network
        model.requests = requests
        model.seed = seed
        for (place, value) in try parameters.values(among: PeopleParameter.all, of: "people") {
            model[PeopleParameter.all[place].parameter] = value
        }
        try model.check()
        return model
    }

    private func requestModel(_ requests: Int) throws -> RequestModel {
        var model = RequestModel()
        model.requests = requests
        model.seed = seed
        for (place, value) in try parameters.values(among: RequestParameter.all, of: "requests") {
            if let parameter = RequestParameter(rawValue: place) { model[parameter] = value }
        }
        try model.check()
        return model
    }

    /// Writes requests as oracleGeneral, or prints their parameters.
    private func writeRequests(_ model: RequestModel) throws {
        if parameters.model {
            let rows = RequestParameter.allCases.map { ParameterRow(RequestParameter.all[$0.rawValue], model[$0]) }
            return printing.json
                ? CommandOutput.printJSON(ParameterRow.json(rows, version: nil))
                : CommandOutput.print(ParameterRow.table(rows).joined(separator: "\n"))
        }
        guard let output, Compression(fileName: output) == nil,
            TraceFormat.writable(for: output)?.name == TraceFormat.oracleGeneral.name
        else {
            throw ValidationError(
                """
                --requests without --people requires --output FILE.oracleGeneral.bin; `cachereplay trace convert` \
                converts it to other formats
                """
            )
        }
        let requests = try IndependentRequests(model)
        let file = try AtomicFile(output)
        try requests.writeOracleGeneral { try $0.withUnsafeBytes(file.write) }
        try file.commit()
    }

    /// Writes the sessions of people into the folder of `--output`, on all processors, or prints their parameters.
    private func writePeople(_ model: PeopleModel) throws {
        if parameters.model { return printParameters(of: model) }
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

    private func printParameters(of model: PeopleModel) {
        let facts = PeopleParameter.all.filter { facts in population.app.map(facts.apps.contains) ?? true }
        let rows = facts.map { ParameterRow($0, model[$0.parameter], $0) }
        if printing.json { return CommandOutput.printJSON(ParameterRow.json(rows, version: PeopleModel.version)) }
        let sources = facts.filter { $0.certainty != .assumed }.map { [$0.name, $0.source] }
        CommandOutput.print(
            (ParameterRow.table(rows) + ["", "Sources"] + TextGrid.lines(sources) + [
                "",
                """
                Parameters without a source are assumed, not measured. Change them, and see whether \
                conclusions change.
                """,
            ]).joined(separator: "\n"))
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
