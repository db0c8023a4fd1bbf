import Basics
import SessionModel

/// A trace that was read, with the warnings and facts of its reader.
public struct TraceReading: Sendable {
    public var trace: Trace
    public var format: TraceFormat
    /// The content that was dropped or assumed, and how often.
    public var warnings: [String]
    /// Counts of the format, such as the entries of a HAR; empty for most formats.
    public var facts: [ReadingNotes.Fact]
    /// The pages of a HAR. The trace contains all of them unless an option selects one.
    public var pages: [HARPage]
    /// The time 0 of the session on the clock of a file of requests or a log, in microseconds; 0 for other files.
    public var start: Int64

    /// Reads the trace at `path`; the format is recognised from its content and name if `format` is nil.
    ///
    /// - Throws: `TraceError`.
    public init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        var notes = ReadingNotes()
        try self.init(TraceStream(path: path), format: format, options, &notes)
    }

    /// - Throws: `TraceError`.
    public init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        var notes = ReadingNotes()
        let format = try (format ?? .sniffed(input)).applying(options, file: input.path)
        self.init(try format.read(input, &notes), format, notes)
    }

    /// Reads an opened file, without holding all of it in memory if its format allows that.
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

    /// Reads a file and returns up to `limit` errors instead of only the first. The reading is nil if there are errors.
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
        start = notes.start
    }
}

/// The warnings, facts and errors that a reader or writer collects.
public struct ReadingNotes: Sendable {
    /// A count, such as the number of entries of a HAR.
    public struct Fact: Sendable, Equatable {
        public var name: String
        public var value: Int
    }

    /// The content that was dropped or assumed, and how often.
    public var warnings: [String] = []
    public var facts: [Fact] = []
    /// Whether the sizes of columns are the sizes of bitmaps.
    public var countsBitmaps = false
    /// Whether the file gives each request a size, so that an object can have several; see ``VaryingSizes``.
    public var hasSizesByRequest = false
    /// The time 0 of a session on the clock of a file of requests or a log, in microseconds.
    public internal(set) var start: Int64 = 0
    public var pages: [HARPage] = []
    /// Errors that were skipped to find further ones, which only `validate` does.
    public private(set) var errors: [TraceError] = []
    private let errorLimit: Int

    /// - Parameter errorLimit: The number of errors that are collected before reading stops.
    public init(errorLimit: Int = 1) {
        self.errorLimit = errorLimit
    }

    /// Collects an error after which the reader can continue, or throws it if the limit is reached.
    mutating func report(_ error: TraceError) throws {
        guard errors.count + 1 < errorLimit else { throw error }
        errors.append(error)
    }

    /// Warns that a format of requests alone leaves out the sizes of views, and when the session began.
    mutating func noteLosses(_ trace: Trace) {
        if let started = trace.header.started {
            warnings.append("the session began at \(started), which this format does not store; times count from there")
        }
        let lost = trace.events.count {
            if case .appear = $0.action { $0.viewSize != nil } else { false }
        }
        guard lost > 0 else { return }
        let requests = HumanText.count(lost, "request")
        warnings.append("the sizes of the views of \(requests) cannot be stored in this format and are left out")
    }
}

extension Trace {
    /// Reads a trace from a file, compressed or not; the format is recognised if `format` is nil.
    ///
    /// To receive warnings, use ``TraceReading``.
    ///
    /// - Throws: `TraceError`.
    public init(contentsOf path: String, format: TraceFormat? = nil) throws {
        self = try TraceReading(contentsOf: path, format: format).trace
    }
}

/// The size of an object to which a file of requests gives different sizes.
///
/// Sessions and access logs have one size for each object.
public enum VaryingSizes: String, Sendable, CaseIterable {
    /// An object always has the size of its first request.
    case first
    /// A request with another size than the one before stores a held object anew, with the new size.
    case latest
    /// An object has the size of the request that inserted it, until it leaves. A hit does not change it.
    case insertion

    /// Returns the warning of requests whose size is not the first of their object; empty without such requests.
    func warnings(requests: Int) -> [String] {
        guard requests > 0 else { return [] }
        let meaning =
            switch self {
            case .first: "each object keeps its first size"
            case .latest: "each object has the size of its latest request"
            case .insertion: "each object has the size of the request that inserts it"
            }
        return ["\(requests) requests have a different size than the first of their object; \(meaning)"]
    }
}
