/// A trace file looked at: its counts, its analysis, and what its reader had to say.
///
/// Formats that know requests alone are read as columns: no key and no event is made, so that hundreds of millions of
/// requests can be looked at.
public struct TraceInspection: Sendable {
    public var summary: TraceSummary
    public var analysis: TraceAnalysis
    public var format: TraceFormat
    /// The reader's, then the analysis's.
    public var warnings: [String]
    /// What the format counts, such as a HAR's entries; empty for most.
    public var facts: [ReadingNotes.Fact]
    /// The pages of a recording that has some.
    public var pages: [HARPage]

    /// Reads the file at `path`, in the format that its first bytes and name speak for unless one is given. Throws
    /// ``TraceError``.
    public init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        let stream = try TraceStream(path: path)
        if let format = try format ?? .sniffed(stream), format.stream != nil {
            var notes = ReadingNotes()
            self.init(try TraceReading(stream, format: format, options, &notes))
        } else {
            try self.init(TraceInput(stream), format: format, options: options)
        }
    }

    public init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        let format = try (format ?? .sniffed(input)).applying(options, file: input.path)
        guard let read = format.requests else {
            self.init(try TraceReading(input, format: format))
            return
        }
        var notes = ReadingNotes()
        let requests = try read(input, &notes)
        notes.warnings += requests.warnings
        let log = RequestLog(requests)
        self.init(TraceSummary(log), TraceAnalysis(log), format, notes.warnings, notes.facts, [])
    }

    private init(_ reading: TraceReading) {
        self.init(
            TraceSummary(reading.trace), TraceAnalysis(reading.trace), reading.format, reading.warnings, reading.facts,
            reading.pages)
    }

    private init(
        _ summary: TraceSummary, _ analysis: TraceAnalysis, _ format: TraceFormat, _ warnings: [String],
        _ facts: [ReadingNotes.Fact],
        _ pages: [HARPage]
    ) {
        self.summary = summary
        self.analysis = analysis
        self.format = format
        self.warnings = warnings + analysis.warnings
        self.facts = facts
        self.pages = pages
    }
}
