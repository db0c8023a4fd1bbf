import Foundation

/// Records the requests of a person's session to an image cache, as a trace that CacheReplay reads.
///
/// Create a recorder when the app starts, report events to it, and send the files to your computer:
///
/// ```swift
/// let recorder = TraceRecorder(file: documents.appendingPathComponent("feed.jsonl"))
/// recorder.cellAppeared(url.absoluteString, variant: .thumbnail)
/// ```
///
/// **No call waits for the disk.** Each call puts an event into a bounded queue and returns; a background queue writes.
/// If the disk is full or slower than the app, events are dropped and counted, in ``status`` and in the trace. No call
/// throws: a recording must not make an app fail. All calls are safe on any thread.
///
/// **Files.** The first file is `feed.jsonl`. If it exists already or is full, the next is `feed-2.jsonl`, and so on;
/// see ``RecordingOptions/maximumFileBytes`` and ``RecordingOptions/maximumFiles``. The first file is created with the
/// first event. Written events survive the end of the app at any moment. A path that is not a regular file, such as a
/// named pipe, is written to without a size limit. Use one recorder per name at a time.
///
/// Times are microseconds of a monotonic clock since the recorder was created.
public final class TraceRecorder: Sendable {
    private struct State {
        var queue: EventQueue
        var schedule = Schedule.none
        var isFinished = false
        var lastScroll: (time: Int64, phase: ScrollPhase, offset: Double, velocity: Double)?
    }

    /// When the writer takes events from the queue next.
    private enum Schedule { case none, later, now }

    private let state: Locked<State>
    private let writer: SessionWriter
    private let options: RecordingOptions
    private let start: Int64

    /// Starts a recording into a file, whose folder must exist. The initializer does no I/O.
    public init(file: URL, options: RecordingOptions = RecordingOptions()) {
        self.options = options
        start = UptimeClock.microseconds()
        state = Locked(State(queue: EventQueue(countLimit: options.queueLimit, byteLimit: options.queueByteLimit)))
        writer = SessionWriter(file: file, options: options, started: Date())
    }

    deinit { Self.finish(state, writer) }

    /// Writes the waiting events now, and waits for that at most `timeout` seconds, by default not at all.
    ///
    /// Returns whether they are written, or lost and counted in ``status``.
    @discardableResult
    public func flush(timeout: TimeInterval = 0) -> Bool {
        guard timeout > 0 else {
            // Through the schedule, so that calls do not accumulate while the disk stalls.
            return state.withLock { state in
                if !state.queue.isEmpty { schedule(&state, isUrgent: true) }
                return state.queue.isEmpty
            }
        }
        return wait(timeout) { [state, writer] in Self.drain(state, writer) }
    }

    /// Writes the waiting events and closes the file; later calls have no effect. Waits at most `timeout` seconds. Call
    /// it in `applicationWillTerminate`.
    @discardableResult
    public func finish(timeout: TimeInterval = 1) -> Bool {
        Self.finish(state, writer)
        return wait(timeout) {}
    }

    /// The state of the recording.
    public var status: RecordingStatus {
        let dropped = state.withLock { $0.queue.dropped }
        let written = writer.written.withLock { $0 }
        return RecordingStatus(
            eventsWritten: written.events, eventsDropped: dropped, eventsLost: written.lost,
            bytesWritten: written.bytes,
            files: written.files.map { URL(fileURLWithPath: $0) }, problem: written.problem)
    }

    /// Microseconds since the recording began.
    var now: Int64 { UptimeClock.microseconds() - start }

    /// The time of an event, in microseconds. Only fetches can be recorded later than they happened.
    enum Moment { case now, ago(Int64), at(Int64) }

    /// Queues events that happened at the same time.
    func record(_ actions: [RecordedEvent.Action]) {
        state.withLock { state in
            guard !state.isFinished else { return }
            let time = now
            for action in actions { state.queue.append(RecordedEvent(time: time, action: action)) }
            if !actions.isEmpty { schedule(&state, isUrgent: false) }
        }
    }

    /// Queues an event.
    func record(_ action: RecordedEvent.Action, _ moment: Moment = .now) {
        state.withLock { state in
            guard !state.isFinished else { return }
            // The clock is read while the lock is held, so that the events are in order of time.
            let time =
                switch moment {
                case .now: now
                case .ago(let age): max(0, now - age)
                case .at(let time): time
                }
            let event = RecordedEvent(time: time, action: action)
            state.queue.append(event)
            schedule(&state, isUrgent: event.isUrgent)
        }
    }

    /// Queues a scroll event unless it comes too soon. A missing velocity is computed from the last offset.
    func recordScroll(_ phase: ScrollPhase, _ offset: Double, _ velocity: Double?) {
        state.withLock { state in
            guard !state.isFinished else { return }
            let now = now
            let interval = Int64(microsecondsIn: options.scrollInterval) ?? 0
            if let last = state.lastScroll, last.phase == phase, now - last.time < interval { return }
            let speed = velocity ?? Self.velocity(since: state.lastScroll, to: offset, at: now, phase)
            state.lastScroll = (now, phase, offset, speed)
            state.queue.append(RecordedEvent(time: now, action: .scroll(phase, offset: offset, velocity: speed)))
            schedule(&state, isUrgent: false)
        }
    }

    private static func velocity(
        since last: (time: Int64, phase: ScrollPhase, offset: Double, velocity: Double)?, to offset: Double,
        at now: Int64,
        _ phase: ScrollPhase
    ) -> Double {
        // After rest the velocity is unknown, and a resting list that moves far was not dragged.
        guard phase != .atRest, let last, last.phase != .atRest, now - last.time < 1_000_000 else { return 0 }
        // Two reports at the same time, for a change of phase: the list moves as before.
        guard now > last.time else { return last.velocity }
        return ((offset - last.offset) * 1_000_000 / Double(now - last.time)).rounded()
    }

    private func schedule(_ state: inout State, isUrgent: Bool) {
        if isUrgent || state.queue.isFilling {
            guard state.schedule != .now else { return }
            state.schedule = .now
            writer.serial.async { [state = self.state, writer] in Self.drain(state, writer) }
        } else if state.schedule == .none {
            state.schedule = .later
            let interval = options.writeInterval.isFinite ? max(0, options.writeInterval) : 0
            writer.serial.asyncAfter(deadline: .now() + interval) { [state = self.state, writer] in
                Self.drain(state, writer)
            }
        }
    }

    /// Runs on the writer's queue.
    private static func drain(_ state: Locked<State>, _ writer: SessionWriter) {
        let batch = state.withLock { state in
            state.schedule = .none
            return state.queue.take()
        }
        guard !batch.events.isEmpty else { return }
        writer.write(batch.events)
        state.withLock { $0.queue.release(batch) }
    }

    private static func finish(_ state: Locked<State>, _ writer: SessionWriter) {
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        writer.serial.async {
            drain(state, writer)
            writer.finish(dropped: state.withLock { $0.queue.takeDroppedLately() })
        }
    }

    private func wait(_ timeout: TimeInterval, for work: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        writer.serial.async {
            work()
            done.signal()
        }
        let limit = timeout.isFinite ? min(max(0, timeout), 3600) : 0
        return done.wait(timeout: .now() + limit) == .success
    }
}

/// A value behind a lock.
///
/// `Synchronization.Mutex` needs iOS 18, and apps that embed this library can support older systems.
final class Locked<Value>: @unchecked Sendable {  // `value` is only touched with the lock held.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
