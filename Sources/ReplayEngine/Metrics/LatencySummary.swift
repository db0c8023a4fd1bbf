/// The rows of `latency.csv`, and their total.
public enum LatencyGroup: String, Codable, Sendable, CaseIterable {
    case memoryHit = "memory_hit"
    case diskHit = "disk_hit"
    case origin
    case coalesced
    case all
}

/// Time to image of one group of shown requests, in nanoseconds.
public struct LatencySummary: Codable, Sendable, Equatable {
    public var group: LatencyGroup
    public var count = 0
    public var mean = 0.0
    public var p50: Int64 = 0
    public var p90: Int64 = 0
    public var p99: Int64 = 0
    public var p999: Int64 = 0
    public var max: Int64 = 0
    /// The cumulative distribution: at most a few hundred points, both coordinates rising, the last at fraction 1.
    public var distribution: [Point] = []

    public struct Point: Codable, Sendable, Equatable {
        public var latency: Int64
        public var fraction: Double

        public init(latency: Int64, fraction: Double) {
            self.latency = latency
            self.fraction = fraction
        }
    }

    public init(group: LatencyGroup) {
        self.group = group
    }
}

/// Latency summaries are stored with their distribution as one list of whole numbers: each latency, and how many
/// requests took at most so long.
extension LatencySummary {
    private enum Key: String, CodingKey { case group, count, mean, p50, p90, p99, p999, max, distribution }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(group: try values.decode(LatencyGroup.self, forKey: .group))
        count = try values.decode(Int.self, forKey: .count)
        mean = try values.decode(Double.self, forKey: .mean)
        p50 = try values.decode(Int64.self, forKey: .p50)
        p90 = try values.decode(Int64.self, forKey: .p90)
        p99 = try values.decode(Int64.self, forKey: .p99)
        p999 = try values.decode(Int64.self, forKey: .p999)
        max = try values.decode(Int64.self, forKey: .max)
        let numbers = try values.decode([Int64].self, forKey: .distribution)
        // No sum and no conversion of these numbers can overflow.
        let latencies = [p50, p90, p99, p999, max] + stride(from: 0, to: numbers.count - 1, by: 2).map { numbers[$0] }
        let counts = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] }
        guard (0...1 << 53).contains(count), mean >= 0, mean <= 0x1p62, latencies.allSatisfy({ $0 >= 0 }),
            counts.allSatisfy({ (0...Int64(count)).contains($0) }), count > 0 || counts.isEmpty
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .distribution, in: values, debugDescription: "no distribution of \(count) requests")
        }
        distribution = stride(from: 0, to: numbers.count - 1, by: 2).map {
            Point(latency: numbers[$0], fraction: Double(numbers[$0 + 1]) / Double(count))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(group, forKey: .group)
        try values.encode(count, forKey: .count)
        try values.encode(mean, forKey: .mean)
        try values.encode(p50, forKey: .p50)
        try values.encode(p90, forKey: .p90)
        try values.encode(p99, forKey: .p99)
        try values.encode(p999, forKey: .p999)
        try values.encode(max, forKey: .max)
        var numbers: [Int64] = []
        numbers.reserveCapacity(2 * distribution.count)
        for point in distribution {
            numbers.append(point.latency)
            numbers.append(seen(point))
        }
        try values.encode(numbers, forKey: .distribution)
    }

    /// Returns the number of requests that took at most as long as a point.
    public func seen(_ point: Point) -> Int64 { Int64((point.fraction * Double(count)).rounded()) }
}
