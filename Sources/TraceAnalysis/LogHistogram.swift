import Foundation
import SessionModel

/// A histogram with buckets whose width grows with the value: exact below 256, within 0.4 % above (half a bucket of a
/// 128th of an octave). It takes 60 kB for any number of values.
public struct LogHistogram: Sendable, Equatable {
    private static let bits = 7
    /// The number of buckets per octave.
    private static let octave = 1 << bits

    private var buckets = [Int](repeating: 0, count: (65 - bits) * octave)
    /// The sum of the weights; with weight 1, the number of values.
    public private(set) var count = 0
    /// The least value.
    public private(set) var minimum: Int64 = 0
    /// The greatest value.
    public private(set) var maximum: Int64 = 0
    private var sum = 0.0

    public init() {}

    /// Counts `value` with a weight. Negative values count as 0.
    @inline(__always)
    public mutating func add(_ value: Int64, weight: Int = 1) {
        let value = max(0, value)
        if count == 0 {
            (minimum, maximum) = (value, value)
        } else if value > maximum {
            maximum = value
        } else if value < minimum {
            minimum = value
        }
        buckets[Self.bucket(value)] &+= weight
        count += weight
        sum += Double(value) * Double(weight)
    }

    public mutating func add(_ other: LogHistogram) {
        guard other.count > 0 else { return }
        (minimum, maximum) =
            count == 0
            ? (other.minimum, other.maximum) : (min(minimum, other.minimum), max(maximum, other.maximum))
        for bucket in buckets.indices { buckets[bucket] &+= other.buckets[bucket] }
        count += other.count
        sum += other.sum
    }

    /// The mean; nil without values.
    public var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// Returns the least value that a `share` (0...1) of all values does not exceed, with the precision of a bucket;
    /// nil without values.
    public func quantile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (index, weight) in buckets.enumerated() where weight > 0 {
            seen += weight
            if seen >= rank { return representative(index) }
        }
        return maximum
    }

    /// Returns the middle of a bucket, limited to the least and greatest value.
    private func representative(_ bucket: Int) -> Int64 {
        min(max(Self.low(bucket) + (Self.low(bucket + 1) - Self.low(bucket) - 1) / 2, minimum), maximum)
    }

    private static func bucket(_ value: Int64) -> Int {
        let shift = max(0, 63 - value.leadingZeroBitCount - bits)
        return shift * octave + Int(value >> Int64(shift))
    }

    /// Returns the least value of a bucket.
    private static func low(_ bucket: Int) -> Int64 {
        let shift = max(0, bucket / octave - 1)
        let value = bucket - shift * octave
        let (result, overflow) = Int64(value).multipliedReportingOverflow(by: 1 << Int64(min(shift, 62)))
        return overflow ? .max : result
    }
}

/// The distributions of the microseconds between requests.
public struct InterArrivals: Sendable, Equatable {
    /// The time from each request to the next, of any object.
    public private(set) var byRequest = LogHistogram()
    /// The time from each request of an object to the next of the same object.
    public private(set) var byObject = LogHistogram()

    /// Measures the times of a log.
    public init(_ log: RequestLog) {
        var last = [Int64](repeating: .min, count: log.objectCount)
        var before: Int64?
        for (object, time) in zip(log.objects, log.times) {
            if let before { byRequest.add(time - before) }
            before = time
            let earlier = last[Int(object)]
            if earlier != .min { byObject.add(time - earlier) }
            last[Int(object)] = time
        }
    }
}

public struct ObjectSizeStatistics: Sendable, Equatable {
    public var variant: Variant
    public var objects: Int
    /// The number of objects without a recorded size, which the figures exclude.
    public var unknown: Int
    /// The known sizes in rising order.
    public var sorted: [Int]

    /// Returns the sizes of each variant that is requested.
    public static func byVariant(_ log: RequestLog) -> [ObjectSizeStatistics] {
        Variant.allCases.compactMap { variant in
            let sizes = zip(log.sizes, log.variants).filter { $1 == variant }.map { $0.0 }
            guard !sizes.isEmpty else { return nil }
            let known = sizes.filter { $0 != RequestLog.unknownSize }.sorted()
            return ObjectSizeStatistics(
                variant: variant, objects: sizes.count, unknown: sizes.count - known.count, sorted: known)
        }
    }

    /// Returns the size that a share of the objects does not exceed (nearest rank); nil if no size is known.
    public func quantile(_ share: Double) -> Int? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }

    /// The mean size; nil if no size is known.
    public var mean: Double? { sorted.isEmpty ? nil : Double(sorted.reduce(0, +)) / Double(sorted.count) }

    /// The standard deviation of ln(bytes): the spread of a log-normal distribution, which encoded images resemble.
    /// Excludes objects of 0 bytes; nil for fewer than two objects.
    public var spread: Double? {
        let logarithms = sorted.filter { $0 > 0 }.map { log(Double($0)) }
        guard logarithms.count > 1 else { return nil }
        let mean = logarithms.reduce(0, +) / Double(logarithms.count)
        return (logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(logarithms.count - 1)).squareRoot()
    }
}
