import SessionModel

/// Where a made-up session goes, line by line, in order of time.
protocol SynthesisSink {
    mutating func begin(_ header: TraceHeader) throws
    /// Told before the first event that names the object; ids count from 0.
    mutating func add(_ object: TraceObject, as id: ObjectID) throws
    mutating func add(_ event: TraceEvent) throws
}

/// Keeps the session as a ``Trace``.
struct TraceSink: SynthesisSink {
    var trace = Trace()

    mutating func begin(_ header: TraceHeader) { trace.header = header }
    mutating func add(_ object: TraceObject, as id: ObjectID) { trace.objects.append(object) }
    mutating func add(_ event: TraceEvent) { trace.events.append(event) }
}

/// Hands the session on as JSON Lines, in pieces of about a megabyte: a trace of any length needs no more memory than
/// that.
struct JSONLinesSink: SynthesisSink {
    private static let pieceLength = 1 << 20

    private var encoder = JSONLinesEncoder()
    private let write: ([UInt8]) throws -> Void

    init(write: @escaping ([UInt8]) throws -> Void) { self.write = write }

    mutating func begin(_ header: TraceHeader) { encoder.append(header) }
    mutating func add(_ object: TraceObject, as id: ObjectID) { encoder.append(object, as: id) }

    mutating func add(_ event: TraceEvent) throws {
        encoder.append(event)
        if encoder.bytes.count >= Self.pieceLength { try finish() }
    }

    mutating func finish() throws {
        try write(encoder.bytes)
        encoder.removeAll()
    }
}
