import Histogram

/// Times to image of one group of requests. Mean and maximum are exact; percentiles are within 0.1 % (HdrHistogram,
/// three digits).
struct LatencyRecorder {
    /// Eleven days in nanoseconds; a cell that waited longer counts as this.
    private static let ceiling: Int64 = 1_000_000_000_000_000

    let group: LatencyGroup
    private var histogram = Histogram<UInt32>(
        highestTrackableValue: UInt64(ceiling), numberOfSignificantValueDigits: .three)
    private var count = 0
    private var sum = 0.0
    private var longest: Int64 = 0

    init(_ group: LatencyGroup) { self.group = group }

    mutating func record(_ latency: Int64) {
        count += 1
        sum += Double(latency)
        longest = max(longest, latency)
        histogram.record(UInt64(min(latency, Self.ceiling)))
    }

    var summary: LatencySummary {
        var summary = LatencySummary(group: group)
        guard count > 0 else { return summary }
        let recorded = histogram.recordedValues().map { (latency: min(Int64($0.value), longest), count: Int($0.count)) }
        summary.count = count
        summary.mean = sum / Double(count)
        summary.p50 = Self.percentile(50, of: recorded, count)
        summary.p90 = Self.percentile(90, of: recorded, count)
        summary.p99 = Self.percentile(99, of: recorded, count)
        summary.p999 = Self.percentile(99.9, of: recorded, count)
        summary.max = longest
        summary.distribution = Self.distribution(of: recorded, count)
        return summary
    }

    /// As HdrHistogram has it, which walks through all its buckets for each: the least recorded value that so many do
    /// not exceed.
    private static func percentile(_ percent: Double, of recorded: [(latency: Int64, count: Int)], _ count: Int)
        -> Int64
    {
        let wanted = max(1, Int((percent.nextDown * Double(count) / 100).rounded(.up)))
        var seen = 0
        return recorded.first { value in
            seen += value.count
            return seen >= wanted
        }?.latency ?? 0
    }

    /// One point per recorded value, thinned to every 1/256 of the requests.
    private static func distribution(of recorded: [(latency: Int64, count: Int)], _ count: Int) -> [LatencySummary
        .Point]
    {
        var points: [LatencySummary.Point] = []
        var seen = 0
        var lastShown = 0
        for value in recorded {
            seen += value.count
            guard points.isEmpty || seen == count || (seen - lastShown) * 256 >= count else { continue }
            lastShown = seen
            points.append(LatencySummary.Point(latency: value.latency, fraction: Double(seen) / Double(count)))
        }
        return points
    }
}
