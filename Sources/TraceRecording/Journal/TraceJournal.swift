import Basics
import Foundation
import SessionModel
import SessionRecorder
import Synchronization

/// A trace that is written during a recording of the gallery.
///
/// Every call appends complete lines to the file before it returns, so that the trace is valid if the process is killed
/// at any moment. Calls are safe on any thread. Times in the file rise: an event that arrives late is written with the
/// time of the event before it, and counted. Only fetches, which readers sort, keep an earlier time.
///
/// After the file is created, no call throws. While the file cannot be written, the events of ``append(_:)`` are lost
/// and counted in ``status``; ``appendWhole(_:)`` leaves them to its caller.
public final class TraceJournal: Sendable {
    public struct Status: Sendable, Equatable {
        /// The number of events in the file, without object lines.
        public var events = 0
        /// The number of events that could not be written.
        public var lost = 0
        /// The number of events whose time was raised to the time of the event before.
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

    /// Appends all events or none, in order. The caller keeps those that the file does not have, or counts them with
    /// ``lose(_:)``.
    ///
    /// - Returns: Whether the file has them.
    public func appendWhole(_ events: some Sequence<TraceEvent>) -> Bool {
        state.withLock { $0.appendWhole(events) }
    }

    /// Counts events that no browser keeps any more.
    public func lose(_ count: Int) { state.withLock { $0.lose(count) } }

    public func append(_ event: TraceEvent) { append(CollectionOfOne(event)) }

    public var status: Status { state.withLock { $0.status } }

    /// Closes the file. Events of later calls are lost.
    public func finish() {
        state.withLock { $0.finish() }
    }
}

/// The state of a ``TraceJournal``: the file, and the objects in it.
struct JournalState: ~Copyable {
    private(set) var status = TraceJournal.Status()
    private var file: RecordingFile
    private var isFinished = false
    private var encoder = JSONLinesEncoder()
    private var objects: [TraceObject] = []
    private var ids: [String: ObjectID] = [:]
    /// Objects whose line is not written yet; it is written before the next event.
    private var unwritten: Set<ObjectID> = []
    private var lastTime: Int64 = 0

    init(file: RecordingFile) {
        self.file = file
        status.bytes = file.size
    }

    mutating func object(_ facts: TraceObject) -> ObjectID {
        let id: ObjectID
        if let known = ids[facts.key] {
            id = known
            guard objects[Int(id)].learn(facts) else { return id }
        } else {
            id = ObjectID(objects.count)
            ids[facts.key] = id
            objects.append(facts)
        }
        unwritten.insert(id)
        write(events: 0)
        return id
    }

    mutating func append(_ events: some Sequence<TraceEvent>) {
        let count = encode(events)
        if count > 0 { write(events: count) }
    }

    mutating func appendWhole(_ events: some Sequence<TraceEvent>) -> Bool {
        let (late, last) = (status.late, lastTime)
        let count = encode(events)
        defer { encoder.removeAll() }
        let problem = isFinished || count == 0 ? nil : file.appendWhole(encoder.bytes)
        status.bytes = file.size
        status.problem = problem?.reason
        guard problem == nil, !isFinished else {
            (status.late, lastTime) = (late, last)
            return count == 0
        }
        status.events += count
        if count > 0 { unwritten.removeAll() }
        return true
    }

    mutating func lose(_ count: Int) { status.lost += count }

    private mutating func encode(_ events: some Sequence<TraceEvent>) -> Int {
        var count = 0
        encodeObjects()
        for var event in events {
            if case .fetch = event.action {
            } else {
                if event.time < lastTime {
                    event.time = lastTime
                    status.late += 1
                }
                lastTime = event.time
            }
            encoder.append(event)
            count += 1
        }
        if count == 0 { encoder.removeAll() }
        return count
    }

    mutating func finish() {
        guard !isFinished else { return }
        isFinished = true
        file.finish()
    }

    private mutating func encodeObjects() {
        for id in unwritten.sorted() { encoder.append(objects[Int(id)], as: id) }
    }

    /// Writes the encoded lines, or the waiting objects if there are no events.
    private mutating func write(events: Int) {
        if events == 0 { encodeObjects() }
        defer { encoder.removeAll() }
        guard !isFinished else {
            status.lost += events
            return
        }
        let (accepted, problem) = file.append(encoder.bytes)
        status.bytes = file.size
        status.problem = problem?.reason
        guard accepted < encoder.bytes.count else {
            status.events += events
            unwritten.removeAll()
            return
        }
        // The last lines are missing. The lines of all objects are written again, because duplicates are allowed.
        let missing = encoder.bytes[accepted...].count { $0 == UInt8(ascii: "\n") }
        status.lost += min(events, missing)
        status.events += events - min(events, missing)
    }
}

extension TraceObject {
    /// Adds the facts that are not known yet. Returns whether there were any.
    fileprivate mutating func learn(_ facts: TraceObject) -> Bool {
        let before = self
        bytes = bytes ?? facts.bytes
        contentType = contentType ?? facts.contentType
        pixelWidth = pixelWidth ?? facts.pixelWidth
        pixelHeight = pixelHeight ?? facts.pixelHeight
        if headers.isEmpty { headers = facts.headers }
        return self != before
    }
}
