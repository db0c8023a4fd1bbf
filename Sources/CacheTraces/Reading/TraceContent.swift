import SessionModel

/// The content of a trace file, in the form in which its format holds it.
package enum TraceContent: Sendable {
    case events(TraceReading)
    /// Columns without keys and events, for formats that hold only requests.
    case requests(RequestFile)

    /// Reads the file at `path`; the format is recognised from its content and name if `format` is nil.
    ///
    /// - Throws: ``TraceError``.
    package init(contentsOf path: String, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        let stream = try TraceStream(path: path)
        if let format = format ?? .sniffed(stream), format.stream != nil {
            var notes = ReadingNotes()
            self = .events(try TraceReading(stream, format: format, options, &notes))
        } else {
            try self.init(TraceInput(stream), format: format, options: options)
        }
    }

    package init(_ input: TraceInput, format: TraceFormat? = nil, options: ReadingOptions = .init()) throws {
        let format = try (format ?? .sniffed(input)).applying(options, file: input.path)
        guard let read = format.requests else {
            self = .events(try TraceReading(input, format: format))
            return
        }
        var notes = ReadingNotes()
        let requests = try read(input, &notes)
        notes.warnings += requests.warnings
        self = .requests(RequestFile(requests, format, notes))
    }
}

/// The requests of a file as columns of numbers.
package struct RequestFile: Sendable {
    /// The objects and times. Every object has size 1 here.
    package let trace: DenseTrace
    /// The recorded bytes by object; ``unknownSize`` if the file does not state them.
    package let sizes: [Int]
    package let format: TraceFormat
    package let notes: ReadingNotes

    package static let unknownSize = Requests.unknownSize
    /// The microseconds between two requests of formats without times.
    package static let timeStep = Requests.timeStep

    init(_ requests: consuming Requests, _ format: TraceFormat, _ notes: ReadingNotes) {
        sizes = Array(requests.sizes.elements)
        trace = requests.dense(usesSizes: false)
        self.format = format
        self.notes = notes
    }
}
