import CacheTraces
import SessionModel

/// The requests of a trace as columns of numbers, without events and keys.
///
/// An object here is a key in one variant, which is what a cache stores separately, numbered 0, 1, 2 … in order of its
/// first request. Prefetches are not requests. Sizes that were not recorded stay unknown.
public struct RequestLog: Sendable {
    public private(set) var objects: [UInt32] = []
    /// The microseconds of each request, never falling.
    public private(set) var times: [Int64] = []
    /// The bytes of each object; ``unknownSize`` if they were not recorded.
    public private(set) var sizes: [Int] = []
    public private(set) var variants: [Variant] = []
    /// The times of the first and the last event of the trace, of any kind.
    public private(set) var span: ClosedRange<Int64> = 0...0

    /// Marks an unknown size.
    public static let unknownSize = RequestFile.unknownSize

    public var count: Int { objects.count }
    public var objectCount: Int { sizes.count }

    /// Whether the times were recorded. Readers of formats without times put requests 1 ms apart, or all at one time.
    public var hasTimes: Bool {
        guard count > 1, let first = times.first else { return true }
        let step = times[1] - first
        guard step == 0 || step == RequestFile.timeStep else { return true }
        return !zip(times, times.dropFirst()).allSatisfy { $1 - $0 == step }
    }

    /// Extracts the requests of a session.
    public init(_ trace: Trace) {
        var numbers = [UInt32?](repeating: nil, count: trace.objects.count * Variant.allCases.count)
        let bytes = trace.objects.map { $0.bytes ?? Self.unknownSize }
        for event in trace.events {
            guard case .appear(let key, let variant) = event.action, bytes.indices.contains(Int(key)) else { continue }
            let place = Int(key) * Variant.allCases.count + Int(variant.rawValue)
            let number = numbers[place] ?? UInt32(sizes.count)
            if numbers[place] == nil {
                numbers[place] = number
                sizes.append(bytes[Int(key)])
                variants.append(variant)
            }
            objects.append(number)
            times.append(event.time)
        }
        if let first = trace.events.first, let last = trace.events.last {
            span = first.time...max(first.time, last.time)
        }
    }

    init(_ columns: RequestFile) {
        sizes = columns.sizes
        variants = [Variant](repeating: .full, count: sizes.count)
        let dense = columns.trace
        objects = Array(dense.objects)
        times.reserveCapacity(objects.count)
        dense.forEachEpoch { epoch, positions in
            for position in positions { times.append(epoch.time + Int64(dense.ticks[position])) }
        }
        if let first = times.first, let last = times.last { span = first...max(first, last) }
    }

    /// Creates a log of requests of variant `full`, at the given times or one per second.
    public init(objects: [UInt32], sizes: [Int], times: [Int64]? = nil) {
        self.objects = objects
        self.sizes = sizes
        self.times = times ?? objects.indices.map { Int64($0) * 1_000_000 }
        variants = [Variant](repeating: .full, count: sizes.count)
        if let first = self.times.first, let last = self.times.last { span = first...max(first, last) }
    }

    func requestsByObject() -> [UInt32] {
        var counts = [UInt32](repeating: 0, count: objectCount)
        // Invariant of this type: every number is below objectCount.
        counts.withUnsafeMutableBufferPointer { counts in
            for object in objects { counts[Int(object)] &+= 1 }
        }
        return counts
    }
}
