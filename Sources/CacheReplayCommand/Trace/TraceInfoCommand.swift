import ArgumentParser
import CacheReports
import CacheTraces
import ReplayEngine
import Runs
import TraceAnalysis

struct TraceInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Print the counts and the statistics of traces.",
        discussion: """
            Example: cachereplay trace info Traces/photo-feed.jsonl --output Results/photo-feed

            The first sentence says how many requests a cache can answer without prefetching. Bytes are those of all \
            requests; unique bytes count each object once. The statistics are: popularity \
            (Zipf's exponent by maximum likelihood with its standard error, and the Kolmogorov-Smirnov distance \
            between law and trace), objects requested once, reuse distances (the number of other objects requested \
            between two uses: an LRU cache of more objects hits), times between requests, the working set within \
            windows of time, sizes by variant, fetches in flight, and scrolling. The row "consistency" is the result \
            of 'cachereplay validate' for the first 20,000 fetches. --json adds the working set over time. The output \
            names what a trace does not record, and contains no figures for it.
            """)

    @OptionGroup var arguments: TraceArguments

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            """
            Also write trace.json and charts/ (gnuplot scripts, CSVs, SVG and PNG) into this folder; of several \
            traces, into one folder each.
            """,
            valueName: "dir"),
        completion: .directory)
    var output: String?

    @OptionGroup var printing: PrintOptions

    @OptionGroup var strictOption: StrictOption

    @OptionGroup var input: InputFormatOptions

    func validate() throws { try arguments.require() }

    func run() throws {
        let sources = try TraceSources(arguments.traces, format: nil)
        if output != nil { try sources.checkNames() }
        // The form of the output does not depend on how many files a folder has.
        let isOnly = sources.areNamed && sources.files.count == 1
        var objects: [String] = []
        let skipped = try sources.forEach(isStrict: strictOption.strict) { _, file in
            let content = try TraceContent(
                contentsOf: file.place, format: input.chosenFormat(), options: input.recording.options)
            let inspection = TraceInspection(content)
            let consistency = Self.consistency(content)
            if !printing.quiet { printWarnings(inspection.warnings, file: file.path) }
            if printing.json, !isOnly {
                objects.append(inspection.json(consistency))
            } else if printing.json {
                CommandOutput.printJSON(inspection.json(consistency))
            } else {
                let text = inspection.text(consistency, width: CommandOutput.terminalWidth)
                CommandOutput.print(isOnly ? text : "\(file.path)\n\n\(text)\n")
            }
            if let output {
                try write(
                    inspection, file.name, consistency, to: isOnly ? output : "\(output)/\(SafeName(file.name))")
            }
        }
        if printing.json, !isOnly { CommandOutput.printJSON("[\(objects.joined(separator: ",\n"))]") }
        try TraceSources.report(skipped, of: sources.files.count, work: "read")
    }

    private func write(
        _ inspection: TraceInspection, _ name: String, _ consistency: ConsistencyReport?, to folder: String
    ) throws {
        let pictures = try inspection.writeFigures(named: name, to: folder, consistency: consistency)
            .reported(quiet: printing.quiet)
        if !printing.quiet {
            printToStandardError("wrote \(folder)/trace.json and \(pictures.count) pictures in \(folder)/charts")
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
