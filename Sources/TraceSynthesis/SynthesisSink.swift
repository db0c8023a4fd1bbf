import SessionModel

/// A destination of a generated session, which it receives in order of time.
protocol SynthesisSink {
    mutating func begin(_ header: TraceHeader) throws
    /// Adds an object before the first event that names it. Ids count from 0.
    mutating func add(_ object: TraceObject, as id: ObjectID) throws
    mutating func add(_ event: TraceEvent) throws
}

/// A sink that keeps the session as a `Trace`.
struct TraceSink: SynthesisSink {
    var trace = Trace()

    mutating func begin(_ header: TraceHeader) { trace.header = header }
    mutating func add(_ object: TraceObject, as id: ObjectID) { trace.objects.append(object) }
    mutating func add(_ event: TraceEvent) { trace.events.append(event) }
}

/// A sink that writes the session in the native format, in pieces of about a megabyte.
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
