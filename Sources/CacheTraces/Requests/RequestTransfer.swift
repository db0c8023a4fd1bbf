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
    ///   - firstSizes: Whether each request of a file of requests gets the first size of its object, in place of its
    ///     own. Formats of sessions store no others.
    ///   - window: The number of requests in memory at a time.
    /// - Throws: `TraceError`, also if there is no room for temporary files; `FileError` without a folder for them.
    package init(
        contentsOf path: String, format: TraceFormat?, options: ReadingOptions = .init(), to target: TraceFormat,
        firstSizes: Bool = false, window: Int = 1 << 16
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
            let columns = try CompiledTrace(input, format: found, window: window, firstSizes: firstSizes, &notes)
            self = .columns(columns, warnings: notes.warnings)
        } else {
            let firstSizes = firstSizes || target.requests == nil
            self = .requests(try RequestTransfer(input, found, window: window, firstSizes: firstSizes, &notes))
        }
    }
}

/// The requests of a file on their way to a file of another format.
///
/// Keys and sizes are in memory, because the last request can state the size of the first. The requests are in a
/// temporary file, 16 bytes each, unless they fit in a window. So are the sizes that differ from their objects' sizes.
/// Memory is therefore bounded by the objects, and not by the requests.
package final class RequestTransfer {
    private let path: String
    package let format: TraceFormat
    /// The content that was dropped or assumed while reading, and how often.
    package let warnings: [String]
    /// How keys are written to CSV files.
    package var style = CSVStyle.exact
    /// The keys of the objects, by number.
    let keys: RequestKeys.Made
    /// The time of the first request on the clock of the source, in microseconds.
    let start: Int64
    private let sizes: TraceColumn<Int>
    private let otherSizes: OtherSizes
    /// The removals of values, each before the request at its position: 16 bytes in memory for each.
    private let removals: [(position: Int, object: ObjectID)]
    private let spool: RequestSpool
    private let window: Int

    /// - Parameter firstSizes: Whether each request gets the first size of its object.
    init(
        _ input: TraceInput, _ format: TraceFormat, window: Int, firstSizes: Bool, _ notes: inout ReadingNotes
    ) throws {
        let spool = RequestSpool(path: input.path, room: window)
        let otherSizes = OtherSizes(path: input.path, window: window)
        var removals: [(position: Int, object: ObjectID)] = []
        let requests = try RequestWindows.read(
            input, format, window: window, keeping: firstSizes ? nil : otherSizes, &notes
        ) { requests in
            for exception in requests.exceptions {
                guard case .removal(let object) = exception.kind else { continue }
                removals.append((spool.count + exception.position, ObjectID(object)))
            }
            try Self.append(requests, to: spool)
        }
        warnings = notes.warnings + requests.warnings(varying: firstSizes ? .first : nil)
        self.removals = removals
        (self.otherSizes, start) = (otherSizes, requests.start)
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

    var count: Int { spool.count }

    var objectCount: Int { sizes.count }

    /// Returns the recorded bytes of an object; nil if the file does not state them.
    func size(of object: Int) -> Int? { sizes[object] == Requests.unknownSize ? nil : sizes[object] }

    struct Request {
        /// Microseconds since the first request.
        var time: Int64
        var object: Int
        /// Nil if the file does not state them.
        var bytes: Int?
    }

    /// Calls `body` with each request, in order.
    func forEach(_ body: (Request) throws -> Void) throws {
        var others = try OtherSizes.Reader(otherSizes)
        var position = 0
        try spool.forEach { request in
            let object = Int(UInt32(bitPattern: request.object))
            let bytes = try others.bytes(ofRequest: position) ?? size(of: object)
            try body(Request(time: request.time, object: object, bytes: bytes))
            position += 1
            return true
        }
    }

    /// Calls `body` with each request and its element of a column.
    func forEach(with column: SpooledColumn, _ body: (Request, _ element: UInt32) throws -> Void) throws {
        var elements = SpooledColumn.Reader(column)
        try forEach { try body($0, try elements.next()) }
    }

    /// Returns the warning of a format whose times count from the first request, at `start` microseconds on the clock
    /// of the source.
    package static func movedTimes(from start: Int64) -> [String] {
        start == 0
            ? []
            : ["the first request is at \(start) µs of the clock of the file; times are written as counted from it"]
    }

    /// Returns an empty column for as many requests in memory at a time, and a temporary file for the others.
    func spooledColumn() -> SpooledColumn { SpooledColumn(path: path, window: window) }

    /// Writes the requests as `Trace.write(to:format:)` writes a session of them. If the format has a size and a time
    /// of any clock for each request, they are the size and the time in the source.
    ///
    /// - Returns: Warnings about the content that the format cannot store.
    /// - Throws: `FileError`; `TraceError` if the format cannot store the requests at all.
    package func write(to path: String, format: TraceFormat) throws -> [String] {
        guard let encode = format.encodeRequests else {
            throw FileError(.cannotCreate, path, "the format \(format.name) can only be read")
        }
        var notes = ReadingNotes()
        if format.name != TraceFormat.jsonLines.name { notes.warnRemovals(removals.count) }
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

extension RequestTransfer {
    /// Writes the requests in the native format. The line of each object stands before its first request. Times count
    /// from the first request.
    ///
    /// - Throws: The errors of the output.
    func encodeJSONLines(_ output: inout BlockWriter, _ notes: inout ReadingNotes) throws {
        notes.warnings += Self.movedTimes(from: start)
        var encoder = JSONLinesEncoder()
        encoder.append(TraceHeader())
        var next = 0
        var position = 0
        var removals = removals[...]
        try forEach { request in
            while next <= request.object {
                encoder.append(TraceObject(key: keys.text(of: next), bytes: size(of: next)), as: ObjectID(next))
                next += 1
            }
            while let removal = removals.first, removal.position <= position {
                encoder.append(TraceEvent(time: request.time, .remove(removal.object)))
                removals.removeFirst()
            }
            position += 1
            encoder.append(TraceEvent(time: request.time, .appear(ObjectID(request.object), .full)))
            try Self.pass(&encoder, &output, above: 1 << 16)
        }
        while next < objectCount {
            encoder.append(TraceObject(key: keys.text(of: next), bytes: size(of: next)), as: ObjectID(next))
            next += 1
            try Self.pass(&encoder, &output, above: 1 << 16)
        }
        try Self.pass(&encoder, &output, above: 0)
    }

    /// Passes on the lines of an encoder if they are more than `limit` bytes.
    private static func pass(
        _ encoder: inout JSONLinesEncoder, _ output: inout BlockWriter, above limit: Int
    ) throws {
        guard encoder.bytes.count > limit else { return }
        try encoder.bytes.withUnsafeBytes { try output.append($0) }
        encoder.removeAll()
    }
}
