/// The rates of a link that were measured at equal intervals. After the last interval, the first one follows again.
public struct MeasuredLink: Codable, Sendable, Hashable {
    /// The nanoseconds of an interval.
    public let interval: Int64
    /// The bytes that the link delivers in each interval. One of them is above 0.
    public let bytes: [Double]

    /// The largest number of intervals.
    public static let mostIntervals = (1 << 24) - 1

    /// Returns nil without intervals, for more than ``mostIntervals``, for an interval that is not above 0 or longer
    /// than 2^38 ns, for a number of bytes that is negative or not below 10^15, and for a link that never delivers
    /// anything.
    public init?(interval: Int64, bytes: [Double]) {
        guard interval > 0, interval <= 1 << 38, bytes.count <= Self.mostIntervals,
            bytes.allSatisfy({ $0 >= 0 && $0 < 1e15 }), bytes.contains(where: { $0 > 0 })
        else { return nil }
        self.interval = interval
        self.bytes = bytes
    }

    /// The mean rate in bytes per second.
    public var mean: Double { bytes.reduce(0, +) / (Double(bytes.count) * Double(interval) / 1e9) }

    /// The rate over time.
    var rate: LinkRate {
        var segments: [LinkRate.Segment] = []
        for (index, bytes) in bytes.enumerated() {
            // A rate is above 0: at this one, a byte takes 30 years.
            let rate = max(bytes / Double(interval), 1e-18)
            if segments.last?.rate != rate { segments.append(.init(start: Int64(index) * interval, rate: rate)) }
        }
        return LinkRate(segments: segments, period: Int64(bytes.count) * interval)
    }
}
