import CacheTraces

/// The analysis of a trace file: its counts, its figures, and the warnings of its reader.
///
/// Formats that hold only requests are read as columns, without keys and events, so that hundreds of millions of
/// requests can be analysed.
public struct TraceInspection: Sendable {
    /// The counts.
    public var summary: TraceSummary
    /// The figures.
    public var analysis: TraceStatistics
    public var format: TraceFormat
    /// The warnings of the reader, then the warnings of the analysis.
    public var warnings: [String]
    /// Counts of the format, such as the entries of a HAR; empty for most formats.
    public var facts: [ReadingNotes.Fact]
    public var pages: [HARPage]

    /// Reads the file at `path`; the format is recognised from its content and name if `format` is nil.
    ///
    /// - Throws: `TraceError`.
    public init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        self.init(try TraceContent(contentsOf: path, format: format, options: options))
    }

    /// Inspects a file whose bytes are in memory.
    public init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        self.init(try TraceContent(input, format: format, options: options))
    }

    package init(_ content: TraceContent) {
        switch content {
        case .events(let reading): self.init(reading)
        case .requests(let columns):
            let log = RequestLog(columns)
            self.init(
                TraceSummary(log), TraceStatistics(log), columns.format, columns.notes.warnings, columns.notes.facts, []
            )
        }
    }

    private init(_ reading: TraceReading) {
        self.init(
            TraceSummary(reading.trace), TraceStatistics(reading.trace), reading.format, reading.warnings,
            reading.facts,
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
