/// What a ``LoopbackOrigin`` does wrong, so that a client can be tested against it.
public enum OriginFault: Sendable, Equatable {
    /// Answers with this status and a short text.
    case status(Int)
    /// Breaks the connection instead of answering (TCP reset).
    case reset
    /// Announces the whole body, sends half of it, and breaks the connection.
    case resetHalfway
    /// Announces the whole body, sends half of it, and closes the connection in good order.
    case truncate
    /// Announces the whole body, sends half of it, and then nothing any more.
    case stall
    /// Sends the body without announcing its length (chunked).
    case unannounced
    /// Answers with a redirection to this location.
    case redirect(String)
}
