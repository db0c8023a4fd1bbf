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
            TraceAnonymizeCommand.self, TraceSynthesizeCommand.self, TracePeopleCommand.self, TraceValidateCommand.self,
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
            session. Checksums detect damage.
            """)

    @Argument(help: "The trace to read; - is standard input.", completion: .file())
    var source: String

    @Argument(help: "The file to write; its name usually ends in .crtrace.", completion: .file())
    var destination: String

    @OptionGroup var printing: QuietOption

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        var notes = ReadingNotes()
        let trace = try CompiledTrace(
            contentsOf: source, format: input.chosenFormat(), options: input.recording.options, &notes)
        if !printing.quiet { printWarnings(notes.warnings, file: source) }
        try trace.write(to: destination)
        if !printing.quiet {
            CommandOutput.print("\(destination): \(trace.accesses) accesses to \(trace.objects) objects")
        }
    }
}

/// The earlier name `trace validate`, now `validate --syntax`. It is accepted for one release.
struct TraceValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check traces and print every error.",
        discussion: """
            Example: cachereplay trace validate Traces/*.jsonl

            The exit code is 65 if a file has errors. A recording whose last line is incomplete, because its recorder \
            was killed, is valid with a warning; with --strict a warning counts as an error.
            """,
        shouldDisplay: false)

    @Argument(help: "The traces; - is standard input.", completion: .file())
    var files: [String]

    @Option(help: "The number of errors to print per file.")
    var limit = 20

    @Flag(help: "Treat warnings as errors.")
    var strict = false

    @OptionGroup var input: InputFormatOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit requires a number above 0") }
    }

    func run() throws {
        try TraceSyntax(input: input, limit: limit, acceptsWarnings: !strict).check(TraceSources(named: files))
    }
}

/// The check of `validate --syntax`, which reads traces and replays nothing.
struct TraceSyntax {
    let input: InputFormatOptions
    /// The largest number of errors that are printed for a trace.
    let limit: Int
    /// Whether a trace with warnings is valid.
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
