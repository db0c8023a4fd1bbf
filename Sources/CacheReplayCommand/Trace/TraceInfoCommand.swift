import ArgumentParser
import CacheReports
import CacheTraces
import ReplayEngine
import TraceAnalysis

struct TraceInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Print the counts and the statistics of a trace.",
        discussion: """
            Example: cachereplay trace info Traces/photo-feed.jsonl --output Results/photo-feed

            Bytes are those of all requests; unique bytes count each object once. The statistics are: popularity \
            (Zipf's exponent by maximum likelihood with its standard error, and the Kolmogorov-Smirnov distance \
            between law and trace), objects requested once, reuse distances (the number of other objects requested \
            between two uses: an LRU cache of more objects hits), times between requests, the working set within \
            windows of time, sizes by variant, fetches in flight, and scrolling. The row "consistency" is the result \
            of 'cachereplay validate' for the first 20,000 fetches. The output names what a trace does not record, and \
            contains no figures for it.
            """)

    @Argument(help: "The trace; it may be compressed. - is standard input.", completion: .file())
    var file: String

    @Flag(help: "Print one JSON object, with the working set over time.")
    var json = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Also write trace.html, trace.json and charts/ (gnuplot scripts, CSVs, SVG and PNG) into this folder.",
            valueName: "dir"),
        completion: .directory)
    var output: String?

    @Flag(name: .shortAndLong, help: Quiet.help)
    var quiet = false

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        let content = try TraceContent(
            contentsOf: file, format: input.chosenFormat(), options: input.recording.options)
        let inspection = TraceInspection(content)
        let consistency = Self.consistency(content)
        if !quiet { printWarnings(inspection.warnings, file: file) }
        if json {
            CommandOutput.printJSON(inspection.json(consistency))
        } else {
            CommandOutput.print(inspection.text(consistency))
        }
        guard let output else { return }
        let pictures = try CommandFailure.translating {
            try inspection.writePage(named: TraceFile(path: file).name, to: output, consistency: consistency)
                .reported(quiet: quiet)
        }
        if !quiet {
            printToStandardError("wrote \(output)/trace.html and \(pictures.count) pictures in \(output)/charts")
        }
    }

    /// The number of fetches that are replayed, so that the check of a long log takes less than a second.
    private static let checkedFetches = 20_000

    /// Returns the consistency of a trace with recorded times; nil for others, and for traces that cannot be replayed.
    private static func consistency(_ content: TraceContent) -> ConsistencyReport? {
        guard case .events(let reading) = content else { return nil }
        guard let report = try? ConsistencyReport(reading.trace, first: checkedFetches), !report.checks.isEmpty else {
            return nil
        }
        return report
    }
}
