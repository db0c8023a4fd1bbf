import SessionModel

/// The columns of a file that holds only requests.
///
/// The object, the time and the position of the next access of each request are in temporary files, 12 bytes each,
/// unless the requests fit in a window. So is the size of a request, in 16 bytes, if it differs from its object's size.
/// The columns of objects are in memory. Every column is written in blocks.
final class CompiledRequests {
    private let accesses: SpooledColumn
    private let ticks: SpooledColumn
    private let next: SpooledColumn
    private let otherSizes: OtherSizes
    /// The time of the first request on the clock of the file.
    let start: Int64
    private var epochs: [DenseTrace.Epoch] = []
    private let keys: RequestKeys.Made
    /// The bytes of each object; `Requests.unknownSize` if no request contains them.
    private let sizes: TraceColumn<Int>
    /// The size of objects of unknown size: the median of the others.
    private let assumedSize: Int
    private(set) var requestBytes = 0

    var count: Int { accesses.count }
    var objectCount: Int { sizes.count }

    /// - Parameter firstSizes: Whether each request gets the first size of its object.
    /// - Throws: `TraceError`, also if there is no room for temporary files; `FileError` without a folder for them.
    init(
        _ input: TraceInput, _ format: TraceFormat, window: Int, firstSizes: Bool, _ notes: inout ReadingNotes
    ) throws {
        func column() -> SpooledColumn { SpooledColumn(path: input.path, window: window) }
        let (accesses, ticks, next) = (column(), column(), column())
        let otherSizes = OtherSizes(path: input.path, window: window)
        var epochs = EpochJoin()
        let requests = try RequestWindows.read(
            input, format, window: window, keeping: firstSizes ? nil : otherSizes, &notes
        ) { requests in
            try requests.objects.withUnsafeBufferPointer {
                try accesses.append($0)
                try next.append($0)
            }
            try epochs.append(requests, to: ticks)
        }
        notes.warnings += requests.warnings(varying: firstSizes ? .first : nil)
        notes.warnRemovals(requests.removalCount)
        (self.otherSizes, start) = (otherSizes, requests.start)
        let (keys, sizes) = requests.objectColumns()
        let assumedSize = Self.median(ofKnown: sizes)
        var bytes = 0
        try sizes.withUnsafeBufferPointer { sizes in
            // Invariant: objects are below the number of sizes.
            try next.replaceObjectsByNext(objectCount: sizes.count) { object in
                bytes &+= sizes[object] == Requests.unknownSize ? assumedSize : sizes[object]
            }
        }
        (self.accesses, self.ticks, self.next, self.epochs) = (accesses, ticks, next, epochs.epochs)
        (self.keys, self.sizes, self.assumedSize, requestBytes) = (keys, sizes, assumedSize, bytes)
    }

    /// Returns the median of the known sizes; 1 if there is none, and if all are known.
    private static func median(ofKnown sizes: TraceColumn<Int>) -> Int {
        guard sizes.contains(Requests.unknownSize) else { return 1 }
        let known = sizes.filter { $0 != Requests.unknownSize }.sorted()
        return known.isEmpty ? 1 : known[known.count / 2]
    }

    func columns() -> [(CompiledFormat.Column, CompiledPart)] {
        var columns: [(CompiledFormat.Column, CompiledPart)] = [
            (.objects, Self.part(accesses)), (.ticks, Self.part(ticks)),
            (.epochs, CompiledPart(epochs.flatMap { [Int64($0.start), $0.time] })),
            (.sizes, sizesPart()), (.next, Self.part(next)),
        ]
        if sizes.contains(Requests.unknownSize) { columns.append((.assumed, assumedPart())) }
        columns += keyColumns()
        if !otherSizes.isEmpty { columns.append((.requestSizes, requestSizesPart())) }
        return columns
    }

    private static func part(_ column: SpooledColumn) -> CompiledPart {
        CompiledPart(count: column.count * MemoryLayout<UInt32>.stride) { body in
            try column.forEachWindow { try body(UnsafeRawBufferPointer($0)) }
        }
    }

    private func sizesPart() -> CompiledPart {
        CompiledPart(
            count: objectCount * MemoryLayout<Int>.stride,
            writing: { [self] output in
                for object in 0..<objectCount { try output.append(little: size(of: object)) }
            })
    }

    private func size(of object: Int) -> Int {
        sizes[object] == Requests.unknownSize ? assumedSize : sizes[object]
    }

    private func requestSizesPart() -> CompiledPart {
        CompiledPart(
            count: count * MemoryLayout<Int>.stride,
            writing: { [self] output in
                var others = try OtherSizes.Reader(otherSizes)
                var position = 0
                try accesses.forEachWindow { objects in
                    for object in objects {
                        let own = try others.bytes(ofRequest: position)
                        try output.append(little: own ?? size(of: Int(object)))
                        position += 1
                    }
                }
            })
    }

    private func assumedPart() -> CompiledPart {
        CompiledPart(
            count: objectCount,
            writing: { [sizes] output in
                for size in sizes { try output.append(size == Requests.unknownSize ? 1 : 0 as UInt8) }
            })
    }

    /// Returns the ends of the keys in their text, and the text.
    private func keyColumns() -> [(CompiledFormat.Column, CompiledPart)] {
        let (ends, text): ((inout BlockWriter) throws -> Void, (inout BlockWriter) throws -> Void)
        var length = 0
        switch keys {
        case .numbers(let numbers):
            for number in numbers { length += Self.digits(number) }
            ends = { output in try Self.append(endsOf: numbers.indices, &output) { Self.digits(numbers[$0]) } }
            text = { output in for number in numbers { try output.append(decimal: number) } }
        case .texts(let texts):
            let objects = 0..<texts.count
            for object in objects { length += texts.withBytes(of: object) { $0.count } }
            ends = { output in
                try Self.append(endsOf: objects, &output) { texts.withBytes(of: $0) { $0.count } }
            }
            text = { output in for object in objects { try texts.withBytes(of: object) { try output.append($0) } } }
        }
        return [
            (.keyEnds, CompiledPart(count: objectCount * MemoryLayout<UInt64>.stride, writing: ends)),
            (.keyText, CompiledPart(count: length, writing: text)),
        ]
    }

    private static func append(
        endsOf objects: Range<Int>, _ output: inout BlockWriter, length: (Int) -> Int
    ) throws {
        var end: UInt64 = 0
        for object in objects {
            end += UInt64(length(object))
            try output.append(little: end)
        }
    }

    private static func digits(_ number: UInt64) -> Int {
        var (count, rest) = (1, number / 10)
        while rest > 0 {
            count += 1
            rest /= 10
        }
        return count
    }
}

/// Joins the epochs of windows to the epochs of the whole trace. Each window begins an epoch of its own.
private struct EpochJoin {
    private(set) var epochs: [DenseTrace.Epoch] = []

    /// Appends the times of a window as microseconds from the start of their epoch in the whole trace.
    ///
    /// - Throws: `TraceError` if the disk is full; `FileError` without a folder for temporary files.
    mutating func append(_ window: DenseTrace, to ticks: SpooledColumn) throws {
        let first = ticks.count
        try window.ticks.withUnsafeBufferPointer { own in
            // Invariant: epochs lie within the column.
            try window.forEachEpoch { epoch, range in
                for index in range {
                    let time = epoch.time &+ Int64(own[index])
                    if epochs.last.map({ time - $0.time > Int64(UInt32.max) }) ?? true {
                        epochs.append(DenseTrace.Epoch(start: first + index, time: time))
                    }
                    try ticks.append(UInt32(truncatingIfNeeded: time &- (epochs.last?.time ?? time)))
                }
            }
        }
    }
}
