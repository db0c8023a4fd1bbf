import SessionModel

/// A trace that was read, and what its reader has to say besides.
public struct TraceReading: Sendable {
    public var trace: Trace
    public var format: TraceFormat
    /// Nothing is dropped or guessed in silence: each warning says what and how often.
    public var warnings: [String]
    /// What the format counts, such as a HAR's entries; empty for most.
    public var facts: [ReadingNotes.Fact]
    /// The pages of a recording that has some; the trace is of all of them unless one was chosen.
    public var pages: [HARPage]

    /// Reads the trace at `path`, in the format that its first bytes and name speak for unless one is given.
    public init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        var notes = ReadingNotes()
        try self.init(TraceStream(path: path), format: format, options, &notes)
    }

    public init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        var notes = ReadingNotes()
        let format = try (format ?? .sniffed(input)).applying(options, file: input.path)
        self.init(try format.read(input, &notes), format, notes)
    }

    /// Reads a file that was opened, without holding all of it in memory where its format allows that.
    init(_ stream: TraceStream, format: TraceFormat?, _ options: ReadingOptions, _ notes: inout ReadingNotes) throws {
        if let format = try (format ?? .sniffed(stream))?.applying(options, file: stream.path), let read = format.stream
        {
            self.init(try read(stream, &notes), format, notes)
        } else {
            let input = try TraceInput(stream)
            let format = try (format ?? .sniffed(input)).applying(options, file: stream.path)
            self.init(try format.read(input, &notes), format, notes)
        }
    }

    /// Every error of a file up to `limit`, instead of the first alone; the reading is nil where there was any.
    public static func validate(
        contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init(), limit: Int
    ) -> (reading: TraceReading?, errors: [any Error]) {
        var notes = ReadingNotes(errorLimit: limit)
        do {
            let reading = try TraceReading(TraceStream(path: path), format: format, options, &notes)
            return notes.errors.isEmpty ? (reading, []) : (nil, notes.errors)
        } catch {
            return (nil, notes.errors + [error])
        }
    }

    private init(_ trace: Trace, _ format: TraceFormat, _ notes: ReadingNotes) {
        self.trace = trace
        self.format = format
        warnings = notes.warnings
        facts = notes.facts
        pages = notes.pages
    }
}

/// Where a reader or writer leaves what it has to say.
public struct ReadingNotes: Sendable {
    public struct Fact: Sendable, Equatable {
        public var name: String
        public var value: Int
    }

    public var warnings: [String] = []
    public var facts: [Fact] = []
    public var pages: [HARPage] = []
    /// Errors that were passed over to find more of them; only `validate` does that.
    public private(set) var errors: [TraceError] = []
    private let errorLimit: Int

    public init(errorLimit: Int = 1) {
        self.errorLimit = errorLimit
    }

    /// Throws `error`, unless more of them are wanted and the reader can go on behind it.
    mutating func report(_ error: TraceError) throws {
        guard errors.count + 1 < errorLimit else { throw error }
        errors.append(error)
    }
}

extension Trace {
    /// Reads a trace from a file, compressed or not; the format is recognised where none is given.
    ///
    /// Warnings are dropped here; ``TraceReading`` keeps them. Throws ``TraceError``.
    public init(contentsOf path: String, format: TraceFormat? = nil) throws {
        self = try TraceReading(contentsOf: path, format: format).trace
    }
}
