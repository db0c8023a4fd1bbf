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
        try self.init(
            contentsOf: path, Options(format: format, usesSizes: usesSizes, bitmaps: bitmaps), &notes)
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
    /// others, and a file of requests keeps no times that are not needed; the other formats keep all.
    public struct Columns: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// ``DenseTrace/ticks``, for policies that read the time.
        public static let times = Columns(rawValue: 1)
        /// ``DenseTrace/nextAccesses``, for policies that know the future.
        public static let nextAccesses = Columns(rawValue: 2)

        public static let all: Columns = [.times, .nextAccesses]
    }

    /// What is read of a file, and how.
    public struct Options: Sendable {
        /// The format; nil to recognise it.
        public var format: TraceFormat?
        /// What to read of a recording or a log.
        public var reading = ReadingOptions()
        /// Whether objects have their recorded sizes. Otherwise every object has size 1.
        public var usesSizes: Bool
        /// The size of an object that has several.
        public var varying: VaryingSizes
        /// Whether the size of an object is that of its bitmap.
        public var bitmaps: Bitmaps
        /// The columns that are needed; others may be missing.
        public var columns: Columns
        /// The number of requests in a window, for ``DenseTrace/forEachWindow(of:_:_:_:)``.
        public var window: Int

        public init(
            format: TraceFormat? = nil, usesSizes: Bool = true, varying: VaryingSizes = .first,
            bitmaps: Bitmaps = .never, columns: Columns = .all, window: Int = 1 << 18
        ) {
            (self.format, self.usesSizes, self.varying) = (format, usesSizes, varying)
            (self.bitmaps, self.columns, self.window) = (bitmaps, columns, window)
        }
    }

    /// Reads a trace file into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(contentsOf path: String, _ options: Options, _ notes: inout ReadingNotes) throws {
        let stream = try TraceStream(path: path)
        if let read = try (options.format ?? .sniffed(stream))?.applying(options.reading, file: path).stream {
            try self.init(read(stream, &notes), options, file: path, &notes)
        } else {
            let (input, format) = try TraceInput.ofRequests(stream, options.format, options.reading)
            var options = options
            options.format = format
            try self.init(input, options, &notes)
        }
    }

    /// Reads a trace in memory into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(_ input: TraceInput, _ options: Options, _ notes: inout ReadingNotes) throws {
        let format = try (options.format ?? .sniffed(input)).applying(options.reading, file: input.path)
        let holdsSession =
            try format.dense == nil ? format.requests == nil : CompiledFile(input).holdsSession
        if options.bitmaps != .never, holdsSession {
            try self.init(format.read(input, &notes), options, file: input.path, &notes)
            return
        }
        if options.bitmaps == .required { throw Bitmaps.noImages(input.path) }
        if let dense = format.dense {
            self = try dense(input, options.usesSizes, options.columns, &notes)
            return
        }
        guard let read = format.requests else {
            self.init(try format.read(input, &notes), usesSizes: options.usesSizes)
            return
        }
        var kept = input
        kept.keepsTimes = options.columns.contains(.times)
        let requests = try read(kept, &notes)
        notes.warnings += requests.warnings(varying: options.usesSizes ? options.varying : .first)
        notes.hasSizesByRequest = true
        self = requests.dense(usesSizes: options.usesSizes, varying: options.varying)
    }

    private init(_ trace: Trace, _ options: Options, file: String, _ notes: inout ReadingNotes) throws {
        let holdsBitmaps = try options.bitmaps.apply(to: trace, file: file, &notes)
        self.init(trace, usesSizes: options.usesSizes, holdsBitmaps: holdsBitmaps)
    }
}
