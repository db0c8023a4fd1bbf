import ArgumentParser
import CacheReports
import TraceAnalysis

struct TraceInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Print the counts and the statistics of a trace.",
        discussion: """
            Example: cachereplay trace info Traces/photo-feed.jsonl --output Results/photo-feed

            Bytes are those of all requests; unique bytes count each object once. The statistics are: popularity (Zipf's
            exponent by maximum likelihood with its standard error, and the Kolmogorov-Smirnov distance between law and
            trace), objects requested once, reuse distances (the number of other objects requested between two uses: an
            LRU cache of more objects hits), times between requests, the working set within windows of time, sizes by
            variant, fetches in flight, and scrolling. The output names what a trace does not record, and contains no
            figures for it.
            """)

    @Argument(help: "The trace; it may be compressed.", completion: .file())
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

    @Flag(help: "Do not print warnings.")
    var quiet = false

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        let inspection = try TraceInspection(
            contentsOf: file, format: input.chosenFormat(), options: input.recording.options)
        if !quiet { printWarnings(inspection.warnings, file: file) }
        print(json ? inspection.json() : inspection.text())
        guard let output else { return }
        let written = try CommandFailure.translating {
            try inspection.writePage(named: TraceFile(path: file).name, to: output)
        }
        if !quiet { printToStandardError("wrote \(written[0]) and \(written.count - 2) pictures in \(output)/charts") }
    }
}
