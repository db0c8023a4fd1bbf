import Basics
import Foundation
import SessionModel
import SessionRecorder
import Synchronization

/// A trace that is written while it happens: what the gallery and the proxy record into.
///
/// Every call appends whole lines to the file before it returns, so that a kill at any moment leaves a valid trace.
/// Calls may come from any thread. The order of the file is kept: an event that comes late is written with the time of
/// the one before it, and counted; only fetches, which readers sort, keep a time that has passed.
///
/// Nothing throws once the file is there. Where it cannot be written, what follows is lost and counted, until it can be
/// again; ``status`` tells.
public final class TraceJournal: Sendable {
    public struct Status: Sendable, Equatable {
        /// Events in the file, object lines not counted.
        public var events = 0
        /// Events that could not be written.
        public var lost = 0
        /// Events whose time was raised to that of the event before.
        public var late = 0
        public var bytes = 0
        /// Why events cannot be written at present; nil where they can.
        public var problem: String?
    }

    public let path: String
    private let start: ContinuousClock.Instant
    private let state: Mutex<JournalState>

    /// Creates the file, which appears with its header in it. What exists already is left alone: a recording is not
    /// repeated.
    ///
    /// Throws ``FileError``.
    public init(path: String, header: TraceHeader) throws {
        guard TraceFile.isSpecial(path) || !FileManager.default.fileExists(atPath: path) else {
            throw FileError(.cannotCreate, path, "exists already, and a recording cannot be made again; choose another name")
        }
        var encoder = JSONLinesEncoder()
        encoder.append(header)
        let file: TraceFile
        do {
            file =
                TraceFile.isSpecial(path)
                ? try TraceFile.attach(to: path, header: encoder.bytes)
                : try TraceFile.create(path, header: encoder.bytes)
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

    /// The time in the trace of a moment on the monotonic clock; 0 for what was before the beginning.
    public func time(of moment: ContinuousClock.Instant) -> Int64 {
        let (seconds, attoseconds) = (moment - start).components
        return max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// The number of the object with this key. Facts that are not yet in the file are written; those that are, stay.
    @discardableResult
    public func object(_ facts: TraceObject) -> ObjectID {
        state.withLock { $0.object(facts) }
    }

    /// Appends events, in their order, by one write. They may name only numbers that ``object(_:)`` gave.
    public func append(_ events: some Sequence<TraceEvent>) {
        state.withLock { $0.append(events) }
    }

    public func append(_ event: TraceEvent) { append(CollectionOfOne(event)) }

    public var status: Status { state.withLock { $0.status } }

    /// Closes the file; later calls lose what they bring.
    public func finish() {
        state.withLock { $0.finish() }
    }
}
