import SessionModel

/// Generates the sessions of modelled people. Equal models give equal bytes on every machine.
public enum Population {
    /// Returns the session of the person with a number from 0, with all visits.
    ///
    /// - Throws: ``SynthesisError``.
    public static func trace(_ model: PeopleModel, person: Int) throws -> Trace {
        try model.check()
        var session = try PersonSession(model, person: person, sink: TraceSink())
        try session.run()
        return session.screen.recorder.sink.trace
    }

    /// Writes the session of a person in the native format, in pieces as it is generated.
    ///
    /// - Throws: ``SynthesisError``, and errors of `write`.
    public static func writeJSONLines(
        _ model: PeopleModel, person: Int, to write: @escaping ([UInt8]) throws -> Void
    ) throws {
        try model.check()
        var session = try PersonSession(model, person: person, sink: JSONLinesSink(write: write))
        try session.run()
        try session.screen.recorder.withSink { try $0.finish() }
    }

    /// The pseudonym of the person with a number from 0, which is also the name of the person's file.
    public static func name(of person: Int, in model: PeopleModel) -> String { Person(model, number: person).name }
}
