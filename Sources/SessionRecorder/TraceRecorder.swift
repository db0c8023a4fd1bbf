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

/// The sizes of views. Some caches keep a bitmap of each size of an image.
extension TraceRecorder {
    /// The size of the view that shows an image, in pixels of the screen.
    public struct ViewSize: Sendable, Hashable {
        /// From 1 to 65,535.
        public let width: UInt16
        /// From 1 to 65,535.
        public let height: UInt16

        /// Creates a size in pixels. Returns nil for a side outside 1 to 65,535.
        public init?(width: Int, height: Int) {
            guard let width = UInt16(exactly: width), let height = UInt16(exactly: height), width > 0, height > 0 else {
                return nil
            }
            (self.width, self.height) = (width, height)
        }

        /// Creates the size of a view with sides in points. Sides are rounded to the nearest pixel.
        ///
        /// Returns nil for a side outside 1 to 65,535 pixels, such as the side of a view before its layout.
        ///
        /// - Parameters:
        ///   - size: The size in points, such as `imageView.bounds.size`.
        ///   - scale: Pixels per point, such as `traitCollection.displayScale`.
        public init?(points size: CGSize, scale: CGFloat) {
            guard let width = Int(exactly: (size.width * scale).rounded()),
                let height = Int(exactly: (size.height * scale).rounded())
            else { return nil }
            self.init(width: width, height: height)
        }
    }

    /// Records that a cell with the image became visible, and the size of the view that shows it.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - variant: The rendition that the cell shows.
    ///   - viewSize: The size that the app asks its image library for; nil if it is unknown.
    public func cellAppeared(_ key: String, variant: Variant = .full, viewSize: ViewSize?) {
        record(.cell(.appear, key: key, variant, viewSize))
    }

    /// Records that the app requested the image before a cell shows it, in the size of the view that will show it.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - variant: The rendition that the cell will show.
    ///   - viewSize: The size that the app asks its image library for; nil if it asks for the image in its own size.
    public func prefetched(_ key: String, variant: Variant = .full, viewSize: ViewSize?) {
        record(.cell(.prefetch, key: key, variant, viewSize))
    }
}

/// The order of lists, and where shown images came from.
extension TraceRecorder {
    /// Where the app had an image from that it shows.
    public enum Source: String, Sendable, CaseIterable {
        /// A cache in memory.
        case memory
        /// A file, a database, or `URLCache`.
        case disk
        case network
    }

    /// Records what a list shows, in order of its positions. A replay needs it to prefetch what the user never saw.
    ///
    /// Call it when the list gets its content, when items are added or change their places, and when the number of
    /// columns changes. Positions that the call does not name keep their items. All events of a call have one time.
    /// Lists of thumbnails and of full images are recorded apart.
    ///
    /// The keys wait in memory to be written: with the default ``RecordingOptions/queueByteLimit``, a call records
    /// about 8,000 keys of 100 bytes. What does not fit is dropped and counted.
    ///
    /// - Parameters:
    ///   - keys: The keys of the images.
    ///   - variant: What the cells of the list show.
    ///   - columns: The number of items in a row; numbers below 1 count as 1.
    ///   - first: The position of the first key, from 0. A negative number counts as 0.
    public func list(_ keys: [String], variant: Variant = .full, columns: Int = 1, from first: Int = 0) {
        let (columns, first) = (max(1, columns), max(0, first))
        // Positions behind the last one that a trace can contain are omitted.
        let room = first > TraceBounds.lastPosition ? 0 : TraceBounds.lastPosition - first + 1
        let keys = keys.prefix(room)
        record(
            stride(from: 0, to: keys.count, by: ListPart.length).map { start in
                let part = Array(keys[start..<min(start + ListPart.length, keys.count)])
                return .list(ListPart(keys: part, variant: variant, columns: columns, first: first + start))
            })
    }

    /// Records that a cell shows the image, and where the app had it from. `cachereplay validate --cache` compares this
    /// with the prediction for a cache.
    ///
    /// Call it once for each cell that gets its image, at the latest before the cell disappears. Do not call it for a
    /// placeholder, or for a cell that disappeared without its image.
    public func served(_ key: String, variant: Variant = .full, from source: Source) {
        record(.served(key: key, variant, source))
    }

    /// Records the cost that the app's memory cache charges for the image, as most image libraries compute it.
    /// `cachereplay validate --cache` compares it with the cost that a modelled cache charges.
    ///
    /// Call it when the image enters memory. A cost outside of 0 to 2^40 is not recorded.
    public func charged(_ key: String, variant: Variant = .full, bytes: Int) {
        guard let bytes = Optional(bytes).within(TraceBounds.bytes) else { return }
        record(.cost(key: key, variant, bytes: bytes))
    }
}

/// Consecutive positions of a list.
struct ListPart: Sendable {
    /// The most keys of a part. The queue takes or drops a part as a whole.
    static let length = 256

    var keys: [String]
    var variant: TraceRecorder.Variant
    var columns: Int
    var first: Int
}

/// The events of cells, lists, fetches and the app.
///
/// A key is the key of the app's cache, mostly the URL. ``RecordingOptions/privacy`` determines the parts of it that
/// are written.
extension TraceRecorder {
    /// The rendition of an image that a cell shows.
    public enum Variant: String, Sendable, CaseIterable {
        case thumbnail, full
    }

    /// The movement of a list.
    public enum ScrollPhase: String, Sendable, CaseIterable {
        /// A finger moves the list.
        case dragged
        /// The finger is lifted; the list still moves.
        case decelerating
        /// The list does not move.
        case atRest = "at_rest"
    }

    /// Records that a cell with the image became visible: a request, whether or not a cache holds the image.
    public func cellAppeared(_ key: String, variant: Variant = .full) {
        cellAppeared(key, variant: variant, viewSize: nil)
    }

    /// Records that the cell disappeared, or shows another image.
    public func cellDisappeared(_ key: String, variant: Variant = .full) {
        record(.cell(.disappear, key: key, variant, nil))
    }

    /// Records that the app requested the image before a cell shows it.
    public func prefetched(_ key: String, variant: Variant = .full) {
        prefetched(key, variant: variant, viewSize: nil)
    }

    /// Records that the app removed the image from its cache, in both variants, from memory and from disk.
    public func removed(_ key: String) { record(.removal(key: key)) }

    /// Records that the list moved, or that its phase changed.
    ///
    /// - Parameters: - offset: In points, along the scrolling axis. - velocity: In points per second; nil to compute it
    ///   from the offset of the previous call. UIKit reports it only at
    ///     the end of a drag, in points per millisecond.
    public func scrolled(phase: ScrollPhase, offset: Double, velocity: Double? = nil) {
        recordScroll(phase, offset, velocity)
    }

    /// The response to a fetch.
    public struct Response: Sendable {
        /// The HTTP status; 0 if no response came, or only a part of it.
        public var status: Int
        /// The number of bytes of the body as transferred.
        public var bytes: Int?
        /// For example `image/jpeg`.
        public var contentType: String?
        /// Only headers that concern caching are written.
        public var headers: [String: String]
        /// Whether the body could not be decoded as an image, whatever the status is.
        public var isUndecodable: Bool

        public init(
            status: Int = 200, bytes: Int? = nil, contentType: String? = nil, headers: [String: String] = [:],
            isUndecodable: Bool = false
        ) {
            (self.status, self.bytes, self.contentType) = (status, bytes, contentType)
            (self.headers, self.isUndecodable) = (headers, isUndecodable)
        }
    }

    /// Records a fetch from the network. Call it when the fetch has ended; the time of the request is computed from the
    /// durations.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - response: What came.
    ///   - timeToFirstByte: Seconds from the request to the first byte of the response.
    ///   - transferTime: Seconds from the first byte to the last.
    public func fetched(
        _ key: String, _ response: Response = Response(), timeToFirstByte: TimeInterval? = nil,
        transferTime: TimeInterval? = nil
    ) {
        let fetch = FetchFacts(
            status: Optional(response.status).within(TraceBounds.status) ?? 0,
            timeToFirstByte: timeToFirstByte.flatMap(Int64.init(microsecondsIn:)),
            transferTime: transferTime.flatMap(Int64.init(microsecondsIn:)), isUndecodable: response.isUndecodable)
        var object = RecordedObject(bytes: response.bytes.within(TraceBounds.bytes), contentType: response.contentType)
        object.take(response.headers)
        record(.fetch(key: key, fetch, object), .ago(fetch.duration))
    }

    /// Records facts about an image without a fetch, such as the size of its file in the app's disk cache, or its size
    /// in pixels after decoding. These facts take precedence over the facts of a fetch.
    public func described(
        _ key: String, bytes: Int? = nil, contentType: String? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil
    ) {
        let object = RecordedObject(
            bytes: bytes.within(TraceBounds.bytes), contentType: contentType,
            pixelWidth: pixelWidth.within(TraceBounds.pixels),
            pixelHeight: pixelHeight.within(TraceBounds.pixels))
        record(.object(key: key, object))
    }

    /// Records a memory warning of the system. Written at once.
    public func memoryWarning() { record(.system(.memoryWarning)) }

    /// Records that the app entered the background. Written at once, because the system can end a suspended app without
    /// notice.
    public func background() { record(.system(.background)) }

    /// Records that the app entered the foreground.
    public func foreground() { record(.system(.foreground)) }

    /// Records that the app is about to end. Call ``finish(timeout:)`` next.
    public func terminate() { record(.system(.terminate)) }
}

extension RecordedObject {
    /// Keeps the headers that concern caching, in a fixed order. Ignores the case of their names.
    mutating func take(_ all: [String: String]) {
        guard !all.isEmpty else { return }
        let lowered = Dictionary(all.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        headers = Self.headerNames.compactMap { name in lowered[name].map { Header(name: name, value: $0) } }
    }
}
