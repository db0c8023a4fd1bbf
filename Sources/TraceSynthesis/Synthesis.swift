import SessionModel

/// Makes up sessions by a ``SynthesisModel``. The same model gives the same bytes, on every machine.
public enum Synthesis {
    /// The session as a trace in memory. Throws ``SynthesisError``.
    public static func trace(_ model: SynthesisModel) throws -> Trace {
        var session = try SyntheticSession(model, sink: TraceSink())
        try session.run()
        return session.recorder.sink.trace
    }

    /// The session as JSON Lines, handed to `write` in pieces as it is made: any length, in the memory of the
    /// catalogue. Throws ``SynthesisError``, and whatever `write` throws.
    public static func writeJSONLines(_ model: SynthesisModel, to write: @escaping ([UInt8]) throws -> Void) throws {
        var session = try SyntheticSession(model, sink: JSONLinesSink(write: write))
        try session.run()
        try session.recorder.withSink { try $0.finish() }
    }
}
