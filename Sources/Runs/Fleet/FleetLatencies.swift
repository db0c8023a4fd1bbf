import ReplayEngine
import TraceAnalysis

/// The times to image of one group of requests in many runs, as one distribution. Times are in nanoseconds.
///
/// Percentiles of runs are never averaged. Each run adds its own distribution to a histogram, whose buckets are within
/// 0.4 % of a value. What a run's `LatencySummary` has left out adds to this error:
/// - A run without a timeline has points on its exact distribution whose latencies are at most 1 % apart. Requests
///   between two points count as 0.5 % faster than the upper one, so percentiles are within 1 % of the exact ones.
/// - Another run has each latency of at most 256 requests, and of more requests one point per 256th of them. Requests
///   between two points count as the slower one: a percentile then belongs to a share that is at most 0.4 percentage
///   points higher. The run's own percentiles (50, 90, 99 and 99.9) are points too.
struct FleetLatencies: Sendable, Equatable {
    private var histogram = LogHistogram()
    /// The sum of all latencies. Whole numbers, so that the order of the runs has no effect.
    private var sum: Int128 = 0
    private(set) var maximum: Int64 = 0

    var count: Int { histogram.count }
    var mean: Double { count > 0 ? Double(sum) / Double(count) : 0 }

    /// Returns the least latency that a share (0...1) of the requests does not exceed, within 0.4 %.
    func quantile(_ share: Double) -> Int64 { histogram.quantile(share) ?? 0 }

    /// Adds the requests of a group of a run.
    /// - Parameter isCoarse: Whether the points of the distribution are up to ``LatencySummary/coarseness`` apart.
    mutating func add(_ summary: LatencySummary, isCoarse: Bool) {
        sum += Int128((summary.mean * Double(summary.count)).rounded())
        maximum = Swift.max(maximum, summary.max)
        var seen = 0
        for point in Self.points(summary) where point.seen > seen {
            let most = Double(point.latency) * (isCoarse ? LatencySummary.coarseness / 2 : 0)
            histogram.add(point.latency - Int64(most), weight: point.seen - seen)
            seen = point.seen
        }
        // A distribution can end before the last request.
        if seen < summary.count { histogram.add(summary.max, weight: summary.count - seen) }
    }

    mutating func add(_ other: FleetLatencies) {
        histogram.add(other.histogram)
        sum += other.sum
        maximum = Swift.max(maximum, other.maximum)
    }

    /// Returns rising latencies, each with the number of requests that took at most so long.
    private static func points(_ summary: LatencySummary) -> [(latency: Int64, seen: Int)] {
        let count = Double(summary.count)
        let percentiles = [(summary.p50, 0.5), (summary.p90, 0.9), (summary.p99, 0.99), (summary.p999, 0.999)]
        let points =
            summary.distribution.map { (latency: $0.latency, seen: Int(($0.fraction * count).rounded())) }
            + percentiles.map { (latency: $0.0, seen: Int(($0.1.nextDown * count).rounded(.up))) }
        return points.sorted { ($0.latency, $0.seen) < ($1.latency, $1.seen) }
    }
}
