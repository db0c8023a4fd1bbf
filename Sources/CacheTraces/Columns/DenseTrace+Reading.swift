import SessionModel

extension DenseTrace {
    /// Reads a trace file into columns; the format is recognised from its content and name if `format` is nil.
    ///
    /// The result equals `DenseTrace(Trace(contentsOf: path))`. Formats that hold only requests are read without events
    /// and keys in memory; a compiled trace is mapped; the others are read as a `Trace` first.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - format: The format; nil to recognise it.
    ///   - usesSizes: Whether objects have their recorded sizes. Otherwise every object has size 1.
    ///   - bitmaps: Whether the size of an object is that of its bitmap.
    /// - Throws: `TraceError`.
    public init(
        contentsOf path: String, format: TraceFormat? = nil, usesSizes: Bool = true, bitmaps: Bitmaps = .never
    ) throws {
        var notes = ReadingNotes()
        try self.init(contentsOf: path, format: format, usesSizes: usesSizes, bitmaps: bitmaps, &notes)
    }

    /// Whether the size of an object is that of its bitmap.
    public enum Bitmaps: Sendable {
        /// Sizes are encoded bytes.
        case never
        /// Sizes of sessions of images are those of bitmaps; sizes of other traces are encoded bytes.
        case ofImages
        /// Sizes are those of bitmaps. A trace without images is an error.
        case required

        func apply(to trace: Trace, file: String, _ notes: inout ReadingNotes) throws -> Bool {
            if self == .required, !trace.recordsImages { throw Self.noImages(file) }
            guard self != .never, trace.recordsImages else { return false }
            notes.countsBitmaps = true
            return true
        }

        static func noImages(_ file: String) -> TraceError {
            TraceError(file: file, "the trace has no images, so its objects have no bitmaps; use encoded sizes")
        }
    }

    /// The columns that a simulation needs besides the objects and their sizes. A compiled trace opens and verifies no
    /// others; the other formats read all of their content.
    public struct Columns: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// ``DenseTrace/ticks``, for policies that read the time.
        public static let times = Columns(rawValue: 1)
        /// ``DenseTrace/nextAccesses``, for policies that know the future.
        public static let nextAccesses = Columns(rawValue: 2)

        public static let all: Columns = [.times, .nextAccesses]
    }

    /// Reads a trace file into columns, and adds warnings and facts to `notes`. Columns that the caller does not need
    /// may be missing.
    ///
    /// - Throws: `TraceError`.
    public init(
        contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init(), usesSizes: Bool = true,
        varying: VaryingSizes = .first, bitmaps: Bitmaps = .never, columns: Columns = .all,
        _ notes: inout ReadingNotes
    ) throws {
        let stream = try TraceStream(path: path)
        if let read = try (format ?? .sniffed(stream))?.applying(options, file: path).stream {
            let trace = try read(stream, &notes)
            self.init(trace, usesSizes: usesSizes, holdsBitmaps: try bitmaps.apply(to: trace, file: path, &notes))
        } else {
            let input = try TraceInput(stream)
            let format = try (format ?? .sniffed(input)).applying(options, file: path)
            try self.init(
                input, format: format, usesSizes: usesSizes, varying: varying, bitmaps: bitmaps, columns: columns,
                &notes)
        }
    }

    /// Reads a trace in memory into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(
        _ input: TraceInput, format: TraceFormat? = nil, usesSizes: Bool = true, varying: VaryingSizes = .first,
        bitmaps: Bitmaps = .never, columns: Columns = .all, _ notes: inout ReadingNotes
    ) throws {
        let format = try format ?? .sniffed(input)
        let holdsSession =
            try format.dense == nil ? format.requests == nil : CompiledFile(input).holdsSession
        if bitmaps != .never, holdsSession {
            let trace = try format.read(input, &notes)
            self.init(trace, usesSizes: usesSizes, holdsBitmaps: try bitmaps.apply(to: trace, file: input.path, &notes))
            return
        }
        if bitmaps == .required { throw Bitmaps.noImages(input.path) }
        if let dense = format.dense {
            self = try dense(input, usesSizes, columns, &notes)
            return
        }
        guard let read = format.requests else {
            self.init(try format.read(input, &notes), usesSizes: usesSizes)
            return
        }
        let requests = try read(input, &notes)
        notes.warnings += requests.warnings(varying: usesSizes ? varying : .first)
        notes.hasSizesByRequest = true
        self = requests.dense(usesSizes: usesSizes, varying: varying)
    }
}
