import ArgumentParser
import Basics
import CacheTraces
import Foundation
import TraceSynthesis

struct TraceSynthesizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize",
        abstract: "Generate the sessions of modelled people, or one session of a kind.",
        discussion: """
            Example: cachereplay trace synthesize --people 60 --days 3 --app feed --output Sessions

            With --people, each person has a file with all visits of some days: people differ in pace, phone and \
            network, visits have observed lengths and gaps, and a feed has other pictures when a person returns. \
            --model prints each parameter with its certainty and its source; 'cachereplay trace people Sessions' \
            compares sessions with people.

            Example: cachereplay trace synthesize --session grid --requests 2000 --network 3g --output \
            Results/grid.jsonl

            The same options give the same bytes on every machine. The header of the trace states that it is \
            synthetic, and names model, session and seed. Lists move as UIScrollView documents; all other figures of a \
            session without people are chosen to be plausible, not measured. Sizes are written as 26kB, times as \
            250ms, 40s, 5min, 1d. 'never' \
            turns off events that happen at intervals.

            Fetches are those of a browser at a first visit: an object that a view cell requests or the app prefetches \
            is fetched, unless it is in flight or was fetched since the app was launched. A failed fetch is tried \
            again at the next request.
            """)

    @Option(help: "The kind of session: \(SynthesisModel.Session.allCases.map(\.rawValue).joined(separator: ", ")).")
    var session = SynthesisModel.Session.feed

    @Flag(
        help: ArgumentHelp(
            """
            Generate only requests, drawn independently by popularity, without a list, a person or a network. They are \
            written as oracleGeneral.
            """,
            discussion:
                """
                To measure policies and simulators. Uses --requests, --seed, --pictures, --exponent, --full-bytes \
                and --full-spread.
                """
        ))
    var requestsOnly = false

    @Option(help: "The number of requests.")
    var requests = SynthesisModel().requests

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = SynthesisModel().seed

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The file to write; its name determines the format. Without a file, JSON Lines go to standard output.",
            valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var printing: JSONOption

    @OptionGroup(title: "People") var population: PopulationOptions
    @OptionGroup(title: "Pictures") var pictures: PictureOptions
    @OptionGroup(title: "The list") var list: ListOptions
    @OptionGroup(title: "The person") var person: PersonOptions
    @OptionGroup(title: "The network") var network: NetworkOptions
    @OptionGroup(title: "The system") var system: SystemOptions

    func validate() throws {
        if printing.json, !population.model { throw ValidationError("--json prints the parameters; add --model.") }
        if population.people == nil, let option = population.needsPeople {
            throw ValidationError("\(option) describes modelled people; add --people 60, for example.")
        }
        do { try model().check() } catch let error as SynthesisError { throw ValidationError(error.description) }
    }

    func run() throws {
        if population.model || population.people != nil { return try runPeople() }
        guard population.set.isEmpty, population.parameters == nil else {
            throw ValidationError("--set and --parameters describe modelled people; add --people 60, for example.")
        }
        let model = model()
        if requestsOnly { return try writeRequestsOnly(model) }
        guard let output else {
            try Synthesis.writeJSONLines(model) { try Self.write($0) }
            return
        }
        guard let format = TraceFormat.writable(for: output) else {
            let writable = TraceFormat.all.filter(\.canWrite).flatMap(\.fileEndings).joined(separator: ", ")
            throw ValidationError(
                "the name '\(output)' does not determine the format to write; end it in one of \(writable)")
        }
        if format.name == TraceFormat.jsonLines.name, Compression(fileName: output) == nil {
            let file = try AtomicFile(output)
            try Synthesis.writeJSONLines(model) { try $0.withUnsafeBytes(file.write) }
            try file.commit()
        } else {
            printWarnings(try Synthesis.trace(model).write(to: output, format: format), file: output)
        }
    }

    private func runPeople() throws {
        let people = try population.peopleModel(seed: seed, network: network.network)
        if population.model, printing.json { return CommandOutput.printJSON(population.json(people)) }
        if population.model { return CommandOutput.print(population.table(people)) }
        var others = model()
        others.seed = SynthesisModel().seed
        others.network = SynthesisModel().network
        guard others == SynthesisModel(), network.firstByte == nil, network.bandwidth == nil, !requestsOnly else {
            throw ValidationError(
                """
                with --people, parameters are given with --set or --parameters; 'cachereplay trace synthesize \
                --model' prints their names
                """
            )
        }
        try writePeople(people)
    }

    private func writeRequestsOnly(_ model: SynthesisModel) throws {
        guard let output, Compression(fileName: output) == nil,
            TraceFormat.writable(for: output)?.name == TraceFormat.oracleGeneral.name
        else {
            throw ValidationError(
                """
                --requests-only requires --output FILE.oracleGeneral.bin; `cachereplay trace convert` converts \
                it to other formats
                """
            )
        }
        let requests = try IndependentRequests(model)
        let file = try AtomicFile(output)
        try requests.writeOracleGeneral { try $0.withUnsafeBytes(file.write) }
        try file.commit()
    }

    func model() -> SynthesisModel {
        var model = SynthesisModel()
        model.session = session
        model.requests = requests
        model.seed = seed
        pictures.apply(to: &model)
        list.apply(to: &model)
        person.apply(to: &model)
        network.apply(to: &model)
        system.apply(to: &model)
        return model
    }

    /// Writes bytes to standard output.
    private static func write(_ bytes: [UInt8]) throws {
        do {
            try CommandOutput.write(Data(bytes))
        } catch {
            // A reader that closes the pipe, such as `head`, ends the work without an error.
            if errno == EPIPE { throw ExitCode.success }
            throw CommandFailure(.ioError, "standard output: writing failed: \(String(cString: strerror(errno)))")
        }
    }
}

extension SynthesisModel.Session: ExpressibleByArgument {}
