import Basics
import SessionModel

/// An opened compiled trace. Its header and table have been checked, its columns not yet.
///
/// Invariant: every column in `places` lies within the input's bytes, does not overlap another, and begins at a
/// multiple of `CompiledFormat.alignment`. The memory of the input stays in place as long as `input` exists.
struct CompiledFile {
    struct Place {
        var offset: Int
        var count: Int
        var checksum: UInt64
        /// The offset of the entry in the table.
        var entry: Int
    }

    let input: TraceInput
    let accesses: Int
    let objectCount: Int
    /// Each request counts with the size of its object.
    let requestBytes: Int
    /// The time 0 of the trace on the clock of its source, in microseconds.
    let start: Int64
    private let places: [CompiledFormat.Column: Place]

    init(_ input: TraceInput) throws {
        func problem(_ offset: Int, _ message: String) -> TraceError {
            TraceError(file: input.path, at: .byte(offset), message)
        }
        self.input = input
        (accesses, objectCount, requestBytes, start, places) = try input.withBytes { bytes in
            let tableEnd = try Self.checkedTableEnd(bytes, problem)
            guard let accesses = Int(exactly: bytes.little(24, as: UInt64.self)), accesses < Int(UInt32.max) else {
                throw problem(24, "more accesses than 32 bits number")
            }
            guard let objects = Int(exactly: bytes.little(32, as: UInt64.self)), objects < Int(UInt32.max),
                objects <= accesses
            else {
                throw problem(32, "more objects than accesses")
            }
            guard let requestBytes = Int(exactly: bytes.little(40, as: UInt64.self)) else {
                throw problem(40, "more bytes than 63 bits number")
            }
            let start = bytes.little(56, as: Int64.self)
            guard start.magnitude <= TraceLimits.time.magnitude else {
                throw problem(56, "the time \(start) is out of range")
            }
            let places = try Self.places(bytes, tableEnd, accesses: accesses, objects: objects, problem)
            return (accesses, objects, requestBytes, start, places)
        }
    }

    /// Checks that the header and the table of columns are whole, and returns the end of the table.
    private static func checkedTableEnd(
        _ bytes: UnsafeRawBufferPointer, _ problem: (Int, String) -> TraceError
    ) throws -> Int {
        guard bytes.count >= CompiledFormat.headerLength else {
            throw problem(
                bytes.count,
                """
                the header of a compiled trace is incomplete; expected \(CompiledFormat.headerLength) bytes. Copy the \
                file again
                """)
        }
        guard bytes.starts(with: CompiledFormat.magic) else {
            throw problem(
                0,
                "the file is not a compiled trace, or it was copied as text; make one with `cachereplay trace compile`")
        }
        let version = bytes.little(8, as: UInt32.self)
        guard version == CompiledFormat.version else {
            throw problem(
                8,
                """
                the compiled trace has version \(version); this program reads version \(CompiledFormat.version). \
                Compile its source again
                """)
        }
        let length = bytes.little(16, as: UInt64.self)
        guard length == bytes.count else {
            throw problem(
                16,
                """
                the header states \(length) bytes, the file has \(bytes.count): it is incomplete or damaged. Copy the \
                file again
                """)
        }
        let columns = Int(bytes.little(12, as: UInt32.self))
        let tableEnd = CompiledFormat.headerLength + columns * CompiledFormat.entryLength
        guard columns <= CompiledFormat.Column.allCases.count, tableEnd <= bytes.count else {
            throw problem(
                12, "a table of \(columns) columns; expected at most \(CompiledFormat.Column.allCases.count)")
        }
        let checksum = CompiledFormat.headerChecksum(UnsafeRawBufferPointer(rebasing: bytes[..<tableEnd]))
        guard bytes.little(48) == checksum else {
            throw problem(
                48,
                "the header or its table is damaged: the checksum differs. Copy the file again, or compile its source")
        }
        return tableEnd
    }

    private static func places(
        _ bytes: UnsafeRawBufferPointer, _ tableEnd: Int, accesses: Int, objects: Int,
        _ problem: (Int, String) -> TraceError
    ) throws -> [CompiledFormat.Column: Place] {
        var places: [CompiledFormat.Column: Place] = [:]
        var end = tableEnd
        for entry in stride(from: CompiledFormat.headerLength, to: tableEnd, by: CompiledFormat.entryLength) {
            let kind = bytes.little(entry, as: UInt32.self)
            guard let column = CompiledFormat.Column(rawValue: kind), places[column] == nil else {
                throw problem(entry, "column \(kind) is unknown or occurs twice")
            }
            guard bytes.little(entry + 4, as: UInt32.self) == column.width else {
                throw problem(entry + 4, "expected \(column.width) bytes per element of \(column)")
            }
            guard let offset = Int(exactly: bytes.little(entry + 8, as: UInt64.self)),
                let count = Int(exactly: bytes.little(entry + 16, as: UInt64.self)),
                offset % CompiledFormat.alignment == 0, offset >= end, offset <= bytes.count,
                count <= (bytes.count - offset) / column.width
            else {
                throw problem(
                    entry + 8,
                    """
                    the column \(column) is not within the file, behind the one before it, at a multiple of \
                    \(CompiledFormat.alignment)
                    """
                )
            }
            guard !column.isByAccess || count == accesses, !column.isByObject || count == objects else {
                throw problem(
                    entry + 16,
                    "the column \(column) has \(count) elements; expected \(column.isByAccess ? accesses : objects)")
            }
            end = offset + count * column.width
            places[column] = Place(offset: offset, count: count, checksum: bytes.little(entry + 24), entry: entry)
        }
        if let missing = CompiledFormat.Column.allCases.first(where: { $0.isRequired && places[$0] == nil }) {
            throw problem(12, "the column \(missing) is missing")
        }
        return places
    }

    /// Returns a column after verifying its checksum; nil if the file does not contain it.
    func column<Element: BitwiseCopyable & Sendable>(
        _ column: CompiledFormat.Column, as type: Element.Type = Element.self
    ) throws -> TraceColumn<Element>? {
        guard let place = places[column] else { return nil }
        return try input.withBytes { bytes in
            let raw = UnsafeRawBufferPointer(rebasing: bytes[place.offset..<place.offset + place.count * column.width])
            guard XXHash64.checksum(raw) == place.checksum else {
                throw problem(
                    column, 0,
                    """
                    the column \(column), \(raw.count) bytes from here, is damaged: its checksum differs. Copy the \
                    file again, or compile its source
                    """
                )
            }
            // The input's memory begins at a page or as `malloc` gives it, and the offset is a multiple of 64.
            return TraceColumn(raw.bindMemory(to: Element.self), owner: InputOwner(input))
        }
    }

    func required<Element: BitwiseCopyable & Sendable>(
        _ column: CompiledFormat.Column, as type: Element.Type = Element.self
    ) throws -> TraceColumn<Element> {
        guard let found = try self.column(column, as: type) else {
            throw TraceError(file: input.path, at: .byte(12), "the column \(column) is missing")
        }
        return found
    }

    /// Returns an error in an element, `within` bytes from its start.
    func problem(_ column: CompiledFormat.Column, _ index: Int, within: Int = 0, _ message: String) -> TraceError {
        TraceError(file: input.path, at: .byte((places[column]?.offset ?? 0) + index * column.width + within), message)
    }
}

private final class InputOwner {
    private let input: TraceInput

    init(_ input: TraceInput) { self.input = input }
}

extension CompiledFile {
    struct ExceptionRecord: BitwiseCopyable, Sendable {
        var position: UInt64
        var kind: UInt32
        var key: UInt32
        var firstOutcome: UInt32
        var outcomeCount: UInt32

        static let memoryWarning: UInt32 = 0
        static let request: UInt32 = 1
        static let prefetch: UInt32 = 2
        /// The outcome fields hold the upper and the lower half of the time.
        static let relaunch: UInt32 = 3
        /// The key is the number of the removed object.
        static let removal: UInt32 = 4

        /// Whether the record stands before an access, and is not one itself.
        var isLoss: Bool { kind == Self.memoryWarning || kind == Self.relaunch || kind == Self.removal }

        var relaunchTime: Int64 { Int64(bitPattern: UInt64(firstOutcome) << 32 | UInt64(outcomeCount)) }
    }

    /// Returns the exceptions, after checking their order and positions.
    func exceptions() throws -> [DenseTrace.Exception] {
        guard let records = try column(.exceptions, as: ExceptionRecord.self) else { return [] }
        let outcomes = try column(.outcomes, as: UInt8.self)
        var lists: [UInt64: [Bool]] = [:]
        // The lists of outcomes follow each other, so together they are not longer than the column.
        var listed = 0
        var exceptions: [DenseTrace.Exception] = []
        exceptions.reserveCapacity(records.count)
        var earliest = 0
        for (index, record) in records.enumerated() {
            let position = Int(clamping: record.position)
            let isLoss = record.isLoss
            guard position >= earliest, isLoss ? position <= accesses : position < accesses else {
                throw problem(
                    .exceptions, index, "the position \(record.position) is out of order or behind the last access")
            }
            earliest = isLoss ? position : position + 1
            guard record.kind <= ExceptionRecord.removal else {
                throw problem(.exceptions, index, within: 8, "the kind \(record.kind) is unknown")
            }
            guard !isLoss else {
                let kind: DenseTrace.Exception.Kind =
                    switch record.kind {
                    case ExceptionRecord.relaunch: .relaunch(time: record.relaunchTime)
                    case ExceptionRecord.removal: .removal(object: record.key)
                    default: .memoryWarning
                    }
                if case .removal(let object) = kind, object >= objectCount {
                    throw problem(.exceptions, index, within: 12, "there is no object \(object)")
                }
                exceptions.append(.init(position: position, kind: kind))
                continue
            }
            guard let key = ObjectID(exactly: record.key) else {
                throw problem(.exceptions, index, within: 12, "the key \(record.key) is out of range")
            }
            let place = UInt64(record.firstOutcome) << 32 | UInt64(record.outcomeCount)
            if record.outcomeCount > 0, lists[place] == nil {
                guard let outcomes, Int(record.firstOutcome) == listed,
                    Int(record.outcomeCount) <= outcomes.count - listed
                else {
                    throw problem(
                        .exceptions, index, within: 16, "the outcomes do not follow those before them, or are not there"
                    )
                }
                listed += Int(record.outcomeCount)
                lists[place] = outcomes[Int(record.firstOutcome)..<listed].map { $0 != 0 }
            }
            exceptions.append(
                .init(
                    position: position,
                    kind: .access(
                        isRequest: record.kind == ExceptionRecord.request, key: key, outcomes: lists[place] ?? [])))
        }
        return exceptions
    }
}

extension CompiledFile {
    /// Returns the whole trace: the session if the file contains one, otherwise a trace of the columns. All columns are
    /// checked.
    func trace(_ notes: inout ReadingNotes) throws -> Trace {
        let dense = try dense(.init(), &notes)
        notes.start = start
        let assumed = try column(.assumed, as: UInt8.self)
        let keys = try keys()
        try checkNumbers(dense)
        if let session = try column(.session, as: UInt8.self) {
            let trace: Trace
            do {
                trace =
                    try session.withContiguousStorageIfAvailable { try SessionBytes.decode(UnsafeRawBufferPointer($0)) }
                    ?? Trace()
            } catch let damage as SessionBytes.Damage {
                throw problem(.session, damage.offset, "\(damage.message). Compile the source again")
            }
            guard dense.simulatesLike(DenseTrace(trace)) else {
                throw problem(.session, 0, "the session is not that of the columns. Compile the source again")
            }
            return trace
        }
        try checkHoldsRequestsAlone(dense)
        let objects = keys.indices.map {
            TraceObject(key: keys[$0], bytes: assumed?[$0] == 1 ? nil : dense.size(of: UInt32($0)))
        }
        return Trace(objects: objects, events: dense.appearances())
    }

    /// Returns the requests of a file without a session, on the clock of its source. All columns are checked.
    func requests() throws -> Requests {
        var requests = Requests(windows: input.windows)
        var notes = ReadingNotes()
        let dense = try dense(.init(varying: .insertion), &notes)
        try checkNumbers(dense)
        try checkHoldsRequestsAlone(dense)
        let assumed = try column(.assumed, as: UInt8.self)
        let keys = try keys()
        requests.keys = .texts { KeyTexts(keys) }
        dense.forEachEpoch { epoch, range in
            for index in range {
                let object = dense.objects[index]
                requests.append(
                    object, at: start + epoch.time + Int64(dense.ticks[index]),
                    bytes: assumed?[Int(object)] == 1 ? Requests.unknownSize : dense.size(ofAccess: index))
            }
        }
        return requests
    }

    private func checkHoldsRequestsAlone(_ dense: DenseTrace) throws {
        guard dense.exceptions.isEmpty, dense.variants == nil else {
            throw TraceError(
                file: input.path, at: .byte(12),
                "the column session is missing, although there are events beside requests. Compile the source again")
        }
    }

    private func keys() throws -> [String] {
        let ends = try required(.keyEnds, as: UInt64.self)
        let text = try required(.keyText, as: UInt8.self)
        var start = 0
        var keys: [String] = []
        keys.reserveCapacity(ends.count)
        for (object, end) in ends.enumerated() {
            let end = Int(clamping: end)
            guard end >= start, end <= text.count, object + 1 < ends.count || end == text.count else {
                throw problem(.keyEnds, object, "keys must end one behind the other, the last with the text")
            }
            guard let key = String(validating: text[start..<end], as: UTF8.self) else {
                throw problem(.keyText, start, "the key of object \(object) is not UTF-8")
            }
            keys.append(key)
            start = end
        }
        return keys
    }

    /// Checks that objects are numbered in order of appearance, and that each access names the next of its object.
    private func checkNumbers(_ dense: DenseTrace) throws {
        var last = [Int](repeating: -1, count: objectCount)
        var appeared = 0
        for (index, object) in dense.objects.enumerated() {
            if last[Int(object)] < 0 {
                guard object == appeared else {
                    throw problem(.objects, index, "expected objects numbered in order of first appearance")
                }
                appeared += 1
            } else if let next = dense.nextAccesses?[last[Int(object)]], next != index {
                throw problem(
                    .next, last[Int(object)], "expected the next access of the same object at \(index), found \(next)")
            }
            last[Int(object)] = index
        }
        guard appeared == objectCount else {
            throw problem(.objects, 0, "\(objectCount) objects, of which \(appeared) appear")
        }
        for index in last where dense.nextAccesses?[index] != DenseTrace.noAccess {
            throw problem(.next, index, "expected no later access of the same object")
        }
    }
}

extension DenseTrace {
    /// Returns whether every simulation has the same result with both.
    func simulatesLike(_ other: DenseTrace) -> Bool {
        objects == other.objects && ticks == other.ticks && epochs == other.epochs && sizes == other.sizes
            && requestSizes == other.requestSizes && variants == other.variants
            && exceptions == other.exceptions && uniqueBytes == other.uniqueBytes && requestBytes == other.requestBytes
    }

    /// Returns each access as an `appear` of variant `full`.
    func appearances() -> [TraceEvent] {
        var events: [TraceEvent] = []
        events.reserveCapacity(objects.count)
        forEachEpoch { epoch, range in
            for index in range {
                events.append(
                    TraceEvent(time: epoch.time + Int64(ticks[index]), .appear(ObjectID(objects[index]), .full)))
            }
        }
        return events
    }
}

extension CompiledFile {
    /// Whether the file contains a session, and not only requests.
    var holdsSession: Bool { get throws { try column(.session, as: UInt8.self) != nil } }

    /// Returns columns in place, after checking that every number that is used as an index is in range.
    ///
    /// Columns that are not asked for are neither verified nor paged in.
    func dense(_ options: DenseTrace.Options, _ notes: inout ReadingNotes) throws -> DenseTrace {
        let (usesSizes, columns) = (options.usesSizes, options.columns)
        let objects = try required(.objects, as: UInt32.self)
        try checkObjects(objects)
        let ticks = columns.contains(.times) ? try required(.ticks, as: UInt32.self) : TraceColumn([])
        let epochs = try epochs()
        let next = columns.contains(.nextAccesses) ? try required(.next, as: UInt32.self) : nil
        if let next { try checkNext(next) }
        let variants = try column(.variants, as: UInt8.self)
        if let variants, let wrong = variants.firstIndex(where: { $0 > 1 }) {
            throw problem(.variants, wrong, "expected the variant 0 or 1, found \(variants[wrong])")
        }
        let sizes = usesSizes ? try required(.sizes, as: Int.self) : nil
        if let sizes { try check(sizes, .sizes) }
        var exceptions = try exceptions()
        let prefetches = exceptions.count { if case .access(isRequest: false, _, _) = $0.kind { true } else { false } }
        var requestSizes: TraceColumn<Int>?
        if let sizes, let own = try checkedRequestSizes(exceptions) {
            notes.warnings += options.varying.warnings(
                requests: zip(objects, own).count { object, size in size != sizes[Int(object)] })
            if options.varying != .first { requestSizes = own }
            if options.varying == .latest {
                var latest: [UInt32: Int] = [:]
                exceptions = DenseTrace.resized(objects, sizes: sizes, requestSizes: own, latest: &latest)
            }
        }
        notes.hasSizesByRequest = try !holdsSession
        var trace = DenseTrace(
            objects: objects, ticks: ticks, epochs: epochs, objectCount: objectCount,
            uniqueBytes: sizes?.reduce(0, &+) ?? objectCount,
            requestBytes: requestSizes?.reduce(0, &+) ?? (usesSizes ? requestBytes : accesses - prefetches))
        (trace.sizes, trace.requestSizes, trace.variants) = (sizes, requestSizes, variants)
        (trace.nextAccesses, trace.exceptions) = (next, exceptions)
        trace.lacksSizes = try sizes.map(lacksSizes) ?? false
        if columns.contains(.times) { try checkTicks(trace) }
        return trace
    }

    private func check(_ sizes: TraceColumn<Int>, _ column: CompiledFormat.Column) throws {
        guard let wrong = sizes.firstIndex(where: { $0 < 0 || $0 > TraceLimits.bytes }) else { return }
        throw problem(column, wrong, "expected a size from 0 to \(TraceLimits.bytes) bytes, found \(sizes[wrong])")
    }

    /// Returns the size of each request; nil if all have the size of their object.
    private func checkedRequestSizes(_ exceptions: [DenseTrace.Exception]) throws -> TraceColumn<Int>? {
        guard let sizes = try column(.requestSizes, as: Int.self) else { return nil }
        try check(sizes, .requestSizes)
        guard exceptions.isEmpty else {
            throw problem(.requestSizes, 0, "sizes of requests, although there are events beside them")
        }
        return sizes
    }

    /// Returns whether all sizes are assumed. A size that only a fetch contains is marked as assumed, but is not 1.
    private func lacksSizes(_ sizes: TraceColumn<Int>) throws -> Bool {
        guard let assumed = try column(.assumed, as: UInt8.self) else { return false }
        return assumed.allSatisfy { $0 == 1 } && sizes.allSatisfy { $0 == 1 }
    }

    private func checkObjects(_ objects: TraceColumn<UInt32>) throws {
        let largest = objects.withUnsafeBufferPointer { $0.reduce(0) { max($0, $1) } }
        guard Int(largest) >= objectCount, let wrong = objects.firstIndex(where: { $0 >= objectCount }) else { return }
        throw problem(
            .objects, wrong,
            "expected an object below \(objectCount), found \(objects[wrong]). Compile the source again")
    }

    /// Checks that each next access follows its access.
    private func checkNext(_ next: TraceColumn<UInt32>) throws {
        let count = UInt32(accesses)
        let wrong = next.withUnsafeBufferPointer { next in
            var wrong = 0
            for index in 0..<next.count {
                let isLater = next[index] > UInt32(truncatingIfNeeded: index) && next[index] < count
                wrong &+= isLater || next[index] == DenseTrace.noAccess ? 0 : 1
            }
            return wrong
        }
        guard wrong > 0 else { return }
        for (index, value) in next.enumerated() where value != DenseTrace.noAccess && (value <= index || value >= count)
        {
            throw problem(
                .next, index, "expected the position of a later access, found \(value). Compile the source again")
        }
    }

    private func checkTicks(_ trace: DenseTrace) throws {
        try trace.forEachEpoch { _, range in
            let falls = trace.ticks.withUnsafeBufferPointer { ticks in
                var falls = 0
                // Invariant: epochs lie within the column.
                for index in range.lowerBound..<range.upperBound &- 1 {
                    falls &+= ticks[index &+ 1] < ticks[index] ? 1 : 0
                }
                return falls
            }
            guard falls > 0, let wrong = range.dropFirst().first(where: { trace.ticks[$0] < trace.ticks[$0 - 1] })
            else { return }
            throw problem(.ticks, wrong, "the time falls here. Compile the source again")
        }
        // Across epochs.
        for (one, other) in zip(trace.epochs, trace.epochs.dropFirst())
        where other.time < one.time + Int64(trace.ticks[other.start - 1]) {
            throw problem(.ticks, other.start, "the time falls here. Compile the source again")
        }
    }

    private struct EpochRecord: BitwiseCopyable, Sendable {
        var start: UInt64
        var time: Int64
    }

    private func epochs() throws -> [DenseTrace.Epoch] {
        let records = try required(.epochs, as: EpochRecord.self)
        guard records.isEmpty == (accesses == 0) else {
            throw problem(.epochs, 0, "epochs without accesses, or accesses without")
        }
        var epochs: [DenseTrace.Epoch] = []
        epochs.reserveCapacity(records.count)
        for (index, record) in records.enumerated() {
            let start = Int(clamping: record.start)
            guard index == 0 ? start == 0 : start > epochs[index - 1].start, start < accesses else {
                throw problem(.epochs, index, "epochs must begin with the first access, one behind the other")
            }
            guard record.time >= 0, record.time <= TraceLimits.time else {
                throw problem(.epochs, index, within: 8, "the time \(record.time) is out of range")
            }
            epochs.append(.init(start: start, time: record.time))
        }
        return epochs
    }
}
