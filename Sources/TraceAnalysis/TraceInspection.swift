import CacheTraces

/// A trace file looked at: its counts, its analysis, and what its reader had to say.
///
/// Formats that know requests alone are read as columns: no key and no event is made, so that hundreds of millions of
/// requests can be looked at.
public struct TraceInspection: Sendable {
    public var summary: TraceSummary
    public var analysis: TraceStatistics
    public var format: TraceFormat
    /// The reader's, then the analysis's.
    public var warnings: [String]
    /// What the format counts, such as a HAR's entries; empty for most.
    public var facts: [ReadingNotes.Fact]
    /// The pages of a recording that has some.
    public var pages: [HARPage]

    /// Reads the file at `path`; the format is recognised from its content and name if `format` is nil.
    ///
    /// - Throws: ``TraceError``.
    public init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        self.init(try TraceContent(contentsOf: path, format: format, options: options))
    }

    /// Inspects a file whose bytes are in memory.
    public init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        self.init(try TraceContent(input, format: format, options: options))
    }

    private init(_ content: TraceContent) {
        switch content {
        case .events(let reading): self.init(reading)
        case .requests(let columns):
            let log = RequestLog(columns)
            self.init(
                TraceSummary(log), TraceStatistics(log), columns.format, columns.notes.warnings, columns.notes.facts, [])
        }
    }

    private init(_ reading: TraceReading) {
        self.init(
            TraceSummary(reading.trace), TraceStatistics(reading.trace), reading.format, reading.warnings, reading.facts,
            reading.pages)
    }

    private init(
        _ summary: TraceSummary, _ analysis: TraceStatistics, _ format: TraceFormat, _ warnings: [String],
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
