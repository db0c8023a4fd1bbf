import Foundation

/// Records what a person's session asks of an image cache, as a trace that CacheReplay reads.
///
/// Make one when the app starts, tell it what happens, and send the files to your computer:
///
///     let recorder = TraceRecorder(file: documents.appendingPathComponent("feed.jsonl"))
///     recorder.cellAppeared(url.absoluteString, variant: .thumbnail)
///
/// **It never waits.** Each call puts an event into a bounded queue and returns; a background queue writes. Where the
/// disk is slower than the app, or full, events are dropped and counted, in ``status`` and in the trace. Nothing
/// throws: a recording must not be the reason that an app fails. All calls may be made on any thread.
///
/// **Files.** `feed.jsonl`, and when that is full, or there already, `feed-2.jsonl` and so on; see
/// ``RecordingOptions/maximumFileBytes`` and ``RecordingOptions/maximumFiles``. The first appears with the first event.
/// What has been written survives a kill of the app at any moment. Where the path names something else than a regular
/// file, such as a named pipe, that is written to as it is, without end. One recorder per name at a time.
///
/// Times are microseconds of a monotonic clock since the recorder was made.
public final class TraceRecorder: Sendable {
    private struct State {
        var queue: EventQueue
        var schedule = Schedule.none
        var isFinished = false
        var lastScroll: (time: Int64, phase: ScrollPhase, offset: Double, velocity: Double)?
    }

    /// When the writer will look at the queue.
    private enum Schedule { case none, later, now }

    private let state: Locked<State>
    private let writer: SessionWriter
    private let options: RecordingOptions
    private let start: Int64

    /// Begins a recording into `file`, whose folder must exist. Does no I/O itself.
    public init(file: URL, options: RecordingOptions = RecordingOptions()) {
        self.options = options
        start = UptimeClock.microseconds()
        state = Locked(State(queue: EventQueue(countLimit: options.queueLimit, byteLimit: options.queueByteLimit)))
        writer = SessionWriter(file: file, options: options, started: Date())
    }

    deinit { Self.finish(state, writer) }

    /// Has what waits written now. Waits for it at most `timeout` seconds, by default not at all.
    ///
    /// Returns whether it is written, or lost as ``status`` tells, at the return.
    @discardableResult
    public func flush(timeout: TimeInterval = 0) -> Bool {
        guard timeout > 0 else {
            // Through the schedule, so that calls do not pile up behind a disk that stalls.
            return state.withLock { state in
                if !state.queue.isEmpty { schedule(&state, isUrgent: true) }
                return state.queue.isEmpty
            }
        }
        return wait(timeout) { [state, writer] in Self.drain(state, writer) }
    }

    /// Writes what waits and closes the file; later calls do nothing. Waits at most `timeout` seconds, as the app may
    /// be about to end: call it in `applicationWillTerminate`.
    @discardableResult
    public func finish(timeout: TimeInterval = 1) -> Bool {
        Self.finish(state, writer)
        return wait(timeout) {}
    }

    /// How the recording is doing.
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

    /// When an event happened, in microseconds; only a fetch may be written late.
    enum Moment { case now, ago(Int64), at(Int64) }

    /// Queues an event.
    func record(_ action: RecordedEvent.Action, _ moment: Moment = .now) {
        state.withLock { state in
            guard !state.isFinished else { return }
            // The clock is read with the lock held, so that the events stand in order of time.
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

    /// Queues a scroll event unless it comes too soon; a missing velocity is worked out from the last offset.
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
        // From rest no speed is known yet, and what moves a resting list far is no finger.
        guard phase != .atRest, let last, last.phase != .atRest, now - last.time < 1_000_000 else { return 0 }
        // Two reports at one instant, of a change of phase: the list moves on as it did.
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

/// How a recording is doing.
public struct RecordingStatus: Sendable {
    /// Events in the files.
    public var eventsWritten: Int
    /// Events that found the queue full: the disk was slower than the app.
    public var eventsDropped: Int
    /// Events that could not be written.
    public var eventsLost: Int
    /// Bytes in the files.
    public var bytesWritten: Int
    /// The recording's files in their order; old ones may have been deleted since.
    public var files: [URL]
    /// Why events cannot be written at present; nil where they can.
    public var problem: RecordingProblem?
}
