import Basics
import SessionModel

/// A trace that is read in order to be written in another format.
package enum TransferredTrace {
    /// A session, or a compiled trace.
    case session(TraceReading)
    /// The requests of a file that holds nothing else.
    case requests(RequestTransfer)
    /// Requests that are to be compiled, as columns, with the warnings of their reader.
    case columns(CompiledTrace, warnings: [String])

    /// Reads the trace at `path`; the format is recognised from its content and name if `format` is nil.
    ///
    /// - Parameters:
    ///   - target: The format to write.
    ///   - window: The number of requests in memory at a time.
    /// - Throws: `TraceError`, also if there is no room for temporary files; `FileError` without a folder for them.
    package init(
        contentsOf path: String, format: TraceFormat?, options: ReadingOptions = .init(), to target: TraceFormat,
        window: Int = 1 << 16
    ) throws {
        var notes = ReadingNotes()
        let stream = try TraceStream(path: path)
        let isCompiled = target.name == TraceFormat.compiled.name
        let early = try (format ?? .sniffed(stream))?.applying(options, file: path)
        guard early?.stream == nil, isCompiled || target.encodeRequests != nil else {
            self = .session(try TraceReading(stream, format: format, options, &notes))
            return
        }
        let (input, found) = try TraceInput.ofRequests(stream, format, options, mapsRecords: false)
        guard found.requests != nil else {
            self = .session(try TraceReading(input, format: found, options: options))
            return
        }
        if isCompiled {
            let columns = try CompiledTrace(input, format: found, window: window, &notes)
            self = .columns(columns, warnings: notes.warnings)
        } else {
            self = .requests(try RequestTransfer(input, found, window: window, &notes))
        }
    }
}

/// The requests of a file on their way to a file of another format.
///
/// Keys and sizes are in memory, because the last request can state the size of the first. The requests are in a
/// temporary file, 16 bytes each, unless they fit in a window. Memory is therefore bounded by the objects, and not by
/// the requests.
package final class RequestTransfer {
    /// The path of the source.
    private let path: String
    /// The format of the source.
    package let format: TraceFormat
    /// What was dropped or assumed while reading, and how often.
    package let warnings: [String]
    /// How keys are written to CSV files.
    package var style = CSVStyle.exact
    /// The keys of the objects, by number.
    let keys: RequestKeys.Made
    private let sizes: TraceColumn<Int>
    private let spool: RequestSpool
    /// The number of requests in memory at a time.
    private let window: Int

    /// Reads all requests.
    ///
    /// - Parameters:
    ///   - format: A format that holds only requests.
    ///   - window: The number of requests in memory at a time.
    init(_ input: TraceInput, _ format: TraceFormat, window: Int, _ notes: inout ReadingNotes) throws {
        let spool = RequestSpool(path: input.path, room: window)
        let requests = try RequestWindows.read(input, format, window: window, &notes) { requests in
            try Self.append(requests, to: spool)
        }
        warnings = notes.warnings + requests.warnings
        (keys, sizes) = requests.objectColumns()
        path = input.path
        self.format = format
        self.spool = spool
        self.window = window
    }

    private static func append(_ requests: DenseTrace, to spool: RequestSpool) throws {
        try requests.objects.withUnsafeBufferPointer { objects in
            try requests.ticks.withUnsafeBufferPointer { ticks in
                // Invariant: epochs lie within the columns, which are equally long.
                try requests.forEachEpoch { epoch, range in
                    for index in range {
                        try spool.append(
                            RequestSpool.Request(
                                time: epoch.time &+ Int64(ticks[index]),
                                object: ObjectID(bitPattern: objects[index]), fetch: .none))
                    }
                }
            }
        }
    }

    /// The number of requests.
    var count: Int { spool.count }

    /// The number of objects.
    var objectCount: Int { sizes.count }

    /// Returns the recorded bytes of an object; nil if the file does not state them.
    func size(of object: Int) -> Int? { sizes[object] == Requests.unknownSize ? nil : sizes[object] }

    /// Calls `body` with the time of each request in microseconds, and the number of its object.
    func forEach(_ body: (_ time: Int64, _ object: Int) throws -> Void) throws {
        try spool.forEach { request in
            try body(request.time, Int(UInt32(bitPattern: request.object)))
            return true
        }
    }

    /// Calls `body` with the time of each request in microseconds, the number of its object, and its element of a
    /// column.
    func forEach(
        with column: SpooledColumn, _ body: (_ time: Int64, _ object: Int, _ element: UInt32) throws -> Void
    ) throws {
        var elements = SpooledColumn.Reader(column)
        try forEach { time, object in try body(time, object, try elements.next()) }
    }

    /// Returns an empty column for as many requests in memory at a time, and a temporary file for the others.
    func spooledColumn() -> SpooledColumn { SpooledColumn(path: path, window: window) }

    /// Writes the requests as `Trace.write(to:format:)` writes a session of them: the same bytes.
    ///
    /// - Returns: Warnings about the content that the format cannot store.
    /// - Throws: `FileError`; `TraceError` if the format cannot store the requests at all.
    package func write(to path: String, format: TraceFormat) throws -> [String] {
        guard let encode = format.encodeRequests else {
            throw FileError(.cannotCreate, path, "the format \(format.name) can only be read")
        }
        var notes = ReadingNotes()
        switch Compression(fileName: path) {
        case .zlib?:
            let content = CollectedBytes()
            var writer = BlockWriter { content.bytes.append(contentsOf: $0) }
            try encode(self, &writer, &notes)
            try writer.flush()
            try AtomicFile.write(Compression.zlib.compress(content.bytes, file: path), to: path)
        case let compression?:
            let file = try AtomicFile(path)
            let output = try CompressedOutput(compression, file: path) { try file.write($0) }
            var writer = BlockWriter { try output.append($0) }
            try encode(self, &writer, &notes)
            try writer.flush()
            try output.finish()
            try file.commit()
        case nil:
            let file = try AtomicFile(path)
            var writer = BlockWriter { try file.write($0) }
            try encode(self, &writer, &notes)
            try writer.flush()
            try file.commit()
        }
        return notes.warnings
    }
}

/// The content of a file that is compressed as a whole, with zlib.
private final class CollectedBytes {
    var bytes: [UInt8] = []
}

extension CompiledTrace {
    /// Writes the file atomically, compressed if its name says so.
    ///
    /// - Throws: `FileError`; `TraceError` if the trace has more accesses than the format can number.
    package func write(compressedTo path: String) throws {
        guard let compression = Compression(fileName: path) else { return try write(to: path) }
        try AtomicFile.write(compression.compress(bytes(file: "the compiled trace"), file: path), to: path)
    }
}
