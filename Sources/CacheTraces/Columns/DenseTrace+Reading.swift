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
    /// - Throws: `TraceError`.
    public init(contentsOf path: String, format: TraceFormat? = nil, usesSizes: Bool = true) throws {
        var notes = ReadingNotes()
        try self.init(contentsOf: path, format: format, usesSizes: usesSizes, &notes)
    }

    /// Reads a trace file into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(
        contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init(), usesSizes: Bool = true,
        _ notes: inout ReadingNotes
    ) throws {
        let stream = try TraceStream(path: path)
        if let read = try (format ?? .sniffed(stream))?.applying(options, file: path).stream {
            self.init(try read(stream, &notes), usesSizes: usesSizes)
        } else {
            let input = try TraceInput(stream)
            let format = try (format ?? .sniffed(input)).applying(options, file: path)
            try self.init(input, format: format, usesSizes: usesSizes, &notes)
        }
    }

    /// Reads a trace in memory into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(_ input: TraceInput, format: TraceFormat? = nil, usesSizes: Bool = true, _ notes: inout ReadingNotes)
        throws
    {
        let format = try format ?? .sniffed(input)
        if let dense = format.dense {
            self = try dense(input, usesSizes, &notes)
            return
        }
        guard let read = format.requests else {
            self.init(try format.read(input, &notes), usesSizes: usesSizes)
            return
        }
        let requests = try read(input, &notes)
        notes.warnings += requests.warnings
        self = requests.dense(usesSizes: usesSizes)
    }
}
