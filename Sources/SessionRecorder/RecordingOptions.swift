import Foundation

/// The options of a recording. The defaults suit an app on a phone.
public struct RecordingOptions: Sendable {
    /// The title of the recording, which also becomes the title of charts.
    public var title: String?

    /// The number of events that can wait to be written; more are dropped and counted. At 120 events per second, 4,096
    /// are half a minute.
    public var queueLimit = 4096

    /// The approximate number of bytes of memory for waiting events; more events are dropped and counted.
    public var queueByteLimit = 1 << 20

    /// The seconds that events wait to be written together. If the app is killed, at most the events of the last
    /// interval are lost.
    public var writeInterval: TimeInterval = 0.5

    /// The shortest time between scroll events of one phase, in seconds. Events in between are omitted, and not counted
    /// as dropped: a list reports its offset in each frame, and a cache does not need all of them. 0 keeps all.
    public var scrollInterval: TimeInterval = 0.05

    /// The size in bytes at which a file is closed and a new one is created.
    public var maximumFileBytes = 8 << 20

    /// The number of files kept, including earlier recordings of the same name. The oldest are deleted first.
    public var maximumFiles = 8

    /// The parts of a key that are written.
    public var privacy = KeyPrivacy()

    /// Called on a background thread when the file cannot be written, once until it can be written again.
    public var onProblem: (@Sendable (RecordingProblem) -> Void)?

    public init() {}
}

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

    /// The system's reason alone.
    package var reason: String {
        switch self {
        case .cannotCreate(_, let code), .cannotWrite(_, let code): Self.reason(code)
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
