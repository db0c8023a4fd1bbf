import SessionModel

/// Generates sessions from a ``SynthesisModel``. The same model gives the same bytes on every machine.
public enum Synthesis {
    /// Returns the session as a trace in memory.
    ///
    /// - Throws: ``SynthesisError``.
    public static func trace(_ model: SynthesisModel) throws -> Trace {
        var session = try SyntheticSession(model, sink: TraceSink())
        try session.run()
        return session.screen.recorder.sink.trace
    }

    /// Writes the session in the native format, in pieces as it is generated. Memory does not depend on its length.
    ///
    /// - Throws: ``SynthesisError``, and errors of `write`.
    public static func writeJSONLines(_ model: SynthesisModel, to write: @escaping ([UInt8]) throws -> Void) throws {
        var session = try SyntheticSession(model, sink: JSONLinesSink(write: write))
        try session.run()
        try session.screen.recorder.withSink { try $0.finish() }
    }
}

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
