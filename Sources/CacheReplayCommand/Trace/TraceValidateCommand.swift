import ArgumentParser
import CacheTraces
import SessionModel
import TraceAnalysis

struct TraceValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check traces and print every error.",
        discussion: """
            Example: cachereplay trace validate Traces/*.jsonl

            The exit code is 65 if a file has errors. A recording whose last line is incomplete, because its recorder \
            was killed, is valid with a warning; with --strict a warning counts as an error.
            """)

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
        let format = try input.chosenFormat()
        var failures: [String] = []
        var status = ExitStatus.noInput
        for file in files {
            let (reading, errors) = TraceReading.validate(
                contentsOf: file, format: format, options: input.recording.options, limit: limit)
            if files.count == 1, errors.count == 1 { throw errors[0] }
            for error in errors {
                printToStandardError("\(error)")
                if (error as? TraceError)?.kind != .notFound { status = .badData }
            }
            printWarnings(reading?.warnings ?? [], file: file)
            if strict, reading?.warnings.isEmpty == false { status = .badData }
            guard let reading, !(strict && !reading.warnings.isEmpty) else {
                failures.append(file)
                continue
            }
            let summary = TraceSummary(reading.trace)
            CommandOutput.print(
                """
                \(file): ok, \(reading.format.name), \(reading.trace.events.count) events, \(summary.requests) \
                requests, \(summary.objects) objects
                """
            )
        }
        guard failures.isEmpty else {
            throw CommandFailure(
                status, "\(failures.count) of \(files.count) traces are not valid: \(failures.joined(separator: ", "))")
        }
    }
}
