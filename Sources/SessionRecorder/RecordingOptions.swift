import Foundation

/// How a session is recorded. The defaults suit an app on a phone.
public struct RecordingOptions: Sendable {
    /// What is recorded, in a few words; becomes the title of charts.
    public var title: String?

    /// Events that may wait to be written; more are dropped and counted. At 120 frames a second 4,096 are half a
    /// minute.
    public var queueLimit = 4096

    /// Bytes of memory, about, that waiting events may take; more are dropped and counted.
    public var queueByteLimit = 1 << 20

    /// Seconds that events wait in order to be written together. A kill loses no more than those of the last interval.
    public var writeInterval: TimeInterval = 0.5

    /// Seconds between scroll events of one phase. Those that come sooner are left out, and not counted as dropped: a
    /// list reports its offset at each frame, and the cache under test does not care for each. 0 keeps all.
    public var scrollInterval: TimeInterval = 0.05

    /// A file that has grown to this many bytes is closed and a new one begun.
    public var maximumFileBytes = 8 << 20

    /// Files kept, those of earlier recordings of the same name included; the oldest are deleted for new ones.
    public var maximumFiles = 8

    /// How much of a key is written.
    public var privacy = KeyPrivacy()

    /// Called, on a background thread, when the file cannot be written; then not again until it could be.
    public var onProblem: (@Sendable (RecordingProblem) -> Void)?

    public init() {}
}
