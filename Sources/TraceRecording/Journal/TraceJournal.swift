import Basics
import Foundation
import SessionModel
import SessionRecorder
import Synchronization

/// A trace that is written during a recording of the gallery or the proxy.
///
/// Every call appends complete lines to the file before it returns, so that the trace is valid if the process is killed
/// at any moment. Calls are safe on any thread. Times in the file rise: an event that arrives late is written with the
/// time of the event before it, and counted. Only fetches, which readers sort, keep an earlier time.
///
/// After the file is created, no call throws. While the file cannot be written, events are lost and counted in
/// ``status``.
public final class TraceJournal: Sendable {
    public struct Status: Sendable, Equatable {
        /// The number of events in the file, without object lines.
        public var events = 0
        /// The number of events that could not be written.
        public var lost = 0
        /// The number of events whose time was raised to that of the event before.
        public var late = 0
        public var bytes = 0
        /// The reason why events cannot be written at present; nil if they can.
        public var problem: String?
    }

    public let path: String
    private let start: ContinuousClock.Instant
    private let state: Mutex<JournalState>

    /// Creates the file, which gets its name after its header is written. Never replaces an existing file, because a
    /// recording cannot be repeated.
    ///
    /// - Throws: ``FileError`` if the file exists or cannot be created.
    public init(path: String, header: TraceHeader) throws {
        guard RecordingFile.isSpecial(path) || !FileManager.default.fileExists(atPath: path) else {
            throw FileError(
                .cannotCreate, path, "exists already, and a recording cannot be made again; choose another name")
        }
        var encoder = JSONLinesEncoder()
        encoder.append(header)
        let file: RecordingFile
        do {
            file =
                RecordingFile.isSpecial(path)
                ? try RecordingFile.attach(to: path, header: encoder.bytes)
                : try RecordingFile.create(path, header: encoder.bytes)
        } catch {
            throw FileError(.cannotCreate, path, error.description)
        }
        self.path = path
        start = .now
        state = Mutex(JournalState(file: file))
    }

    deinit { finish() }

    /// Microseconds since the recording began.
    public var now: Int64 { time(of: .now) }

    /// Returns the time in the trace of a moment on the monotonic clock; 0 before the beginning.
    public func time(of moment: ContinuousClock.Instant) -> Int64 {
        max(0, (moment - start).microseconds)
    }

    /// Returns the number of the object with this key. Writes the facts that are not in the file yet.
    @discardableResult
    public func object(_ facts: TraceObject) -> ObjectID {
        state.withLock { $0.object(facts) }
    }

    /// Appends events in order, with one write. They can name only numbers that ``object(_:)`` returned.
    public func append(_ events: some Sequence<TraceEvent>) {
        state.withLock { $0.append(events) }
    }

    public func append(_ event: TraceEvent) { append(CollectionOfOne(event)) }

    public var status: Status { state.withLock { $0.status } }

    /// Closes the file. Events of later calls are lost.
    public func finish() {
        state.withLock { $0.finish() }
    }
}
