/// The native format: JSON Lines, with every event of a session. <doc:NativeFormat> specifies it.
///
/// ``JSONLinesEncoder`` writes it; ``Trace/init(jsonLines:named:)`` reads it.
public enum JSONLinesFormat {
    /// The version that the header states.
    public static let version: Int64 = 1

    /// Every value of the field `e`.
    static let eventNames = TraceEvent.Action.names + ["object"]
}
