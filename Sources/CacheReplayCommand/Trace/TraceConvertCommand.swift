import ArgumentParser
import Basics
import CacheReports
import CacheTraces
import SessionModel

struct TraceConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a trace to another format.",
        discussion: """
            Example: cachereplay trace convert page.har Traces/page.jsonl --thumbnails /thumb/ --title "Photo page"

            The format of the output follows from its name, unless --to names it. A file whose name ends in .gz, .xz, \
            .zst or .bz2 is written compressed. The output is written completely or not at all. With --each-page, \
            page.jsonl becomes page-1.jsonl, page-2.jsonl and so on, one file for each page or run of a HAR that has \
            images; the numbers are those of 'trace info'.
            """)

    @Argument(help: "The trace to read; - is standard input.", completion: .file())
    var source: String

    @Argument(help: "The file to write.", completion: .file())
    var destination: String

    @Option(help: ArgumentHelp("The format to write.", valueName: "name"), transform: TraceFormat.named)
    var to: TraceFormat?

    @Option(help: ArgumentHelp("The text that the keys of thumbnails contain.", valueName: "text"))
    var thumbnails: String?

    @Option(help: "The trace's title.")
    var title: String?

    @Flag(help: "Write into the trace that a program operated the app, not a person.")
    var scripted = false

    @Flag(help: "Write each page or run of a HAR to a separate file.")
    var eachPage = false

    @OptionGroup var sizes: FirstSizesOption

    @OptionGroup var printing: QuietOption

    @OptionGroup var csv: CSVOutputOptions

    @OptionGroup var input: InputFormatOptions

    func validate() throws {
        if eachPage, input.recording.page != nil {
            throw ValidationError("--each-page writes all pages; --page selects one")
        }
    }

    func run() throws {
        let format = try to ?? formatByName()
        if eachPage { return try convertPages(to: format) }
        if changesNoSession(format) { return try transfer(to: format) }
        try write(input.read(source), format)
    }

    /// Whether no option changes a session, so that requests can be written without one.
    private func changesNoSession(_ format: TraceFormat) -> Bool {
        title == nil && !scripted && thumbnails == nil && (!csv.csvSafe || format.name == TraceFormat.csv.name)
    }

    /// Converts the source without an event for each request in memory, if it holds only requests.
    private func transfer(to format: TraceFormat) throws {
        let transferred = try TransferredTrace(
            contentsOf: source, format: input.chosenFormat(), options: input.recording.options, to: format,
            firstSizes: sizes.firstSizes)
        switch transferred {
        case .session(let reading): try write(reading, format)
        case .columns(let columns, let warnings):
            if !printing.quiet { printWarnings(warnings, file: source) }
            try columns.write(compressedTo: destination)
        case .requests(let requests):
            requests.style = csv.csvSafe ? .safe : .exact
            if !printing.quiet { printWarnings(requests.warnings, file: source) }
            let losses = try requests.write(to: destination, format: format)
            if !printing.quiet { printWarnings(losses, file: destination) }
        }
    }

    private func convertPages(to format: TraceFormat) throws {
        if let chosen = try input.chosenFormat(), chosen.name != TraceFormat.har.name {
            throw ValidationError("--each-page requires --format har, not \(chosen.name)")
        }
        let recording = try HARRecording(contentsOf: source)
        for (page, content) in recording.pages.enumerated() where content.images > 0 {
            var notes = ReadingNotes()
            let trace = try recording.trace(page: page, &notes)
            let path = Self.numbered(destination, page + 1)
            try write(trace, to: path, format, warnings: notes.warnings)
            if !printing.quiet {
                CommandOutput.print("\(path): \(content.images) requests of \(trace.header.title ?? content.id)")
            }
        }
    }

    /// Returns a path with a number before its endings, such as `feed-2.jsonl.gz` for `feed.jsonl.gz`.
    static func numbered(_ path: String, _ number: Int) -> String {
        let bytes = path.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        let dots = bytes.indices[start...].dropFirst().filter { bytes[$0] == UInt8(ascii: ".") }
        let place = dots.suffix(Compression(fileName: path) == nil ? 1 : 2).first ?? path.endIndex
        return "\(path[..<place])-\(number)\(path[place...])"
    }

    private func write(_ reading: TraceReading, _ format: TraceFormat) throws {
        try write(
            reading.trace, to: destination, format,
            warnings: reading.warnings + RequestTransfer.movedTimes(from: reading.start))
    }

    private func write(_ source: Trace, to path: String, _ format: TraceFormat, warnings: [String]) throws {
        var trace = source
        var warnings = warnings
        if let title { trace.header.title = title }
        if scripted { trace.header.scripted = true }
        if let thumbnails, trace.markThumbnails(where: { $0.key.contains(thumbnails) }) == 0 {
            warnings.append("no key contains '\(thumbnails)'; no request was changed")
        }
        if csv.csvSafe {
            guard format.name == TraceFormat.csv.name else {
                throw ValidationError("--csv-safe requires a CSV file to write, not \(format.name)")
            }
            for object in trace.objects.indices {
                trace.objects[object].key = CSVStyle.safe.written(trace.objects[object].key)
            }
        }
        if !printing.quiet { printWarnings(warnings, file: self.source) }
        let losses = try trace.write(to: path, format: format)
        if !printing.quiet { printWarnings(losses, file: path) }
    }

    private func formatByName() throws -> TraceFormat {
        if let format = TraceFormat.writable(for: destination) { return format }
        let writable = TraceFormat.all.filter(\.canWrite).map(\.name).joined(separator: ", ")
        throw ValidationError(
            "the name '\(destination)' does not determine the format to write; pass --to with one of \(writable)")
    }
}
