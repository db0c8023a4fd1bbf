import SessionModel

/// The content of a file that holds only requests: columns of object, time and size, in the order of the file.
///
/// Objects are numbered 0, 1, 2 … in order of first appearance. The columns contain no strings and events, so that a
/// ``DenseTrace`` of a file of any length needs neither; a `Trace` is made if keys and events are needed.
struct Requests: ~Copyable {
    private(set) var objects = ColumnBuilder<UInt32>()
    private(set) var times: RequestTimes
    /// The bytes of each object; ``unknownSize`` if no request contains them.
    private(set) var sizes = ColumnBuilder<Int>()
    /// The keys of all objects, by number. They are made only if keys are needed.
    var keys = RequestKeys.numbers { [] }

    /// The sum of the sizes of all requests; invalid if a size was unknown.
    private var bytes = 0
    private var hasUnknownSizes = false
    private var otherSizes = 0
    /// How many of the `otherSizes` are 0 and count as unknown.
    private var ignoredZeroes = 0
    /// The requests since the last window whose known size differs from their object's size, in order: their positions
    /// and their sizes.
    private var others = ColumnBuilder<Int>()
    private var otherBytes = ColumnBuilder<Int>()
    /// By object: the size of its last request in the windows before, as far as it is not the object's.
    private var latest: [UInt32: Int] = [:]
    /// The removals since the last window, in order.
    private var removals: [DenseTrace.Exception] = []
    private(set) var removalCount = 0
    /// The objects whose size was 0 before a larger one.
    private var replacedZeroes = 0
    /// Whether a size of 0 counts as unknown as soon as an object has a larger one. Not for formats that are read in
    /// windows, in which sizes are final.
    private let replacesZeroes: Bool
    /// The receiver of the requests in windows; nil if all are kept.
    private let windows: RequestWindows?
    /// The number of requests at which a window is complete.
    private let room: Int
    /// The number of requests in earlier windows.
    private var taken = 0

    static let unknownSize = -1

    /// - Parameter keepsTimes: Whether the requests have times. Without them, they take 4 bytes less each.
    init(windows: RequestWindows? = nil, replacesZeroes: Bool = false, keepsTimes: Bool = true) {
        times = RequestTimes(keepsTicks: keepsTimes)
        self.replacesZeroes = replacesZeroes
        self.windows = windows
        room = windows?.room ?? .max
    }

    var count: Int { taken + objects.count }

    /// The time of the first request on the clock of the file, in microseconds. Times count from it.
    var start: Int64 { times.start }

    /// The number of the next new object.
    var next: UInt32 { UInt32(sizes.count) }

    mutating func reserve(_ requests: Int) {
        let requests = min(requests, room)
        objects.reserve(requests)
        times.reserve(requests)
    }

    /// Appends a request of a known object or of the ``next`` new one. The time is in microseconds from any origin,
    /// within `TraceLimits.time`.
    @inline(__always)
    mutating func append(_ object: UInt32, at time: Int64, bytes: Int) {
        note(bytes, of: Int(object), at: objects.count)
        self.bytes &+= sizes[Int(object)]
        objects.append(object)
        times.append(time)
        if objects.count >= room { deliverWindow() }
    }

    /// Appends the requests of a batch, and empties it.
    @inline(__always)
    mutating func append(_ batch: inout NumberedBatch, numbering ids: inout NumberTable) {
        let count = batch.count
        guard count > 0 else { return }
        times.append(batch.times, count: count)
        var sum = 0
        for index in 0..<count { sum &+= Int(batch.sizes[index]) }
        bytes &+= sum
        let start = objects.count
        let next = next
        var (missing, added) = (0, 0)
        objects.append(count) { objects in
            (missing, added) = ids.find(
                batch.ids, sizes: batch.sizes, places: batch.places, count: count, next: next, into: objects)
        }
        for index in 0..<added {
            let code = batch.sizes[batch.places[index]]
            if code == Self.unknownCode { hasUnknownSizes = true }
            sizes.append(code == Self.unknownCode ? Self.unknownSize : Int(code))
        }
        if missing > 0 { appendMissing(batch, numbering: &ids, from: start) }
        batch.count = 0
        if objects.count >= room { deliverWindow() }
    }

    mutating func append(_ batch: inout TextBatch, numbering texts: inout TextTable) {
        let count = batch.count
        guard count > 0 else { return }
        times.append(batch.times, count: count)
        var sum = 0
        for index in 0..<count { sum &+= Int(batch.sizes[index]) }
        bytes &+= sum
        let start = objects.count
        var missing = 0
        objects.append(count) { missing = texts.find(batch, into: $0) }
        if missing > 0 { appendMissing(batch, numbering: &texts, from: start) }
        batch.count = 0
        if objects.count >= room { deliverWindow() }
    }

    /// Sets the size of each object without one, and returns their number. The requests are complete.
    mutating func assumeSizes(_ bytes: Int) -> Int {
        var count = 0
        for object in 0..<sizes.count where sizes[object] == Self.unknownSize {
            sizes[object] = bytes
            count += 1
        }
        return count
    }

    /// Appends the removal of an object: before the next request, no cache has it.
    mutating func appendRemoval(of object: UInt32) {
        removalCount += 1
        removals.append(DenseTrace.Exception(position: objects.count, kind: .removal(object: object)))
    }

    /// Hands the requests since the last window over, and discards them.
    @inline(never)
    mutating func deliverWindow() {
        guard let windows, objects.count > 0 else { return }
        windows.keep(others.elements, otherBytes.elements, behind: taken)
        taken += objects.count
        windows.check(hasUnknownSizes: hasUnknownSizes, hasReplacedSizes: replacedZeroes > 0)
        takeWindow(usesSizes: windows.usesSizes, varying: windows.varying) { windows.receive($0) }
    }

    /// Appends the requests of a batch that its table has left out: their size is large, or it differs from their
    /// object's size.
    @inline(never)
    private mutating func appendMissing(
        _ batch: borrowing NumberedBatch, numbering ids: inout NumberTable, from start: Int
    ) {
        for index in 0..<batch.count where objects[start + index] == NumberTable.unused {
            let (number, place) = ids.number(of: batch.ids[index], next: next)
            let code = batch.sizes[index]
            let replaced = replacedZeroes
            note(
                code == Self.unknownCode
                    ? Self.unknownSize : code == NumberTable.otherSize ? batch.largeSizes[index] : Int(code),
                of: Int(number), at: start + index)
            let size = sizes[Int(number)]
            // Only the size of the object itself may be found by batches.
            ids.setSize(Self.keptCode(size), at: place)
            bytes &+= size &- Int(code)
            objects[start + index] = number
            if replacedZeroes > replaced { noteZeroes(of: number, behind: index, batch.sizes, from: start) }
        }
    }

    /// Appends the requests of a batch that its table has left out: their key is new, or their size is large, or it
    /// differs from their object's size.
    @inline(never)
    private mutating func appendMissing(
        _ batch: borrowing TextBatch, numbering texts: inout TextTable, from start: Int
    ) {
        for index in 0..<batch.count where objects[start + index] == NumberTable.unused {
            let (number, record) = texts.number(of: batch, at: index, next: next)
            let replaced = replacedZeroes
            note(batch.bytes(index), of: Int(number), at: start + index)
            let size = sizes[Int(number)]
            record.setSize(Self.keptCode(size))
            bytes &+= size &- Int(batch.sizes[index])
            objects[start + index] = number
            if replacedZeroes > replaced { noteZeroes(of: number, behind: index, batch.sizes, from: start) }
        }
    }

    /// Notes the requests of a batch whose size 0 was found while their object had it, before a larger size replaced
    /// it. The request with the larger size is at `index`.
    private mutating func noteZeroes(
        of object: UInt32, behind index: Int, _ codes: UnsafePointer<UInt32>, from start: Int
    ) {
        for other in index + 1..<objects.count - start where objects[start + other] == object && codes[other] == 0 {
            otherSizes += 1
            ignoredZeroes += 1
        }
    }

    /// Calls `body` with the requests since the last window as a trace, and then discards them. Objects, their numbers
    /// and their sizes stay.
    ///
    /// For formats that contain every size. The trace is valid only within `body`.
    mutating func takeWindow<R>(usesSizes: Bool, varying: VaryingSizes, _ body: (DenseTrace) throws -> R) rethrows -> R
    {
        var objects = ColumnBuilder<UInt32>()
        swap(&objects, &self.objects)
        var times = RequestTimes(behind: self.times)
        swap(&times, &self.times)
        let (ticks, epochs) = times.finish()
        let requests = objects.count
        let (requestSizes, resized, difference) = takeRequestSizes(objects.elements, usesSizes ? varying : .first)
        let borrowed = TraceColumn(UnsafeBufferPointer(sizes.elements), owner: nil)
        defer { bytes = 0 }
        var window = DenseTrace(
            objects: objects.finish(), ticks: ticks, epochs: epochs, objectCount: sizes.count, uniqueBytes: 0,
            requestBytes: usesSizes ? bytes &+ difference : requests)
        if usesSizes { window.sizes = borrowed }
        (window.requestSizes, window.exceptions) = (requestSizes, takeRemovals(with: resized))
        return try body(window)
    }

    /// Returns the size of each request if some differ from their objects' sizes, the positions at which the size of an
    /// object changes, and by how many bytes the requests differ from their objects. Forgets the differing requests.
    private mutating func takeRequestSizes(
        _ objects: UnsafeMutableBufferPointer<UInt32>, _ varying: VaryingSizes
    ) -> (sizes: TraceColumn<Int>?, resized: [DenseTrace.Exception], difference: Int) {
        defer {
            others = ColumnBuilder<Int>()
            otherBytes = ColumnBuilder<Int>()
        }
        guard varying != .first, others.count > 0 || !latest.isEmpty else { return (nil, [], 0) }
        var column = ColumnBuilder<Int>()
        var difference = 0
        column.reserve(objects.count)
        for object in objects { column.append(sizes[Int(object)]) }
        for index in 0..<others.count {
            let position = others[index]
            difference &+= otherBytes[index] &- column[position]
            column[position] = otherBytes[index]
        }
        let resized =
            varying == .latest
            ? DenseTrace.resized(objects, sizes: sizes.elements, requestSizes: column.elements, latest: &latest) : []
        return (others.count > 0 ? column.finish() : nil, resized, difference)
    }

    /// Returns the removals and the changes of sizes, in order, and forgets the removals. A removal is before the
    /// request at its position.
    private mutating func takeRemovals(with resized: [DenseTrace.Exception]) -> [DenseTrace.Exception] {
        guard !removals.isEmpty else { return resized }
        var (merged, rest) = ([DenseTrace.Exception](), resized[...])
        merged.reserveCapacity(removals.count + resized.count)
        for removal in removals {
            let earlier = rest.prefix { $0.position < removal.position }
            merged += earlier
            rest = rest.dropFirst(earlier.count)
            merged.append(removal)
        }
        removals = []
        return merged + rest
    }

    static let unknownCode = UInt32.max

    /// Returns the code of a size in ``NumberTable``.
    @inline(__always)
    static func code(_ bytes: Int) -> UInt32 {
        bytes == unknownSize
            ? unknownCode : bytes < NumberTable.sizeLimit ? UInt32(truncatingIfNeeded: bytes) : NumberTable.otherSize
    }

    /// Returns the code of the size of an object in a table: batches find no size whose code is
    /// ``NumberTable/otherSize``.
    @inline(__always)
    static func keptCode(_ bytes: Int) -> UInt32 {
        let code = code(bytes)
        return code == NumberTable.otherSize ? NumberTable.noSize : code
    }

    /// Sets the size of an object, whose first known size stays, unless it is 0 and ``replacesZeroes``.
    @inline(__always)
    private mutating func note(_ bytes: Int, of object: Int, at position: Int) {
        if bytes == Self.unknownSize { hasUnknownSizes = true }
        if object == sizes.count {
            sizes.append(bytes)
        } else if sizes[object] != bytes, bytes != Self.unknownSize {
            noteOther(bytes, of: object, at: position)
        }
    }

    /// Notes a known size that differs from the object's size.
    @inline(never)
    private mutating func noteOther(_ bytes: Int, of object: Int, at position: Int) {
        if sizes[object] == Self.unknownSize {
            sizes[object] = bytes
        } else if sizes[object] == 0, replacesZeroes {
            sizes[object] = bytes
            replacedZeroes += 1
        } else {
            otherSizes += 1
            // A size of 0 counts as unknown where a later one replaces it.
            guard bytes != 0 || !replacesZeroes else { return ignoredZeroes += 1 }
            others.append(position)
            otherBytes.append(bytes)
        }
    }

    /// - Parameter varying: The size of an object that has several, which is the first in a session; nil if each
    ///   request keeps its own.
    func warnings(varying: VaryingSizes?) -> [String] {
        var warnings: [String] = []
        if replacedZeroes > 0 {
            warnings.append(
                "\(replacedZeroes) objects have size 0 at first; each has the first size above 0 that follows")
        }
        if let varying {
            warnings += varying.warnings(requests: otherSizes)
        } else if ignoredZeroes > 0 {
            warnings.append(
                "\(ignoredZeroes) requests have size 0, which counts as unknown; they get the first size of their object"
            )
        }
        let count = hasUnknownSizes ? sizes.elements.count { $0 == Self.unknownSize } : 0
        if count > 0, let medianSize {
            warnings.append(
                """
                \(count) of \(sizes.count) objects have no size; each counts as the median of the others, \
                \(medianSize) bytes
                """)
        }
        if times.held > 0 {
            warnings.append(
                """
                the times of \(times.held) requests are before that of a preceding request; they are raised to it
                """
            )
        }
        return warnings
    }

    /// The median of the known sizes; nil if there is none.
    private var medianSize: Int? {
        let known = sizes.elements.filter { $0 != Self.unknownSize }.sorted()
        return known.isEmpty ? nil : known[known.count / 2]
    }
}

extension Requests {
    /// Returns the finished columns.
    ///
    /// - Parameter usesSizes: Whether objects have their sizes. Objects of unknown size have the median of the others.
    ///   Otherwise every object has size 1.
    consuming func dense(usesSizes: Bool, varying: VaryingSizes = .first) -> DenseTrace {
        let objectCount = sizes.count
        var lacksSizes = false
        if usesSizes, hasUnknownSizes {
            let known = medianSize
            lacksSizes = known == nil && objectCount > 0
            let median = known ?? 1
            for object in 0..<objectCount where sizes[object] == Self.unknownSize { sizes[object] = median }
        }
        let changesSizes = hasUnknownSizes || replacedZeroes > 0
        var requestBytes = bytes
        let (requestSizes, resized, difference) = takeRequestSizes(objects.elements, usesSizes ? varying : .first)
        let exceptions = takeRemovals(with: resized)
        let objects = objects.finish()
        let (ticks, epochs) = times.finish()
        guard usesSizes else {
            var trace = DenseTrace(
                objects: objects, ticks: ticks, epochs: epochs, objectCount: objectCount, uniqueBytes: objectCount,
                requestBytes: objects.count)
            trace.exceptions = exceptions
            return trace
        }
        if changesSizes {
            requestBytes = 0
            for object in objects { requestBytes &+= sizes[Int(object)] }
        }
        let uniqueBytes = sizes.elements.reduce(0, &+)
        var trace = DenseTrace(
            objects: objects, ticks: ticks, epochs: epochs, objectCount: objectCount, uniqueBytes: uniqueBytes,
            requestBytes: requestBytes &+ difference)
        (trace.sizes, trace.requestSizes, trace.exceptions) = (sizes.finish(), requestSizes, exceptions)
        trace.lacksSizes = lacksSizes
        return trace
    }
}

extension Requests {
    /// Returns the keys and the recorded bytes of the objects, by number; ``unknownSize`` without one. The requests are
    /// discarded.
    consuming func objectColumns() -> (keys: RequestKeys.Made, sizes: TraceColumn<Int>) {
        let made = keys.made()
        return (made, sizes.finish())
    }
}

extension DenseTrace {
    /// Returns the requests whose size differs from the size of the object's request before.
    ///
    /// - Parameter latest: By object: the size of its last request in the windows before, as far as it is not the
    ///   object's.
    static func resized(
        _ objects: some Collection<UInt32>, sizes: some RandomAccessCollection<Int>,
        requestSizes: some Sequence<Int>, latest: inout [UInt32: Int]
    ) -> [Exception] {
        var resized: [Exception] = []
        for (position, (object, bytes)) in zip(objects, requestSizes).enumerated() {
            let own = sizes[sizes.index(sizes.startIndex, offsetBy: Int(object))]
            guard latest[object, default: own] != bytes else { continue }
            latest[object] = bytes == own ? nil : bytes
            resized.append(Exception(position: position, kind: .resized))
        }
        return resized
    }
}
