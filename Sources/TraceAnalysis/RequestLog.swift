import CacheTraces
import SessionModel

/// A trace's requests as the analysis reads them: columns of numbers, without events and keys.
///
/// An object here is what a cache keeps apart, a key in one variant, numbered 0, 1, 2 … in order of its first request.
/// Prefetches are no requests, and sizes that nobody recorded stay unknown: a figure about them would be invented.
public struct RequestLog: Sendable {
    /// The object of each request.
    public private(set) var objects: [UInt32] = []
    /// Microseconds, of each request; never falling.
    public private(set) var times: [Int64] = []
    /// Bytes, by object; ``unknownSize`` where the trace does not say.
    public private(set) var sizes: [Int] = []
    /// By object.
    public private(set) var variants: [Variant] = []
    /// The times of the trace's first and last event, requests or not.
    public private(set) var span: ClosedRange<Int64> = 0...0

    public static let unknownSize = RequestFile.unknownSize

    public var count: Int { objects.count }
    public var objectCount: Int { sizes.count }

    /// Whether the times are a clock's. Formats without times put requests a millisecond apart, or all at one instant.
    public var hasTimes: Bool {
        guard count > 1, let first = times.first else { return true }
        let step = times[1] - first
        guard step == 0 || step == RequestFile.timeStep else { return true }
        return !zip(times, times.dropFirst()).allSatisfy { $1 - $0 == step }
    }

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

    /// Converts the columns of a file that holds only requests.
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

    /// For tests and models: requests of variant `full` at the given times, or one per second.
    public init(objects: [UInt32], sizes: [Int], times: [Int64]? = nil) {
        self.objects = objects
        self.sizes = sizes
        self.times = times ?? objects.indices.map { Int64($0) * 1_000_000 }
        variants = [Variant](repeating: .full, count: sizes.count)
        if let first = self.times.first, let last = self.times.last { span = first...max(first, last) }
    }

    /// How often each object is requested.
    func requestsByObject() -> [UInt32] {
        var counts = [UInt32](repeating: 0, count: objectCount)
        // Invariant of this type: every number is below objectCount.
        counts.withUnsafeMutableBufferPointer { counts in
            for object in objects { counts[Int(object)] &+= 1 }
        }
        return counts
    }
}
