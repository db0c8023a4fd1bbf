/// A trace that was read, and what its reader has to say besides.
public struct TraceReading: Sendable {
    public var trace: Trace
    public var format: TraceFormat
    /// Nothing is dropped or guessed in silence: each warning says what and how often.
    public var warnings: [String]
    /// What the format counts, such as a HAR's entries; empty for most.
    public var facts: [ReadingNotes.Fact]

    /// Reads the trace at `path`, in the format that its first bytes and name speak for unless one is given.
    public init(contentsOf path: String, format: TraceFormat? = nil) throws {
        try self.init(TraceInput(path: path), format: format)
    }

    public init(_ input: TraceInput, format: TraceFormat? = nil) throws {
        var notes = ReadingNotes()
        self.format = try format ?? .sniffed(input)
        trace = try self.format.read(input, &notes)
        warnings = notes.warnings
        facts = notes.facts
    }

    /// Every error of a file up to `limit`, instead of the first alone; the reading is nil where there was any.
    public static func validate(
        contentsOf path: String, format: TraceFormat? = nil, limit: Int
    ) -> (reading: TraceReading?, errors: [any Error]) {
        var notes = ReadingNotes(errorLimit: limit)
        do {
            let input = try TraceInput(path: path)
            let format = try format ?? .sniffed(input)
            let trace = try format.read(input, &notes)
            guard notes.errors.isEmpty else { return (nil, notes.errors) }
            return (TraceReading(trace: trace, format: format, warnings: notes.warnings, facts: notes.facts), [])
        } catch {
            return (nil, notes.errors + [error])
        }
    }

    private init(trace: Trace, format: TraceFormat, warnings: [String], facts: [ReadingNotes.Fact]) {
        self.trace = trace
        self.format = format
        self.warnings = warnings
        self.facts = facts
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
