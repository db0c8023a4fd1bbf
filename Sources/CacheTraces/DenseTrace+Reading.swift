extension DenseTrace {
    /// Reads a trace from a file straight into columns, in the format that its first bytes and name speak for unless
    /// one is given.
    ///
    /// The result is that of `DenseTrace(Trace(contentsOf: path))`. Formats that know requests alone need no event and
    /// no key in memory on the way, a compiled trace is used where it stands; the others are read as a ``Trace`` first.
    public init(contentsOf path: String, format: TraceFormat? = nil, usesSizes: Bool = true) throws {
        var notes = ReadingNotes()
        try self.init(contentsOf: path, format: format, usesSizes: usesSizes, &notes)
    }

    /// The same, leaving in `notes` what there is to say of the file.
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

    /// The same from bytes that are in memory; what there is to say of them is left in `notes`.
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
