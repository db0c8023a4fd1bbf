/// The requests that the page of the playground can make.
package enum PlayRequest: String, CaseIterable, Sendable {
    case figures, curve, moves, film, bound, people, export
}

/// Answers the page. Methods may be called in several threads at once.
package protocol PlayAnswering: Sendable {
    /// Returns what the page needs before its first question, as JSON, with the answer to the first question.
    ///
    /// - Parameter isOvertaken: As for ``answer(_:_:isOvertaken:)``; the first question then has no answer.
    func start(isOvertaken: @escaping @Sendable () -> Bool) -> String
    /// Waits until all sessions are found, and returns them as JSON.
    ///
    /// - Parameter isOvertaken: As for ``answer(_:_:isOvertaken:)``; the list then has the sessions that are known.
    func allSessions(isOvertaken: @escaping @Sendable () -> Bool) -> String
    /// Answers a question, which is JSON, with JSON.
    ///
    /// - Parameter isOvertaken: Called between replays, and after each thousand events of a replay; true ends the work.
    /// - Throws: ``PlayFailure``.
    func answer(_ request: PlayRequest, _ question: [UInt8], isOvertaken: @escaping @Sendable () -> Bool) throws
        -> String
    /// Returns the arguments of the command `cachereplay replay …` for a question, without the program's name and
    /// without --output. "Save as report" runs it.
    ///
    /// - Throws: ``PlayFailure``.
    func replayArguments(_ question: [UInt8]) throws -> [String]
}

/// Why a question has no answer.
package struct PlayFailure: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable { case badQuestion, overtaken, failed }

    package var kind: Kind
    /// The fault, and the remedy.
    package var description: String
    /// The place of the cache whose text is wrong, from 0; nil if no single cache is wrong.
    package var cache: Int?
    /// The column of the mistake in the base text of that cache, from 1; nil if it is not known.
    package var column: Int?

    package init(_ kind: Kind, _ description: String, cache: Int? = nil, column: Int? = nil) {
        self.kind = kind
        self.description = description
        self.cache = cache
        self.column = column
    }
}
