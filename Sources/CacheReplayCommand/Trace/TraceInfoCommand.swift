import ArgumentParser
import CacheTraces

struct TraceInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what a trace holds: requests, objects, bytes, duration.",
        discussion: """
            Example: cachereplay trace info Traces/photo-feed.jsonl --json

            Bytes are those of all requests; unique bytes, the working set, count each object once.
            """)

    @Argument(help: "The trace; compressed files are read as they are.", completion: .file())
    var file: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Do not print warnings.")
    var quiet = false

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        let reading = try input.read(file)
        if !quiet { printWarnings(reading.warnings, file: file) }
        let summary = TraceSummary(reading.trace)
        print(json ? summary.json(reading) : summary.text(reading))
    }
}
