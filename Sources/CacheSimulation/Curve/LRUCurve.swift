import CachePolicies
import CacheTraces

/// The miss ratio of LRU at every capacity, from one pass over a trace.
///
/// LRU keeps the front of its stack, so a request hits in every cache that reaches down to the object's last access,
/// and a histogram of these distances gives all miss ratios (Mattson et al., 1970, see ``LRUStack``). From a sampled
/// trace the curve is an estimate: SHARDS, see ``ObjectSample``.
///
/// In objects the curve is exact at every capacity. In bytes it is exact at the capacities that it lists, which are the
/// requested ones and 32 to each doubling, as long as they are not below ``exactFrom``: LRU refuses an object larger
/// than the whole cache, which therefore evicts nothing, while on the stack it stands in front of the others. Below,
/// the curve is slightly too high.
///
/// The curve assumes that fetches that failed in a recording succeeded: which of an object's fetches fail depends on
/// the capacity.
public struct LRUCurve: Sendable {
    public let unit: CapacityUnit
    /// The requests of the whole trace, also if a sample of it was read.
    public let requests: Int
    public let requestBytes: Int
    /// The least capacity at which nothing is refused: the largest object in bytes, 0 in objects.
    public let exactFrom: Int
    /// The share of the objects that was sampled; 1 if the curve is exact.
    public let rate: Double

    /// In bytes: the capacities that are counted exactly, rising; in objects every capacity from 0 to the number of
    /// objects is.
    private let rungs: [Int]?
    /// By capacity, of the sampled objects.
    private let misses: [Int]
    private let missBytes: [Int]

    /// - Parameter capacities: The capacities in bytes at which the curve is exact, besides the capacities of its own
    ///   ladder.
    public init(_ trace: DenseTrace, unit: CapacityUnit, exactAt capacities: [Int] = []) {
        self.init(trace, of: (trace.requestCount, trace.requestBytes), unit: unit, rate: 1, exactAt: capacities)
    }

    /// Creates an estimate from a sample of `trace`: SHARDS with its count correction.
    public init(_ trace: DenseTrace, unit: CapacityUnit, sample: ObjectSample, exactAt capacities: [Int] = []) {
        self.init(
            trace.sampled(sample, keepsTimes: false), of: (trace.requestCount, trace.requestBytes), unit: unit,
            rate: sample.rate, exactAt: capacities)
    }

    /// Creates an estimate from a sample that was drawn while the trace was read.
    ///
    /// - Parameters:
    ///   - whole: The requests of the whole trace, and their bytes.
    ///   - capacities: The capacities in bytes at which the curve is counted, besides the capacities of its own ladder.
    public init(
        _ drawn: WindowedSamples.Drawn, of whole: (requests: Int, bytes: Int), unit: CapacityUnit,
        exactAt capacities: [Int] = []
    ) {
        self.init(drawn.trace, of: whole, unit: unit, rate: drawn.sample.rate, exactAt: capacities)
    }

    /// Creates the curve of a trace that is read in windows, for the second time.
    ///
    /// - Parameters:
    ///   - totals: The requests and objects of the trace, from the first time.
    ///   - capacities: The capacities in bytes at which the curve is exact, besides the capacities of its own ladder.
    ///   - read: Calls its argument with each window.
    /// - Throws: What `read` throws.
    public init(
        of totals: WindowedSamples, unit: CapacityUnit, exactAt capacities: [Int] = [],
        reading read: ((DenseTrace) -> Void) throws -> Void
    ) throws {
        self.unit = unit
        (requests, requestBytes, rate) = (totals.requests, totals.requestBytes, 1)
        let (count, sizes, all) = (totals.objectCount, totals.objectSizes, (requests, requestBytes))
        switch unit {
        case .objects:
            exactFrom = 0
            rungs = nil
            let histogram = try DenseTrace.measured(ObjectHistogram(count, sizes), MarkRow.self, objects: count, read)
            (misses, missBytes) = Self.behind(histogram.finished(), all)
        case .bytes:
            exactFrom = sizes?.max() ?? 1
            let scale = CapacityScale(upTo: Int(min(Double(totals.uniqueBytes), 0x1p61)), and: capacities)
            rungs = scale.rungs
            let histogram = try DenseTrace.measured(
                ByteHistogram(scale, spread: 1), WeightRow.self, objects: count, read)
            (misses, missBytes) = Self.behind(histogram.finished(), all)
        }
    }

    private init(
        _ trace: DenseTrace, of whole: (requests: Int, bytes: Int), unit: CapacityUnit, rate: Double,
        exactAt capacities: [Int]
    ) {
        self.unit = unit
        (requests, requestBytes) = whole
        self.rate = rate
        switch unit {
        case .objects:
            exactFrom = 0
            rungs = nil
            let histogram = trace.measured(ObjectHistogram(trace.objectCount, trace.sizes), MarkRow.self)
            (misses, missBytes) = Self.behind(histogram.finished(), (trace.requestCount, trace.requestBytes))
        case .bytes:
            exactFrom = trace.sizes?.max() ?? 1
            let whole = Int(min(Double(trace.uniqueBytes) / rate, 0x1p61))
            let scale = CapacityScale(upTo: whole, and: capacities)
            rungs = scale.rungs
            let histogram = trace.measured(ByteHistogram(scale, spread: 1 / rate), WeightRow.self)
            (misses, missBytes) = Self.behind(histogram.finished(), (trace.requestCount, trace.requestBytes))
        }
    }

    /// Returns the misses at each capacity: all requests but the hits there and at lower capacities.
    private static func behind(
        _ hits: (counts: [Int], bytes: [Int]), _ all: (requests: Int, bytes: Int)
    ) -> (misses: [Int], bytes: [Int]) {
        var (misses, bytes) = all
        let behind = zip(hits.counts, hits.bytes).map { count, size in
            misses -= count
            bytes -= size
            return (misses, bytes)
        }
        return (behind.map(\.0), behind.map(\.1))
    }

    /// Returns the misses of an LRU cache of this capacity, rounded if they are estimated.
    public func misses(at capacity: Int) -> Int { whole(misses, at: capacity, of: requests) }

    public func missBytes(at capacity: Int) -> Int { whole(missBytes, at: capacity, of: requestBytes) }

    public func missRatio(at capacity: Int) -> Double {
        estimate(misses, at: capacity, of: requests) / Double(max(1, requests))
    }

    public func byteMissRatio(at capacity: Int) -> Double {
        estimate(missBytes, at: capacity, of: requestBytes) / Double(max(1, requestBytes))
    }

    /// The least known capacity at which only first requests miss.
    public var fullCapacity: Int {
        let least = misses.last ?? 0
        let place = misses.firstIndex { $0 == least } ?? 0
        return rungs?[place] ?? Int((Double(place) / rate).rounded(.up))
    }

    private func whole(_ column: [Int], at capacity: Int, of all: Int) -> Int {
        Int(estimate(column, at: capacity, of: all).rounded())
    }

    /// Sampled requests stand for `1 / rate` each. The excess or lack of requests in the sample, relative to its share
    /// of the whole trace, is nearly all of a few popular objects, which hit at any capacity. Only the misses are
    /// therefore scaled, which is the count correction of SHARDS-adj.
    private func estimate(_ column: [Int], at capacity: Int, of all: Int) -> Double {
        guard capacity >= 0, !column.isEmpty else { return Double(all) }
        if let rungs {
            let place = CapacityScale.index(notAbove: capacity, in: rungs)
            return min(Double(column[place]) / rate, Double(all))
        }
        guard rate < 1 else { return Double(column[min(capacity, column.count - 1)]) }
        // Between two sampled objects lie 1 / rate others.
        let place = min(Double(capacity) * rate, Double(column.count - 1))
        let below = Int(place)
        let above = min(below + 1, column.count - 1)
        let value = Double(column[below]) + (place - Double(below)) * Double(column[above] - column[below])
        return min(value / rate, Double(all))
    }
}

/// Counts requests by the least capacity at which they hit.
protocol DistanceHistogram: ~Copyable {
    /// Counts a request. `others` is the weight of the objects accessed since the object's last access, `own` its own.
    func count(_ object: Int, others: Int, own: Int)

    consuming func finished() -> (counts: [Int], bytes: [Int])
}

/// A histogram by the number of objects.
struct ObjectHistogram: DistanceHistogram, ~Copyable {
    private let counts: UnsafeMutableBufferPointer<UInt32>
    private let bytes: UnsafeMutableBufferPointer<Int>
    private let sizes: TraceColumn<Int>?

    init(_ objectCount: Int, _ sizes: TraceColumn<Int>?) {
        counts = .allocate(capacity: objectCount + 1)
        counts.initialize(repeating: 0)
        bytes = .allocate(capacity: sizes == nil ? 0 : objectCount + 1)
        bytes.initialize(repeating: 0)
        self.sizes = sizes
    }

    deinit {
        counts.deallocate()
        bytes.deallocate()
    }

    /// At most 2^32 - 1 accesses are in a trace.
    @inline(__always)
    func count(_ object: Int, others: Int, own: Int) {
        let (counts, bytes) = (self.counts, self.bytes)  // See ByteHistogram.
        counts[others &+ own] &+= 1
        if let sizes { bytes[others &+ own] &+= sizes[object] }
    }

    consuming func finished() -> (counts: [Int], bytes: [Int]) {
        let all = counts.map(Int.init)
        return (all, sizes == nil ? all : Array(bytes))
    }
}

/// A histogram by bytes. `spread` is the number of objects that each sampled one stands for; the requested object
/// itself counts once.
struct ByteHistogram: DistanceHistogram, ~Copyable {
    private let scale: CapacityScale
    private let spread: Double
    private let counts: UnsafeMutableBufferPointer<Int>
    private let bytes: UnsafeMutableBufferPointer<Int>

    init(_ scale: CapacityScale, spread: Double) {
        self.scale = scale
        self.spread = spread
        counts = .allocate(capacity: scale.rungs.count + 1)
        counts.initialize(repeating: 0)
        bytes = .allocate(capacity: scale.rungs.count + 1)
        bytes.initialize(repeating: 0)
    }

    deinit {
        counts.deallocate()
        bytes.deallocate()
    }

    @inline(__always)
    func count(_ object: Int, others: Int, own: Int) {
        let others = spread == 1 ? others : Int(Double(others) * spread)
        let place = scale.place(of: others &+ own)
        // Swift 6.3 compiles no change through a buffer of a borrowed structure with the thread sanitizer.
        let (counts, bytes) = (self.counts, self.bytes)
        counts[place] &+= 1
        bytes[place] &+= own
    }

    /// Returns the counts without the last place, which holds the requests that hit at no rung.
    consuming func finished() -> (counts: [Int], bytes: [Int]) { (counts.dropLast(), bytes.dropLast()) }
}

extension DenseTrace {
    /// The number of requests. Prefetches are accesses, but not requests.
    public var requestCount: Int {
        objects.count - exceptions.count { if case .access(isRequest: false, _, _) = $0.kind { true } else { false } }
    }

    /// Whether fetches failed in the recording. A curve assumes that they succeeded.
    public var hasFailedFetches: Bool {
        exceptions.contains { if case .access(_, _, let outcomes) = $0.kind { !outcomes.isEmpty } else { false } }
    }

    /// Walks through the trace once and counts every request that is not its object's first.
    func measured<Row: RecencyRow & ~Copyable, Histogram: DistanceHistogram & ~Copyable>(
        _ histogram: consuming Histogram, _ row: Row.Type
    ) -> Histogram {
        var stack = LRUStack<Row>(objectCount: objectCount)
        walk(&stack, histogram)
        return histogram
    }

    /// Walks through the windows of a trace, and counts every request that is not its object's first.
    ///
    /// - Parameters:
    ///   - objectCount: The number of objects in all windows.
    ///   - read: Calls its argument with each window.
    static func measured<Row: RecencyRow & ~Copyable, Histogram: DistanceHistogram & ~Copyable>(
        _ histogram: consuming Histogram, _ row: Row.Type, objects objectCount: Int,
        _ read: ((DenseTrace) -> Void) throws -> Void
    ) throws -> Histogram {
        var stack = LRUStack<Row>(objectCount: objectCount)
        let counted = histogram
        try read { window in window.walk(&stack, counted) }
        return counted
    }

    @inline(__always)
    private func walk<Row: RecencyRow & ~Copyable, Histogram: DistanceHistogram & ~Copyable>(
        _ stack: inout LRUStack<Row>, _ histogram: borrowing Histogram
    ) {
        objects.withUnsafeBufferPointer { objects in
            let sizes = sizes?.withUnsafeBufferPointer { $0.baseAddress }
            var position = 0
            for exception in exceptions {
                stack.walk(objects, position..<exception.position, sizes, histogram)
                position = exception.position
                switch exception.kind {
                case .memoryWarning, .relaunch: stack.removeAll()
                case .removal(let object): stack.remove(Int(object))
                case .access, .resized:
                    let object = Int(objects[position])
                    if let found = stack.access(object, weight: { sizes?[object] ?? 1 }), exception.kind.isRequest {
                        histogram.count(object, others: found.others, own: found.own)
                    }
                    position += 1
                }
            }
            stack.walk(objects, position..<objects.count, sizes, histogram)
        }
        withExtendedLifetime(sizes) {}
    }
}

extension LRUStack where Row: ~Copyable {
    @inline(__always)
    mutating func walk<Histogram: DistanceHistogram & ~Copyable>(
        _ objects: UnsafeBufferPointer<UInt32>, _ range: Range<Int>, _ sizes: UnsafePointer<Int>?,
        _ histogram: borrowing Histogram
    ) {
        for index in range {
            let object = Int(objects[index])
            guard let found = access(object, weight: { sizes?[object] ?? 1 }) else { continue }
            histogram.count(object, others: found.others, own: found.own)
        }
    }
}
