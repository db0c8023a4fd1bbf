/// Counts values in buckets whose width grows with the value: below 256 exact, above to within 0.4% (half a bucket of a
/// 128th of an octave). Any number of values in 60 kB, one addition each.
public struct LogHistogram: Sendable, Equatable {
    private static let bits = 7
    /// Buckets per octave.
    private static let octave = 1 << bits

    private var buckets = [Int](repeating: 0, count: (65 - bits) * octave)
    /// The weights' sum; with weight 1, how many values there are.
    public private(set) var count = 0
    public private(set) var minimum: Int64 = 0
    public private(set) var maximum: Int64 = 0
    private var sum = 0.0

    public init() {}

    /// Counts `value`, negative ones as 0, `weight` times.
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

    /// nil without values.
    public var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// The least value that a `share` (0...1) of all values does not exceed, to within the width of a bucket; nil
    /// without values.
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

    /// The cumulative distribution: each bucket that holds something, and the share of values up to it.
    public var curve: [(value: Int64, share: Double)] {
        var seen = 0
        return buckets.enumerated().compactMap { index, weight in
            guard weight > 0 else { return nil }
            seen += weight
            return (representative(index), Double(seen) / Double(count))
        }
    }

    /// The middle of a bucket, within what was really seen.
    private func representative(_ bucket: Int) -> Int64 {
        min(max(Self.low(bucket) + (Self.low(bucket + 1) - Self.low(bucket) - 1) / 2, minimum), maximum)
    }

    private static func bucket(_ value: Int64) -> Int {
        let shift = max(0, 63 - value.leadingZeroBitCount - bits)
        return shift * octave + Int(value >> Int64(shift))
    }

    /// The least value of a bucket.
    private static func low(_ bucket: Int) -> Int64 {
        let shift = max(0, bucket / octave - 1)
        let value = bucket - shift * octave
        let (result, overflow) = Int64(value).multipliedReportingOverflow(by: 1 << Int64(min(shift, 62)))
        return overflow ? .max : result
    }
}
