import ArgumentParser
import Basics
import CacheTraces
import Runs
import SessionModel
import TraceAnalysis

public struct TraceCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Inspect, convert, anonymize and generate traces.",
        discussion: "Example: cachereplay trace info Traces/photo-feed.jsonl",
        subcommands: [
            TraceInfoCommand.self, TraceHeadCommand.self, TraceConvertCommand.self, TraceCompileCommand.self,
            TraceAnonymizeCommand.self, TraceSynthesizeCommand.self, TracePeopleCommand.self,
        ])

    public init() {}
}

struct TraceHeadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print the first events of a trace.",
        discussion: """
            With --json, the events are in the native format, JSON Lines.

            Example: cachereplay trace head page.har -n 20
            """)

    @Argument(help: "The trace; - is standard input.", completion: .file())
    var file: String

    @Option(name: [.customShort("n"), .long], help: "The number of events.")
    var count = 10

    @OptionGroup var printing: JSONOption

    @OptionGroup var input: InputFormatOptions

    func validate() throws {
        guard count >= 0 else { throw ValidationError("-n requires a number from 0") }
    }

    func run() throws {
        let reading = try input.read(file)
        printWarnings(reading.warnings, file: file)
        let head = reading.trace.prefix(count)
        if printing.json {
            var encoder = JSONLinesEncoder()
            encoder.append(head)
            CommandOutput.printJSON(String(decoding: encoder.bytes, as: UTF8.self), terminator: "")
        } else {
            CommandOutput.print(head.table())
        }
    }
}

struct TraceCompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compile a trace into columns that simulations use without parsing.",
        discussion: """
            Example: cachereplay trace compile web.oracleGeneral.zst web.crtrace

            A compiled trace simulates exactly like its source, and loads at once regardless of its size. Every \
            command reads it: a compiled session (with fetches, scrolling, disappearing cells) contains the whole \
            session, and compiled requests keep their sizes and the clock of their source. Checksums detect damage.
            """)

    @Argument(help: "The trace to read; - is standard input.", completion: .file())
    var source: String

    @Argument(help: "The file to write; its name usually ends in .crtrace.", completion: .file())
    var destination: String

    @OptionGroup var sizes: FirstSizesOption

    @OptionGroup var printing: QuietOption

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        var notes = ReadingNotes()
        let trace = try CompiledTrace(
            contentsOf: source, format: input.chosenFormat(), options: input.recording.options,
            firstSizes: sizes.firstSizes, &notes)
        if !printing.quiet {
            printWarnings(notes.warnings + RequestTransfer.movedTimes(from: notes.start), file: source)
        }
        try trace.write(to: destination)
        if !printing.quiet {
            CommandOutput.print("\(destination): \(trace.accesses) accesses to \(trace.objects) objects")
        }
    }
}

/// The option of commands that write requests with their sizes.
struct FirstSizesOption: ParsableArguments {
    @Flag(
        help: """
            Give each request the first size of its object. By default requests keep their sizes where the format \
            written has them; sessions have one size for each object.
            """)
    var firstSizes = false
}

/// The check of `validate --syntax`, which reads traces and replays nothing.
struct TraceSyntax {
    let input: InputFormatOptions
    let limit: Int
    let acceptsWarnings: Bool
    /// Whether a file of a folder that is not a trace is an error.
    var isStrict = false

    /// Reads traces, and reports the files that are skipped because they are not traces. A trace with an error is not
    /// skipped.
    /// - Parameter body: Receives a trace, with its reading if it has no errors.
    /// - Throws: What `body` throws, the error of a file that a strict command does not skip, and ``CommandFailure`` if
    ///   all files are skipped.
    func forEach(
        _ sources: TraceSources, _ body: (TraceFile, TraceReading?, _ errors: [any Error]) throws -> Void
    ) throws {
        var skipped: [SkippedSource] = []
        for file in sources.files {
            let (reading, errors) = TraceReading.validate(
                contentsOf: file.place, format: try input.chosenFormat(), options: input.recording.options,
                limit: limit)
            if !file.isNamed, let error = errors.first as? TraceError, ![.badData, .noRoom].contains(error.kind) {
                skipped.append(try file.skipped(after: error, isStrict: isStrict))
            } else {
                try body(file, reading, errors.map(file.named))
            }
        }
        try TraceSources.report(skipped, of: sources.files.count, work: "read")
    }

    /// Reads traces, and prints a line for each valid one, and the errors of the others.
    /// - Throws: ``CommandFailure`` if a trace is not valid; the error itself, if there is only one trace and one
    ///   error.
    func check(_ sources: TraceSources) throws {
        var failures: [String] = []
        var statuses: [ExitStatus] = []
        try forEach(sources) { file, reading, errors in
            if sources.files.count == 1, errors.count == 1 { throw errors[0] }
            for error in errors { printToStandardError("\(error)") }
            statuses += errors.map { CommandFailure($0)?.status ?? .badData }
            printWarnings(reading?.warnings ?? [], file: file.path)
            if !acceptsWarnings, reading?.warnings.isEmpty == false { statuses.append(.badData) }
            guard let reading, acceptsWarnings || reading.warnings.isEmpty else {
                failures.append(file.path)
                return
            }
            let summary = TraceSummary(reading.trace)
            CommandOutput.print(
                """
                \(file.path): ok, \(reading.format.name), \(reading.trace.events.count) events, \(summary.requests) \
                requests, \(summary.objects) objects
                """
            )
        }
        guard failures.isEmpty else {
            throw CommandFailure(
                statuses.contains(.badData) ? .badData : statuses.first ?? .badData,
                "\(failures.count) of \(sources.files.count) traces are not valid: \(failures.joined(separator: ", "))")
        }
    }
}

struct TracePeopleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people",
        abstract: "Compare how sessions move and return with what is known of people.",
        discussion: """
            Example: cachereplay trace people Sessions

            Each row has a figure of all sessions together and of people, and the distance between them: of quantiles, \
            the Kolmogorov-Smirnov distance at the known quantiles of people; of a share, the difference; of another \
            number, the difference as a share of people's; of a range, the distance from it. Figures within 0.10 \
            agree. No public data shows people scrolling pictures on phones: the last column says how each figure is \
            known. Below the table are the reasons for which figures of generated sessions differ, the figures of \
            people that no session is compared with, and the sources.
            """)

    @OptionGroup var arguments: TraceArguments

    @OptionGroup var strictOption: StrictOption

    @OptionGroup var input: InputFormatOptions

    func validate() throws { try arguments.require() }

    func run() throws {
        let sources = try TraceSources(arguments.traces, format: nil)
        var habits: [SessionHabits] = []
        var areModelled = true
        let skipped = try sources.forEach(isStrict: strictOption.strict) { _, file in
            let reading = try TraceReading(
                contentsOf: file.place, format: input.chosenFormat(), options: input.recording.options)
            guard let own = SessionHabits(reading.trace) else {
                throw TraceError(
                    .unrecognised, file: file.path, "no scroll events; how the person moves is not recorded.")
            }
            habits.append(own)
            areModelled = areModelled && reading.trace.header.synthetic
        }
        try TraceSources.report(skipped, of: sources.files.count, work: "compared")
        CommandOutput.print(PeopleComparison(habits, areModelled: areModelled).text())
    }
}
