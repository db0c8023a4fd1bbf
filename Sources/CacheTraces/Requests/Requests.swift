/// What formats that know requests alone make of a file: columns of object, time and size, in the order of the file.
///
/// Objects are numbered 0, 1, 2 … in order of first appearance. Nothing here is a string or an event, so that ``DenseTrace`` can
/// be made from a file of any length without either; a ``Trace`` is made where keys and events are wanted.
struct Requests {
    /// The object of each request.
    private(set) var objects: [UInt32] = []
    /// Microseconds since the first request, never falling.
    private(set) var times: [Int64] = []
    /// Bytes by object; ``unknownSize`` where no request told it.
    private(set) var sizes: [Int] = []
    /// The keys of all objects, by number. Called where somebody wants to see them.
    var keys: () -> [String] = { [] }

    private var firstTime: Int64 = 0
    private var lastTime: Int64 = 0
    private var timesHeld = 0
    private var otherSizes = 0

    static let unknownSize = -1

    var count: Int { objects.count }

    mutating func reserve(_ requests: Int) {
        objects.reserveHuge(requests)
        times.reserveHuge(requests)
    }

    /// `object` is a known number or the next new one; `time` in microseconds from any origin, within ``TraceLimits/time``.
    @inline(__always)
    mutating func append(_ object: UInt32, at time: Int64, bytes: Int) {
        let number = Int(object)
        if number == sizes.count {
            sizes.append(bytes)
        } else if sizes[number] != bytes {
            learn(bytes, of: number)
        }
        if objects.isEmpty {
            firstTime = time
            lastTime = time
        }
        if time < lastTime { timesHeld += 1 }
        lastTime = max(lastTime, time)
        objects.append(object)
        times.append(lastTime - firstTime)
    }

    /// Appends requests of numbered ids, at most ``NumberedBatch/capacity``, and empties `batch`.
    @inline(__always)
    mutating func append(_ batch: inout NumberedBatch, numbering ids: inout NumberTable) {
        let count = batch.count
        guard count > 0 else { return }
        ids.find(batch.ids, sizes: batch.sizes, count: count, into: batch.numbers)
        for index in 0..<count where batch.numbers[index] == NumberTable.unused {
            let size = batch.sizes[index]
            let number = ids.number(of: batch.ids[index], size: size, next: UInt32(sizes.count))
            let bytes = size == Self.unknownCode ? Self.unknownSize : size == NumberTable.otherSize ? batch.largeSizes[index] : Int(size)
            if Int(number) == sizes.count { sizes.append(bytes) } else if sizes[Int(number)] != bytes { learn(bytes, of: Int(number)) }
            // Only the object's own size may be found without coming here.
            if sizes[Int(number)] != bytes { _ = ids.number(of: batch.ids[index], size: Self.code(sizes[Int(number)]), next: number) }
            batch.numbers[index] = number
        }
        if objects.isEmpty {
            firstTime = batch.times[0]
            lastTime = firstTime
        }
        let batchTimes = batch.times
        var last = lastTime
        let first = firstTime
        var held = 0
        for index in 0..<count {
            let time = batchTimes[index]
            held += time < last ? 1 : 0
            last = max(last, time)
            batchTimes[index] = last - first
        }
        lastTime = last
        timesHeld += held
        objects.append(contentsOf: UnsafeBufferPointer(start: batch.numbers, count: count))
        times.append(contentsOf: UnsafeBufferPointer(start: batch.times, count: count))
        batch.count = 0
    }

    static let unknownCode = UInt32.max

    /// A size as ``NumberTable`` keeps it.
    @inline(__always)
    static func code(_ bytes: Int) -> UInt32 {
        bytes == unknownSize ? unknownCode : bytes < NumberTable.sizeLimit ? UInt32(truncatingIfNeeded: bytes) : NumberTable.otherSize
    }

    /// The first size that is known stays.
    private mutating func learn(_ bytes: Int, of object: Int) {
        guard bytes != Self.unknownSize else { return }
        if sizes[object] == Self.unknownSize { sizes[object] = bytes } else { otherSizes += 1 }
    }

    var warnings: [String] {
        var warnings: [String] = []
        if otherSizes > 0 {
            warnings.append("\(otherSizes) requests have another size than the first of their object; each object keeps its first size")
        }
        if timesHeld > 0 {
            warnings.append("the time of \(timesHeld) requests is before that of a request ahead of them; the order is kept, their time raised")
        }
        return warnings
    }
}

extension Trace {
    /// Each request becomes an `appear` of variant `full`.
    init(_ requests: Requests) {
        let objects = zip(requests.keys(), requests.sizes).map { key, size in
            TraceObject(key: key, bytes: size == Requests.unknownSize ? nil : size)
        }
        let events = requests.objects.indices.map { index in
            TraceEvent(time: requests.times[index], .appear(ObjectID(requests.objects[index]), .full))
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
