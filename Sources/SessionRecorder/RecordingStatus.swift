import Foundation

/// The state of a recording.
public struct RecordingStatus: Sendable {
    /// The number of events in the files.
    public var eventsWritten: Int
    /// The number of events dropped because the queue was full: the disk is slower than the app.
    public var eventsDropped: Int
    /// The number of events that could not be written.
    public var eventsLost: Int
    /// The number of bytes in the files.
    public var bytesWritten: Int
    /// The recording's files in order. Old ones may have been deleted since.
    public var files: [URL]
    /// The reason why events cannot be written at present; nil if they can.
    public var problem: RecordingProblem?
}

/// The reason why events were not written. The recording continues: each batch of events is a new attempt.
public enum RecordingProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// `code` is the system's error number.
    case cannotCreate(file: String, code: Int32)
    case cannotWrite(file: String, code: Int32)

    public var description: String {
        switch self {
        case .cannotCreate(let file, let code):
            """
            cannot create the trace \(file): \(Self.reason(code)). Name a file in a folder that the app may write to, \
            such as its Documents.
            """
        case .cannotWrite(let file, let code):
            """
            cannot write the trace \(file): \(Self.reason(code)). Events are lost, and counted, until it can be \
            written again.
            """
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
