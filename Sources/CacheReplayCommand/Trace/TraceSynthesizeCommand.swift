import ArgumentParser
import Basics
import CacheTraces
import Foundation
import TraceSynthesis

struct TraceSynthesizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synthesize",
        abstract: "Make up a session from a model of lists, fingers, pictures and networks.",
        discussion: """
            Example: cachereplay trace synthesize --session grid --requests 2000 --network 3g --output \
            Results/grid.jsonl

            The same options give the same bytes on every machine. The trace's header says that it is synthetic, and \
            names model,
            session and seed. Lists move as UIScrollView documents; everything else is chosen to be plausible, not \
            measured.
            Sizes are written as 26kB, times as 250ms, 40s, 5min, 1d. 'never' turns off what happens every so often.

            Fetches are those of a browser at a first visit: what a cell asks for or the app prefetches is fetched \
            unless it is in flight
            or was fetched since the app was launched; a failed fetch is tried again at the next request.
            """)

    @Option(help: "The kind of session: \(SynthesisModel.Session.allCases.map(\.rawValue).joined(separator: ", ")).")
    var session = SynthesisModel.Session.feed

    @Flag(
        help: ArgumentHelp(
            """
            Requests alone, independent of each other, drawn by popularity: no list, no person, no network. Written as \
            oracleGeneral.
            """,
            discussion:
                """
                For measuring policies and simulators. Takes --requests, --seed, --pictures, --exponent, --full-bytes \
                and --full-spread.
                """
        ))
    var requestsOnly = false

    @Option(help: "How many requests the trace has.")
    var requests = SynthesisModel().requests

    @Option(help: "Another seed, another session by the same model.")
    var seed: UInt64 = SynthesisModel().seed

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The file to write, in the format of its name; without it JSON Lines go to standard output.",
            valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup(title: "Pictures") var pictures: PictureOptions
    @OptionGroup(title: "The list") var list: ListOptions
    @OptionGroup(title: "The person") var person: PersonOptions
    @OptionGroup(title: "The network") var network: NetworkOptions
    @OptionGroup(title: "The system") var system: SystemOptions

    func validate() throws {
        do { try model().check() } catch let error as SynthesisError { throw ValidationError(error.description) }
    }

    func run() throws {
        let model = model()
        if requestsOnly { return try writeRequestsOnly(model) }
        guard let output else {
            try Synthesis.writeJSONLines(model) { try Self.print($0) }
            return
        }
        guard let format = TraceFormat.writable(for: output) else {
            let writable = TraceFormat.all.filter(\.canWrite).flatMap(\.fileEndings).joined(separator: ", ")
            throw ValidationError(
                "the name '\(output)' does not tell the format to write; end it in one of \(writable)")
        }
        if format.name == TraceFormat.jsonLines.name, Compression(fileName: output) == nil {
            let file = try AtomicFile(output)
            try Synthesis.writeJSONLines(model) { try $0.withUnsafeBytes(file.write) }
            try file.commit()
        } else {
            printWarnings(try Synthesis.trace(model).write(to: output, format: format), file: output)
        }
    }

    private func writeRequestsOnly(_ model: SynthesisModel) throws {
        guard let output, Compression(fileName: output) == nil,
            TraceFormat.writable(for: output)?.name == TraceFormat.oracleGeneral.name
        else {
            throw ValidationError(
                """
                --requests-only needs --output FILE.oracleGeneral.bin; `cachereplay trace convert` makes other formats \
                of it
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

    /// Writes all of it.
    private static func print(_ bytes: [UInt8]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            // A reader that needs no more, as `head` after its lines, ends the work and is no error.
            if errno == EPIPE { throw ExitCode.success }
            throw CommandFailure(.ioError, "standard output: writing failed: \(String(cString: strerror(errno)))")
        }
    }
}

extension SynthesisModel.Session: ExpressibleByArgument {}
