import SessionModel

/// A trace reduced to the input of cache policies: requests as columns of numbers.
///
/// An object here is a key in one variant, numbered 0, 1, 2 … in order of first appearance. A trace is converted once
/// and shared by every policy and capacity that is simulated. It takes 8 bytes per access and 8 or 9 per object, in
/// memory or in a mapped file; with ``requestSizes``, 16 bytes per access; without ``ticks``, 4 bytes less.
public struct DenseTrace: Sendable {
    /// The object of each access.
    public let objects: TraceColumn<UInt32>
    /// Microseconds from the start of the epoch, of each access; never falling within an epoch. Empty if the trace was
    /// opened without times; see ``Columns``.
    public let ticks: TraceColumn<UInt32>
    /// The epochs in order; the first begins with the first access.
    public let epochs: [Epoch]
    /// The bytes of each object; nil if every object has size 1.
    public internal(set) var sizes: TraceColumn<Int>?
    /// The bytes of each access, if a file of requests gives an object different sizes, and ``VaryingSizes`` keeps
    /// them; otherwise nil.
    public internal(set) var requestSizes: TraceColumn<Int>?
    /// The variant of each object, 0 thumbnail or 1 full; nil if all are full.
    public internal(set) var variants: TraceColumn<UInt8>?
    /// The position of the next access of the same object, of each access; ``noAccess`` if there is none. Only compiled
    /// traces contain it.
    public internal(set) var nextAccesses: TraceColumn<UInt32>?
    /// The events that a plain loop of lookup and admission does not cover, in order of position.
    public internal(set) var exceptions: [Exception] = []
    public let objectCount: Int
    /// The sum of the sizes of all objects.
    public let uniqueBytes: Int
    /// The sum of the sizes of all requests, without prefetches.
    public let requestBytes: Int
    /// Whether sizes were asked for, and the trace has none, so that each object has the assumed size 1.
    public internal(set) var lacksSizes = false

    /// Marks the absence of a further access in ``nextAccesses``.
    public static let noAccess = UInt32.max

    /// A part of the trace whose times fit in 32 bits: up to 71 minutes.
    public struct Epoch: Sendable, Equatable {
        /// The position of its first access.
        public var start: Int
        /// Microseconds since the start of the trace.
        public var time: Int64
    }

    /// An event that is not a plain request.
    public struct Exception: Sendable, Equatable {
        /// The position of an `access`, or of the access before which a loss of memory or a removal happens.
        public var position: Int
        public var kind: Kind

        /// The kind of exception.
        public enum Kind: Sendable, Equatable {
            /// A memory warning: everything in memory is lost, and the app keeps running.
            case memoryWarning
            /// The app ended and starts again at `time`, in microseconds: everything in memory is lost, and timers
            /// restart.
            case relaunch(time: Int64)
            /// The app removed an object of this number, or the lifetime of its value has ended.
            case removal(object: UInt32)
            /// A prefetch, which is an access but not a request, or an access to an object with failed fetches. The nth
            /// fetch of `key` is admitted if the nth outcome is true. Without outcomes every fetch succeeds.
            case access(isRequest: Bool, key: ObjectID, outcomes: [Bool])
            /// A request whose size differs from the size of the object's request before: a held object is stored anew.
            case resized

            /// Whether the exception is an access of the trace, in place of an event between two.
            public var isAccess: Bool {
                switch self {
                case .access, .resized: true
                case .memoryWarning, .relaunch, .removal: false
                }
            }

            public var isRequest: Bool {
                if case .access(let isRequest, _, _) = self { isRequest } else { self == .resized }
            }
        }
    }

    /// Creates a trace of plain requests of objects of size 1. The other properties are set afterwards.
    init(
        objects: TraceColumn<UInt32>, ticks: TraceColumn<UInt32>, epochs: [Epoch], objectCount: Int,
        uniqueBytes: Int, requestBytes: Int
    ) {
        self.objects = objects
        self.ticks = ticks
        self.epochs = epochs
        self.objectCount = objectCount
        self.uniqueBytes = uniqueBytes
        self.requestBytes = requestBytes
    }

    public var hasTimes: Bool { ticks.count == objects.count }

    /// Returns the bytes of an object.
    public func size(of object: UInt32) -> Int { sizes?[Int(object)] ?? 1 }

    /// Returns the bytes of an access.
    public func size(ofAccess access: Int) -> Int { requestSizes?[access] ?? size(of: objects[access]) }

    public func variant(of object: UInt32) -> Variant {
        variants?[Int(object)] == Variant.thumbnail.rawValue ? .thumbnail : .full
    }

    /// Returns the time of an access in microseconds since the start of the trace.
    ///
    /// - Complexity: O(log n) in the number of epochs. To visit all accesses, use ``forEachEpoch(_:)``.
    public func time(of access: Int) -> Int64 {
        var (low, high) = (0, epochs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if epochs[middle].start <= access { low = middle } else { high = middle }
        }
        return epochs[low].time + Int64(ticks[access])
    }

    /// Calls `body` with each epoch and the positions of its accesses.
    public func forEachEpoch(_ body: (Epoch, Range<Int>) throws -> Void) rethrows {
        for (index, epoch) in epochs.enumerated() {
            let end = index + 1 < epochs.count ? epochs[index + 1].start : objects.count
            try body(epoch, epoch.start..<end)
        }
    }
}

extension DenseTrace {
    /// Returns this trace with ``nextAccesses``, which are computed unless the trace was compiled.
    public func withNextAccesses() -> DenseTrace {
        guard nextAccesses == nil else { return self }
        var trace = self
        trace.nextAccesses = computedNextAccesses()
        return trace
    }

    /// Computes ``nextAccesses`` in one pass from the end. At most 2^32 - 1 accesses can be numbered.
    public func computedNextAccesses() -> TraceColumn<UInt32> {
        var following = [UInt32](repeating: Self.noAccess, count: objectCount)
        var next = ColumnBuilder<UInt32>()
        next.reserve(objects.count)
        next.append(objects.count) { next in
            objects.withUnsafeBufferPointer { objects in
                // Invariant: objects are below `objectCount`.
                following.withUnsafeMutableBufferPointer { following in
                    for access in stride(from: objects.count - 1, through: 0, by: -1) {
                        let object = Int(objects[access])
                        next[access] = following[object]
                        following[object] = UInt32(truncatingIfNeeded: access)
                    }
                }
            }
        }
        return next.finish()
    }
}

extension DenseTrace {
    /// Returns the trace of some requests that follow each other, as if a cache saw no others.
    ///
    /// Objects get new numbers, so that shares of the trace are shares of the part. Accesses keep their times.
    /// Prefetches and events between the requests stay, and those before the first one are left out.
    ///
    /// - Parameter requests: The numbers of the requests, from 0. Those that the trace does not have are ignored.
    /// - Complexity: O(n) in the number of accesses.
    public func part(requests: Range<Int>) -> DenseTrace {
        let prefetches = prefetchPositions
        let start = min(Self.position(ofRequest: requests.lowerBound, prefetches), objects.count)
        let end = max(start, min(Self.position(ofRequest: requests.upperBound, prefetches), objects.count))
        var trimmed = self
        trimmed.exceptions = exceptions.filter { $0.position >= start && $0.position < end }
        let positions = (start..<end).map { UInt32(truncatingIfNeeded: $0) }
        let most = min(positions.count, objectCount)
        return trimmed.keeping(positions, Array(objects[start..<end]), objects: most, keepsTimes: true).trace
    }

    static func position(ofRequest request: Int, _ prefetches: [Int]) -> Int {
        var position = request
        for prefetch in prefetches {
            // From here on, no prefetch precedes the request.
            guard prefetch <= position else { break }
            position += 1
        }
        return position
    }
}

extension DenseTrace {
    /// Converts a session to columns.
    ///
    /// - Parameters:
    ///   - trace: The session.
    ///   - usesSizes: Whether objects have their recorded sizes. Otherwise every object has size 1.
    ///   - holdsBitmaps: Whether objects have the sizes of their bitmaps, as `Trace.bitmapSizes(_:)` has them.
    public init(_ trace: Trace, usesSizes: Bool = true, holdsBitmaps: Bool = false) {
        var accesses = Accesses(trace, holdsBitmaps: holdsBitmaps)
        for event in trace.events {
            switch event.action {
            case .appear(let object, let variant): accesses.append(object, variant, at: event.time, isPrefetch: false)
            case .prefetch(let object, let variant): accesses.append(object, variant, at: event.time, isPrefetch: true)
            case .memoryWarning: accesses.append(.memoryWarning)
            case .terminate: accesses.append(.relaunch(time: event.time))
            case .remove(let object): accesses.remove(object)
            case .disappear, .scroll, .fetch, .background, .foreground, .list, .served, .cost: break
            }
        }
        self = accesses.finish(usesSizes: usesSizes)
    }

    private struct Accesses: ~Copyable {
        private let fetches: [ObjectID: [Bool]]
        private var numbering: Numbering
        private var objects = ColumnBuilder<UInt32>()
        private var times = RequestTimes(from: 0)
        private var exceptions: [Exception] = []
        private var requests = 0
        private var requestBytes = 0

        init(_ trace: Trace, holdsBitmaps: Bool) {
            fetches = DenseTrace.unreliableFetches(in: trace)
            numbering = Numbering(trace, holdsBitmaps: holdsBitmaps)
        }

        mutating func append(_ object: ObjectID, _ variant: Variant, at time: Int64, isPrefetch: Bool) {
            if isPrefetch || fetches[object] != nil {
                let kind = Exception.Kind.access(isRequest: !isPrefetch, key: object, outcomes: fetches[object] ?? [])
                exceptions.append(Exception(position: objects.count, kind: kind))
            }
            let number = numbering.number(object, variant)
            if !isPrefetch {
                requests += 1
                requestBytes &+= numbering.sizes[Int(number)]
            }
            objects.append(number)
            times.append(time)
        }

        /// Removes both variants of an object. A variant that was not accessed yet is not held.
        mutating func remove(_ object: ObjectID) {
            for number in numbering.known(object) { append(.removal(object: number)) }
        }

        mutating func append(_ kind: Exception.Kind) {
            exceptions.append(Exception(position: objects.count, kind: kind))
        }

        consuming func finish(usesSizes: Bool) -> DenseTrace {
            let (ticks, epochs) = times.finish()
            let hasThumbnails = numbering.variants.contains(Variant.thumbnail.rawValue)
            var trace = DenseTrace(
                objects: objects.finish(), ticks: ticks, epochs: epochs, objectCount: numbering.sizes.count,
                uniqueBytes: usesSizes ? numbering.sizes.reduce(0, &+) : numbering.sizes.count,
                requestBytes: usesSizes ? requestBytes : requests)
            if usesSizes { (trace.sizes, trace.lacksSizes) = (TraceColumn(numbering.sizes), numbering.lacksSizes) }
            if hasThumbnails { trace.variants = TraceColumn(numbering.variants) }
            trace.exceptions = exceptions
            return trace
        }
    }

    /// Numbers the pairs of key and variant.
    private struct Numbering {
        private let bytes: [Int]
        private var numbers: [UInt32?]
        /// Whether no object has a recorded size.
        let lacksSizes: Bool
        var sizes: [Int] = []
        var variants: [UInt8] = []

        init(_ trace: Trace, holdsBitmaps: Bool) {
            let resolved = trace.resolvedSizes()
            bytes = holdsBitmaps ? trace.bitmapSizes(resolved.bytes).bytes : resolved.bytes
            lacksSizes = resolved.assumedCount == bytes.count && !bytes.isEmpty
            numbers = [UInt32?](repeating: nil, count: trace.objects.count * 2)
        }

        /// Returns the numbers that an object has so far.
        func known(_ object: ObjectID) -> [UInt32] { numbers[Int(object) * 2..<Int(object) * 2 + 2].compactMap { $0 } }

        mutating func number(_ object: ObjectID, _ variant: Variant) -> UInt32 {
            let place = Int(object) * 2 + Int(variant.rawValue)
            if let number = numbers[place] { return number }
            let number = UInt32(sizes.count)
            numbers[place] = number
            sizes.append(bytes[Int(object)])
            variants.append(variant.rawValue)
            return number
        }
    }

    /// Returns, for each object with a failed fetch, whether each of its fetches succeeded, in order.
    private static func unreliableFetches(in trace: Trace) -> [ObjectID: [Bool]] {
        var outcomes: [ObjectID: [Bool]] = [:]
        for case .fetch(let object, let fetch) in trace.events.lazy.map(\.action) {
            outcomes[object, default: []].append(fetch.succeeded)
        }
        return outcomes.filter { $0.value.contains(false) }
    }
}

extension DenseTrace {
    /// Reads a trace file into columns; the format is recognised from its content and name if `format` is nil.
    ///
    /// The result equals `DenseTrace(Trace(contentsOf: path))`. Formats that hold only requests are read without events
    /// and keys in memory; a compiled trace is mapped; the others are read as a `Trace` first.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - format: The format; nil to recognise it.
    ///   - usesSizes: Whether objects have their recorded sizes. Otherwise every object has size 1.
    ///   - bitmaps: Whether objects have the sizes of their bitmaps.
    /// - Throws: `TraceError`.
    public init(
        contentsOf path: String, format: TraceFormat? = nil, usesSizes: Bool = true, bitmaps: Bitmaps = .never
    ) throws {
        var notes = ReadingNotes()
        try self.init(
            contentsOf: path, Options(format: format, usesSizes: usesSizes, bitmaps: bitmaps), &notes)
    }

    /// Whether the size of an object is its bitmap's size.
    public enum Bitmaps: Sendable {
        /// Sizes are encoded bytes.
        case never
        /// Sizes are the sizes of bitmaps for sessions of images, and encoded bytes for other traces.
        case ofImages
        /// Sizes are the sizes of bitmaps. A trace without images is an error.
        case required

        func apply(to trace: Trace, file: String, _ notes: inout ReadingNotes) throws -> Bool {
            if self == .required, !trace.recordsImages { throw Self.noImages(file) }
            guard self != .never, trace.recordsImages else { return false }
            notes.countsBitmaps = true
            return true
        }

        static func noImages(_ file: String) -> TraceError {
            TraceError(file: file, "the trace has no images, so its objects have no bitmaps; use encoded sizes")
        }
    }

    /// The columns that a simulation needs besides the objects and their sizes. A compiled trace opens and verifies no
    /// others, and a file of requests keeps no times that are not needed; the other formats keep all.
    public struct Columns: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// ``DenseTrace/ticks``, for policies that read the time.
        public static let times = Columns(rawValue: 1)
        /// ``DenseTrace/nextAccesses``, for policies that know the future.
        public static let nextAccesses = Columns(rawValue: 2)

        public static let all: Columns = [.times, .nextAccesses]
    }

    /// The options for reading a file.
    public struct Options: Sendable {
        /// The format; nil to recognise it.
        public var format: TraceFormat?
        public var reading = ReadingOptions()
        /// Whether objects have their recorded sizes. Otherwise every object has size 1.
        public var usesSizes: Bool
        /// The size of an object that has several.
        public var varying: VaryingSizes
        /// Whether the size of an object is its bitmap's size.
        public var bitmaps: Bitmaps
        /// The columns that are needed; others may be missing.
        public var columns: Columns
        /// The number of requests in a window, for ``DenseTrace/forEachWindow(of:_:_:_:)``.
        public var window: Int

        public init(
            format: TraceFormat? = nil, usesSizes: Bool = true, varying: VaryingSizes = .first,
            bitmaps: Bitmaps = .never, columns: Columns = .all, window: Int = 1 << 18
        ) {
            (self.format, self.usesSizes, self.varying) = (format, usesSizes, varying)
            (self.bitmaps, self.columns, self.window) = (bitmaps, columns, window)
        }
    }

    /// Reads a trace file into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(contentsOf path: String, _ options: Options, _ notes: inout ReadingNotes) throws {
        let stream = try TraceStream(path: path)
        if let read = try (options.format ?? .sniffed(stream))?.applying(options.reading, file: path).stream {
            try self.init(read(stream, &notes), options, file: path, &notes)
        } else {
            let (input, format) = try TraceInput.ofRequests(stream, options.format, options.reading)
            var options = options
            options.format = format
            try self.init(input, options, &notes)
        }
    }

    /// Reads a trace in memory into columns, and adds warnings and facts to `notes`.
    ///
    /// - Throws: `TraceError`.
    public init(_ input: TraceInput, _ options: Options, _ notes: inout ReadingNotes) throws {
        let format = try (options.format ?? .sniffed(input)).applying(options.reading, file: input.path)
        let holdsSession =
            try format.dense == nil ? format.requests == nil : CompiledFile(input).holdsSession
        if options.bitmaps != .never, holdsSession {
            try self.init(format.read(input, &notes), options, file: input.path, &notes)
            return
        }
        if options.bitmaps == .required { throw Bitmaps.noImages(input.path) }
        if let dense = format.dense {
            self = try dense(input, options, &notes)
            return
        }
        guard let read = format.requests else {
            self.init(try format.read(input, &notes), usesSizes: options.usesSizes)
            return
        }
        var kept = input
        kept.keepsTimes = options.columns.contains(.times)
        let requests = try read(kept, &notes)
        notes.warnings += requests.warnings(varying: options.usesSizes ? options.varying : .first)
        notes.hasSizesByRequest = true
        self = requests.dense(usesSizes: options.usesSizes, varying: options.varying)
    }

    private init(_ trace: Trace, _ options: Options, file: String, _ notes: inout ReadingNotes) throws {
        let holdsBitmaps = try options.bitmaps.apply(to: trace, file: file, &notes)
        self.init(trace, usesSizes: options.usesSizes, holdsBitmaps: holdsBitmaps)
    }
}

extension DenseTrace {
    /// Reads a file of requests in windows, for traces larger than memory. Memory is bounded by the objects, of which
    /// each takes 51 bytes or less and those with texts as keys also their text, and not by the requests.
    ///
    /// A text and a file in the format oracleGeneral are read and decompressed as they go. An access log is too; its
    /// requests go to a temporary file, 16 bytes each, and from there to the windows in order of time. A binary file of
    /// another format is mapped; if it is compressed, its content goes to a temporary file first. A compiled trace is
    /// one window, because its columns are mapped.
    ///
    /// Objects keep their numbers, so that a policy continues with the next window. The ``objectCount`` of a window
    /// counts all objects so far; in a log, all objects of the file. Positions count from the start of the window, so
    /// next accesses are unknown. Windows of logs have ``exceptions``: the accesses to objects with failed fetches.
    /// Windows of key-value traces have removals.
    ///
    /// - Parameters:
    ///   - path: A file of requests or an access log, compressed or not; not a session.
    ///   - options: What to read. In windows, the sum of the sizes of all objects is unknown.
    ///   - notes: Receives warnings.
    ///   - body: Receives one window after the other. A window is valid only within the call. Reading ends when `body`
    ///     returns false.
    /// - Throws: `TraceError`.
    public static func forEachWindow(
        of path: String, _ options: Options, _ notes: inout ReadingNotes,
        _ body: (DenseTrace) throws -> Bool
    ) throws {
        let stream = try TraceStream(path: path)
        let format = options.format
        if let read = try (format ?? .sniffed(stream))?.applying(options.reading, file: path).windows {
            return try withoutActuallyEscaping(body) { body in
                try read(stream, RequestWindows(path: path, options, body: body), &notes)
            }
        }
        if let text = try (format ?? .sniffedText(stream))?.applying(options.reading, file: path), text.readsText,
            stream.knownCount == nil, let read = text.requests
        {
            if options.bitmaps == .required { throw Bitmaps.noImages(path) }
            return try withoutActuallyEscaping(body) { body in
                let windows = RequestWindows(path: path, options, body: body)
                var input = TraceInput(headOf: stream, try ByteWindow.ofRequests(stream))
                input.windows = windows
                try deliver(read, input, windows, &notes)
            }
        }
        if holdsOracleRecords(path, format) {
            try forEachWindow(ofRecords: stream, path: path, options, &notes, body)
        } else {
            try forEachMappedWindow(of: stream, options, &notes, body)
        }
    }

    /// Returns the number of requests of a file, or `most` if it has more.
    ///
    /// The size of a file in the format oracleGeneral tells it. A file of another format, or a compressed one, is read
    /// in windows up to that request.
    ///
    /// - Parameters:
    ///   - path: A file that ``forEachWindow(of:_:_:_:)`` can read, and that can be read again.
    ///   - options: What the later reading has.
    ///   - most: The number of requests behind which counting ends.
    /// - Throws: `TraceError`.
    public static func countRequests(of path: String, _ options: Options, upTo most: Int) throws -> Int {
        let stream = try TraceStream(path: path)
        let readsItself = (options.format ?? .sniffed(stream))?.windows != nil
        if !readsItself, holdsOracleRecords(path, options.format), let bytes = stream.knownCount {
            return min(most, bytes / OracleGeneralFormat.recordLength)
        }
        var (count, notes) = (0, ReadingNotes())
        try forEachWindow(of: path, options, &notes) { window in
            count += window.objects.count - window.prefetchPositions.count
            return count < most
        }
        return min(most, count)
    }

    /// Returns whether a file has the format oracleGeneral, as its name or the user says. The content identifies the
    /// format only if the whole file is known.
    private static func holdsOracleRecords(_ path: String, _ format: TraceFormat?) -> Bool {
        let name = TraceInput.name(of: path)
        return format.map { $0.name == TraceFormat.oracleGeneral.name }
            ?? (name.contains("oraclegeneral") && !name.contains("opns"))
    }

    /// Reads a file in the format oracleGeneral.
    private static func forEachWindow(
        ofRecords stream: TraceStream, path: String, _ options: Options, _ notes: inout ReadingNotes,
        _ body: (DenseTrace) throws -> Bool
    ) throws {
        if options.bitmaps == .required { throw Bitmaps.noImages(path) }
        _ = try TraceFormat.oracleGeneral.applying(options.reading, file: path)
        let length = OracleGeneralFormat.recordLength
        let room = max(1, options.window) * length
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        var (read, isEnd) = (0, false)
        var columns = Requests()
        var ids = NumberTable()
        while !isEnd {
            var filled = 0
            while filled < room, !isEnd {
                let count = try stream.read(into: buffer + filled, room: room - filled)
                filled += count
                isEnd = count == 0
            }
            guard filled % length == 0 else {
                throw TraceError(
                    file: path, at: .byte(read + filled - filled % length),
                    """
                    the last record has \(filled % length) of \(length) bytes; the file is cut short or is not \
                    oracleGeneral
                    """
                )
            }
            guard filled > 0 else { break }
            read += filled
            OracleGeneralFormat.append(
                UnsafeRawBufferPointer(start: buffer, count: filled), to: &columns, numbering: &ids)
            guard try columns.takeWindow(usesSizes: options.usesSizes, varying: options.varying, body) else { return }
        }
        guard read > 0 else {
            throw TraceError(file: path, "the file holds no records; expected records of \(length) bytes")
        }
        notes.warnings += columns.warnings(varying: options.usesSizes ? options.varying : .first)
        notes.hasSizesByRequest = true
    }

    private static func forEachMappedWindow(
        of stream: TraceStream, _ options: Options, _ notes: inout ReadingNotes, _ body: (DenseTrace) throws -> Bool
    ) throws {
        let input = try TraceInput(mapping: stream)
        let path = input.path
        let format = try (options.format ?? .sniffed(input)).applying(options.reading, file: path)
        if let dense = format.dense, try !CompiledFile(input).holdsSession {
            var options = options
            options.columns = .times
            _ = try body(try dense(input, options, &notes))
            return
        }
        guard let read = format.requests else {
            throw TraceError(
                file: path,
                """
                a file in the format \(format.name) cannot be read in windows, because it is a session; leave --stream \
                out, or compile it (`cachereplay trace compile`)
                """)
        }
        if options.bitmaps == .required { throw Bitmaps.noImages(path) }
        try withoutActuallyEscaping(body) { body in
            let windows = RequestWindows(path: path, options, body: body)
            var windowed = input
            windowed.windows = windows
            try deliver(read, windowed, windows, &notes)
        }
    }

    private static func deliver(
        _ read: (TraceInput, inout ReadingNotes) throws -> Requests, _ input: TraceInput, _ windows: RequestWindows,
        _ notes: inout ReadingNotes
    ) throws {
        var columns = try read(input, &notes)
        columns.deliverWindow()
        try windows.finish()
        notes.warnings += columns.warnings(varying: windows.usesSizes ? windows.varying : .first)
        notes.hasSizesByRequest = true
    }
}

/// Copies of the sizes of objects, with which a window of a trace outlives the call that delivers it.
///
/// The sizes of objects that earlier windows had are final, so that only the sizes of new objects are copied.
package struct WindowSizes: ~Copyable {
    private var sizes = ColumnBuilder<Int>()

    package init() {}

    /// Returns the window with sizes that stay valid until the next call.
    package mutating func outliving(_ window: DenseTrace) -> DenseTrace {
        guard let borrowed = window.sizes, borrowed.isBorrowed else { return window }
        borrowed.withUnsafeBufferPointer { all in
            let known = sizes.count
            // Invariant: a later window has the objects of the windows before.
            sizes.append(all.count - known) { new in
                for index in known..<all.count { new[index - known] = all[index] }
            }
        }
        var window = window
        window.sizes = TraceColumn(UnsafeBufferPointer(sizes.elements), owner: nil)
        return window
    }
}
