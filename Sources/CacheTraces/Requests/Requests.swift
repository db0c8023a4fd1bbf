import SessionModel

/// What formats that know requests alone make of a file: columns of object, time and size, in the order of the file.
///
/// Objects are numbered 0, 1, 2 … in order of first appearance. Nothing here is a string or an event, so that
/// ``DenseTrace`` can be made from a file of any length without either; a ``Trace`` is made where keys and events are
/// wanted.
struct Requests: ~Copyable {
    /// The object of each request.
    private(set) var objects = ColumnBuilder<UInt32>()
    private(set) var times = RequestTimes()
    /// Bytes by object; ``unknownSize`` where no request told it.
    private(set) var sizes = ColumnBuilder<Int>()
    /// The keys of all objects, by number. Called where somebody wants to see them.
    var keys: () -> [String] = { [] }

    /// The sum over requests of their object's size; not right once a size was unknown.
    private var bytes = 0
    private var hasUnknownSizes = false
    private var otherSizes = 0

    static let unknownSize = -1

    var count: Int { objects.count }

    /// The number that the next new object has.
    var next: UInt32 { UInt32(sizes.count) }

    mutating func reserve(_ requests: Int) {
        objects.reserve(requests)
        times.reserve(requests)
    }

    /// `object` is a known number or the ``next`` new one; `time` in microseconds from any origin, within
    /// ``TraceLimits/time``.
    @inline(__always)
    mutating func append(_ object: UInt32, at time: Int64, bytes: Int) {
        note(bytes, of: Int(object))
        self.bytes &+= sizes[Int(object)]
        objects.append(object)
        times.append(time)
    }

    /// Appends requests of numbered ids, at most ``NumberedBatch/capacity``, and empties `batch`.
    @inline(__always)
    mutating func append(_ batch: inout NumberedBatch, numbering ids: inout NumberTable) {
        let count = batch.count
        guard count > 0 else { return }
        times.append(batch.times, count: count)
        var sum = 0
        for index in 0..<count { sum &+= Int(batch.sizes[index]) }
        bytes &+= sum
        let start = objects.count
        var missing = 0
        objects.append(count) { objects in
            missing = ids.find(batch.ids, sizes: batch.sizes, places: batch.places, count: count, into: objects)
        }
        if missing > 0 { appendMissing(batch, numbering: &ids, from: start) }
        batch.count = 0
    }

    /// The requests of a batch that are new, or of another size than their object is known to have.
    @inline(never)
    private mutating func appendMissing(
        _ batch: borrowing NumberedBatch, numbering ids: inout NumberTable, from start: Int
    ) {
        for index in 0..<batch.count where objects[start + index] == NumberTable.unused {
            let (number, place) = ids.number(of: batch.ids[index], next: next)
            let code = batch.sizes[index]
            note(
                code == Self.unknownCode
                    ? Self.unknownSize : code == NumberTable.otherSize ? batch.largeSizes[index] : Int(code),
                of: Int(number))
            let size = sizes[Int(number)]
            // Only the object's own size may be found without coming here.
            ids.setSize(Self.code(size), at: place)
            bytes &+= size &- Int(code)
            objects[start + index] = number
        }
    }

    /// Lends the requests since the last window as a trace, and then forgets them; objects, their numbers and their
    /// sizes stay.
    ///
    /// For formats that know every size. What `body` gets is good within it alone.
    mutating func takeWindow<R>(usesSizes: Bool, _ body: (DenseTrace) throws -> R) rethrows -> R {
        var objects = ColumnBuilder<UInt32>()
        swap(&objects, &self.objects)
        var times = RequestTimes(behind: self.times)
        swap(&times, &self.times)
        let (ticks, epochs) = times.finish()
        let requests = objects.count
        let borrowed = TraceColumn(UnsafeBufferPointer(sizes.elements), owner: nil)
        defer { bytes = 0 }
        return try body(
            DenseTrace(
                objects: objects.finish(), ticks: ticks, epochs: epochs, sizes: usesSizes ? borrowed : nil,
                objectCount: sizes.count,
                uniqueBytes: 0, requestBytes: usesSizes ? bytes : requests))
    }

    static let unknownCode = UInt32.max

    /// A size as ``NumberTable`` keeps it.
    @inline(__always)
    static func code(_ bytes: Int) -> UInt32 {
        bytes == unknownSize
            ? unknownCode : bytes < NumberTable.sizeLimit ? UInt32(truncatingIfNeeded: bytes) : NumberTable.otherSize
    }

    /// The first size that is known of an object stays.
    @inline(__always)
    private mutating func note(_ bytes: Int, of object: Int) {
        if bytes == Self.unknownSize { hasUnknownSizes = true }
        if object == sizes.count {
            sizes.append(bytes)
        } else if sizes[object] != bytes, bytes != Self.unknownSize {
            if sizes[object] == Self.unknownSize { sizes[object] = bytes } else { otherSizes += 1 }
        }
    }

    var warnings: [String] {
        var warnings: [String] = []
        if otherSizes > 0 {
            warnings.append(
                """
                \(otherSizes) requests have another size than the first of their object; each object keeps its first \
                size
                """
            )
        }
        if times.held > 0 {
            warnings.append(
                """
                the time of \(times.held) requests is before that of a request ahead of them; the order is kept, their \
                time raised
                """
            )
        }
        return warnings
    }
}

extension Requests {
    /// The finished columns. `usesSizes`: without, every object has size 1; else objects of unknown size have the
    /// median of the others.
    consuming func dense(usesSizes: Bool) -> DenseTrace {
        let objectCount = sizes.count
        let hasUnknownSizes = hasUnknownSizes
        var requestBytes = bytes
        let objects = objects.finish()
        let (ticks, epochs) = times.finish()
        guard usesSizes else {
            return DenseTrace(
                objects: objects, ticks: ticks, epochs: epochs, objectCount: objectCount, uniqueBytes: objectCount,
                requestBytes: objects.count)
        }
        if hasUnknownSizes {
            let known = sizes.elements.filter { $0 != Self.unknownSize }.sorted()
            let median = known.isEmpty ? 1 : known[known.count / 2]
            for object in 0..<objectCount where sizes[object] == Self.unknownSize { sizes[object] = median }
            requestBytes = 0
            for object in objects { requestBytes &+= sizes[Int(object)] }
        }
        let uniqueBytes = sizes.elements.reduce(0, &+)
        return DenseTrace(
            objects: objects, ticks: ticks, epochs: epochs, sizes: sizes.finish(), objectCount: objectCount,
            uniqueBytes: uniqueBytes,
            requestBytes: requestBytes)
    }
}

extension Trace {
    /// Each request becomes an `appear` of variant `full`.
    init(_ requests: consuming Requests) {
        let objects = zip(requests.keys(), requests.sizes.elements).map { key, size in
            TraceObject(key: key, bytes: size == Requests.unknownSize ? nil : size)
        }
        let dense = requests.dense(usesSizes: false)
        var events: [TraceEvent] = []
        events.reserveCapacity(dense.objects.count)
        dense.forEachEpoch { epoch, range in
            for index in range {
                let time = epoch.time + Int64(dense.ticks[index])
                events.append(TraceEvent(time: time, .appear(ObjectID(dense.objects[index]), .full)))
            }
        }
        self.init(objects: objects, events: events)
    }
}

extension TraceFormat {
    /// A format that knows requests alone.
    init(
        name: String, summary: String, fileEndings: [String],
        sniff: @escaping @Sendable (TraceHead) -> Likelihood,
        requests: @escaping @Sendable (TraceInput, inout ReadingNotes) throws -> Requests,
        encode: (@Sendable (Trace, inout ReadingNotes) throws -> [UInt8])? = nil
    ) {
        self.init(
            name: name, summary: summary, fileEndings: fileEndings, sniff: sniff,
            read: { input, notes in
                let requests = try requests(input, &notes)
                notes.warnings += requests.warnings
                return Trace(requests)
            },
            encode: encode)
        self.requests = requests
    }
}
