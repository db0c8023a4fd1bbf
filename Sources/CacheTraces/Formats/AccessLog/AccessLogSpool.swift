import SessionModel

/// The requests of a log on their way to windows: what a session's events would tell, in 16 bytes per request.
///
/// A log has its requests in the order of their ends, and only its end determines all sizes. So the log is read once
/// into the spool, and its requests are then delivered in order of their start. The windows hold the columns that
/// ``DenseTrace/init(_:usesSizes:holdsBitmaps:)`` makes of the whole session.
final class AccessLogSpool {
    private let requests: RequestSpool
    private let path: String
    /// By object without a complete response: the bytes of its earliest successful response.
    private var partial: [ObjectID: (time: Int64, bytes: Int)] = [:]
    /// The objects with a response that has no body.
    private var bodiless: Set<ObjectID> = []
    private var unreliable: Set<ObjectID> = []

    init(path: String, room: Int) {
        self.path = path
        requests = RequestSpool(path: path, room: room)
    }

    func append(_ object: ObjectID, at time: Int64, _ fetch: Fetch?) throws {
        try requests.append(
            .init(
                time: time, object: object,
                fetch: fetch.map { $0.succeeded ? .succeeded : .failed } ?? .none))
        guard let fetch else { return }
        if !fetch.succeeded { unreliable.insert(object) }
        if fetch.status == 204 || fetch.status == 205 { bodiless.insert(object) }
        if fetch.status != 200, fetch.succeeded, let bytes = fetch.bytes, bytes > 0,
            partial[object].map({ time < $0.time }) ?? true
        {
            partial[object] = (time, bytes)
        }
    }

    /// Delivers all requests.
    ///
    /// - Parameter thumbnails: The text that the URLs of thumbnails contain; nil without thumbnails.
    /// - Throws: `TraceError`.
    func deliver(
        _ trace: consuming Trace, thumbnails: String?, to windows: RequestWindows, _ notes: inout ReadingNotes
    ) throws {
        let isThumbnail = thumbnails.map { text in trace.objects.map { $0.key.contains(text) } }
        var objectCount = trace.objects.count
        let sizes = try sizes(trace, windows, &notes)
        (partial, bodiless) = ([:], [])
        // Policies see objects as numbers in order of first appearance.
        var numbers = [UInt32](repeating: .max, count: objectCount)
        objectCount = 0
        var outcomes: [ObjectID: [Bool]] = [:]
        try requests.forEach { request in
            if numbers[Int(request.object)] == .max {
                numbers[Int(request.object)] = UInt32(objectCount)
                objectCount += 1
            }
            if request.fetch != .none, unreliable.contains(request.object) {
                outcomes[request.object, default: []].append(request.fetch == .succeeded)
            }
            return true
        }
        func column<Element: BitwiseCopyable & Sendable>(_ values: [Element]) -> TraceColumn<Element> {
            var column = values
            for (object, number) in numbers.enumerated() { column[Int(number)] = values[object] }
            return TraceColumn(column)
        }
        let variants: TraceColumn<UInt8>? = isThumbnail.flatMap { marks in
            marks.contains(true)
                ? column(marks.map { ($0 ? Variant.thumbnail : Variant.full).rawValue }) : nil
        }
        var window = Window(
            sizes: sizes.map(column), variants: variants, objectCount: objectCount, times: RequestTimes(from: 0))
        var start: Int64?
        try requests.forEach { request in
            let first = start ?? request.time
            start = first
            window.append(
                numbers[Int(request.object)], at: request.time - first, request.object, outcomes[request.object])
            if window.count >= windows.room { windows.receive(window.take()) }
            return !windows.isEnded
        }
        if window.count > 0 { windows.receive(window.take()) }
        try windows.finish()
    }

    /// Returns the size of each object; nil if each counts 1.
    private func sizes(
        _ trace: consuming Trace, _ windows: RequestWindows, _ notes: inout ReadingNotes
    ) throws -> [Int]? {
        let holdsBitmaps = try windows.bitmaps.apply(to: trace, file: path, &notes)
        guard windows.usesSizes else { return nil }
        // As `Trace.resolvedSizes()` finds them in the events.
        var unknown = 0
        for object in trace.objects.indices where trace.objects[object].bytes == nil {
            let known = partial[ObjectID(object)]?.bytes ?? (bodiless.contains(ObjectID(object)) ? 0 : nil)
            if known == nil { unknown += 1 }
            trace.objects[object].bytes = known ?? windows.missingSize
        }
        if let bytes = windows.missingSize { notes.warnMissingSizes(unknown, of: trace.objects.count, bytes) }
        let resolved = trace.resolvedSizes()
        guard resolved.assumedCount < trace.objects.count else {
            throw TraceError(
                file: path, "the log has no sizes; count objects with --ignore-size")
        }
        return holdsBitmaps ? trace.bitmapSizes(resolved.bytes).bytes : resolved.bytes
    }

    /// The requests of a window under construction.
    private struct Window: ~Copyable {
        let sizes: TraceColumn<Int>?
        let variants: TraceColumn<UInt8>?
        let objectCount: Int
        private var objects = ColumnBuilder<UInt32>()
        private var times: RequestTimes
        private var exceptions: [DenseTrace.Exception] = []
        private var bytes = 0

        init(
            sizes: TraceColumn<Int>?, variants: TraceColumn<UInt8>?, objectCount: Int, times: consuming RequestTimes
        ) {
            self.sizes = sizes
            self.variants = variants
            self.objectCount = objectCount
            self.times = times
        }

        var count: Int { objects.count }

        mutating func append(_ object: UInt32, at time: Int64, _ key: ObjectID, _ outcomes: [Bool]?) {
            if let outcomes {
                exceptions.append(
                    .init(position: count, kind: .access(isRequest: true, key: key, outcomes: outcomes)))
            }
            bytes &+= sizes?[Int(object)] ?? 1
            objects.append(object)
            times.append(time)
        }

        /// Returns the window, and begins the next one.
        mutating func take() -> DenseTrace {
            var objects = ColumnBuilder<UInt32>()
            swap(&objects, &self.objects)
            var times = RequestTimes(behind: self.times)
            swap(&times, &self.times)
            let (ticks, epochs) = times.finish()
            var window = DenseTrace(
                objects: objects.finish(), ticks: ticks, epochs: epochs, objectCount: objectCount, uniqueBytes: 0,
                requestBytes: bytes)
            (window.sizes, window.variants, window.exceptions) = (sizes, variants, exceptions)
            (exceptions, bytes) = ([], 0)
            return window
        }
    }
}
