/// The part of a trace that is read in windows: some requests that follow each other, as if a cache saw no others.
///
/// Objects get new numbers in order of their first appearance in the part, so that a window of the part equals the same
/// requests of ``DenseTrace/part(requests:)``. The memory grows with the objects that were seen.
public struct WindowedPart {
    /// The requests of the part, by their numbers in the trace.
    private let requests: Range<Int>
    /// The requests of all windows so far, with those that are left out.
    public private(set) var read = 0
    /// By object of the trace: its number in the part; ``DenseTrace/noAccess`` if it has none.
    private var numbers: [UInt32] = []
    /// By object of the part.
    private var sizes: [Int] = []
    private var variants: [UInt8] = []
    private var objectCount = 0

    /// - Parameters:
    ///   - skipped: The number of requests before the part.
    ///   - count: The number of requests of the part at most; nil for all behind the skipped ones.
    public init(skipping skipped: Int, first count: Int?) {
        let (end, overflow) = skipped.addingReportingOverflow(count ?? .max)
        requests = skipped..<(overflow ? .max : end)
    }

    /// Whether the part needs no further window.
    public var isComplete: Bool { read >= requests.upperBound }

    /// Calls `body` with the part of the next window. The trace that `body` receives is valid only within the call.
    ///
    /// - Returns: What `body` returns; nil if the window has no request of the part.
    /// - Complexity: O(n) in the number of accesses of the window.
    public mutating func withPart<R>(of window: DenseTrace, _ body: (DenseTrace) throws -> R) rethrows -> R? {
        let prefetches = window.prefetchPositions
        let (count, read) = (window.objects.count, read)
        func position(_ request: Int) -> Int {
            min(DenseTrace.position(ofRequest: min(max(0, request - read), count), prefetches), count)
        }
        let range = position(requests.lowerBound)..<position(requests.upperBound)
        self.read += count - prefetches.count
        guard !range.isEmpty else { return nil }
        var part = renumbered(window, range)
        return try sizes.withUnsafeBufferPointer { sizes in
            try variants.withUnsafeBufferPointer { variants in
                if window.sizes != nil { part.sizes = TraceColumn(sizes, owner: nil) }
                if window.variants != nil { part.variants = TraceColumn(variants, owner: nil) }
                return try body(part)
            }
        }
    }

    /// Returns some accesses of a window, without the sizes and variants of their objects.
    private mutating func renumbered(_ window: DenseTrace, _ range: Range<Int>) -> DenseTrace {
        if numbers.count < window.objectCount {
            numbers += Array(repeating: DenseTrace.noAccess, count: window.objectCount - numbers.count)
        }
        var objects = ColumnBuilder<UInt32>()
        var ticks = ColumnBuilder<UInt32>()
        for access in range {
            let object = window.objects[access]
            if numbers[Int(object)] == DenseTrace.noAccess {
                numbers[Int(object)] = UInt32(truncatingIfNeeded: objectCount)
                objectCount += 1
                if let column = window.sizes { sizes.append(column[Int(object)]) }
                if let column = window.variants { variants.append(column[Int(object)]) }
            }
            objects.append(numbers[Int(object)])
            if window.hasTimes { ticks.append(window.ticks[access]) }
        }
        let exceptions = window.exceptions.compactMap { exception -> DenseTrace.Exception? in
            guard range.contains(exception.position) else { return nil }
            var moved = exception
            moved.position -= range.lowerBound
            guard case .removal(let object) = exception.kind else { return moved }
            let number = Int(object) < numbers.count ? numbers[Int(object)] : DenseTrace.noAccess
            moved.kind = .removal(object: number)
            return number == DenseTrace.noAccess ? nil : moved
        }
        var bytes = range.reduce(0) { $0 &+ window.size(ofAccess: $1) }
        for position in window.prefetchPositions where range.contains(position) {
            bytes &-= window.size(ofAccess: position)
        }
        var part = DenseTrace(
            objects: objects.finish(), ticks: ticks.finish(), epochs: Self.epochs(of: window, range),
            objectCount: objectCount, uniqueBytes: 0, requestBytes: bytes)
        part.requestSizes = window.requestSizes.map { column in TraceColumn(range.map { column[$0] }) }
        part.exceptions = exceptions
        part.lacksSizes = window.lacksSizes
        return part
    }

    /// Returns the epochs of some accesses, which keep their times.
    private static func epochs(of window: DenseTrace, _ range: Range<Int>) -> [DenseTrace.Epoch] {
        var epochs: [DenseTrace.Epoch] = []
        window.forEachEpoch { epoch, own in
            guard own.overlaps(range) else { return }
            epochs.append(DenseTrace.Epoch(start: max(0, epoch.start - range.lowerBound), time: epoch.time))
        }
        return epochs
    }
}
