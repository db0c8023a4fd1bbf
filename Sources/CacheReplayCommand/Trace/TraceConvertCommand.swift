import ArgumentParser
import CacheTraces

struct TraceConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a trace to another format.",
        discussion: """
            Example: cachereplay trace convert page.har Traces/page.jsonl --thumbnails /thumb/ --title "Photo page"

            The output's format is told from its name unless --to is given; a name that ends in .gz, .xz, .zst or .bz2 is written
            compressed. The output is written whole or not at all.
            """)

    @Argument(help: "The trace to read.", completion: .file())
    var source: String

    @Argument(help: "The file to write.", completion: .file())
    var destination: String

    @Option(help: ArgumentHelp("The format to write.", valueName: "name"), transform: TraceFormat.named)
    var to: TraceFormat?

    @Option(help: ArgumentHelp("Requests whose key contains this text are for thumbnails.", valueName: "text"))
    var thumbnails: String?

    @Option(help: "The trace's title.")
    var title: String?

    @Flag(help: "Do not print warnings.")
    var quiet = false

    @OptionGroup var input: InputFormatOptions

    func run() throws {
        let format = try to ?? formatByName()
        let reading = try input.read(source)
        var trace = reading.trace
        var warnings = reading.warnings
        if let title { trace.header.title = title }
        if let thumbnails, trace.markThumbnails(where: { $0.key.contains(thumbnails) }) == 0 {
            warnings.append("no key contains '\(thumbnails)'; every request stays as it is")
        }
        if !quiet { printWarnings(warnings, file: source) }
        do {
            let losses = try trace.write(to: destination, format: format)
            if !quiet { printWarnings(losses, file: destination) }
        } catch let error as FileWriteError {
            throw CommandFailure(.cannotCreate, "\(error)")
        }
    }

    private func formatByName() throws -> TraceFormat {
        if let format = TraceFormat.toWrite(destination) { return format }
        let writable = TraceFormat.all.filter(\.canWrite).map(\.name).joined(separator: ", ")
        throw ValidationError("the name '\(destination)' does not tell the format to write; pass --to with one of \(writable)")
    }
}
