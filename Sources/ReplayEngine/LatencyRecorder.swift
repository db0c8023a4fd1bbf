import Histogram

/// Times to image of one group of requests. Mean and maximum are exact; percentiles are within 0.1 % (HdrHistogram, three digits).
struct LatencyRecorder {
    /// Eleven days in nanoseconds; a cell that waited longer counts as this.
    private static let ceiling: Int64 = 1_000_000_000_000_000

    let group: LatencyGroup
    private var histogram = Histogram<UInt32>(highestTrackableValue: UInt64(ceiling), numberOfSignificantValueDigits: .three)
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
        summary.count = count
        summary.mean = sum / Double(count)
        summary.p50 = percentile(50)
        summary.p90 = percentile(90)
        summary.p99 = percentile(99)
        summary.p999 = percentile(99.9)
        summary.max = longest
        summary.distribution = distribution
        return summary
    }

    private func percentile(_ percent: Double) -> Int64 {
        min(Int64(histogram.valueAtPercentile(percent)), longest)
    }

    /// One point per recorded value, thinned to every 1/256 of the requests.
    private var distribution: [LatencySummary.Point] {
        var points: [LatencySummary.Point] = []
        var seen = 0
        var lastShown = 0
        for value in histogram.recordedValues() {
            seen += Int(value.count)
            guard points.isEmpty || seen == count || (seen - lastShown) * 256 >= count else { continue }
            lastShown = seen
            let latency = min(Int64(value.value), longest)
            points.append(LatencySummary.Point(latency: latency, fraction: Double(seen) / Double(count)))
        }
        return points
    }
}
