/// How far a replay on a wall clock was behind the trace.
///
/// Everything that the main lane handles has a time at which it is due: an event its time in the trace, the end of an
/// operation the time at which it was posted. The lag is the rest of the time until it is handled, without the work of
/// the cache on the main lane. Times are nanoseconds of trace time.
public struct ClockLag: Codable, Sendable, Hashable {
    /// The number of events and ends of operations.
    public var count = 0
    /// The number of those with a lag above ``tolerance``.
    public var late = 0
    public var p99: Int64 = 0
    public var max: Int64 = 0

    /// The duration of a frame at 60 frames per second.
    public static let tolerance: Int64 = 16_000_000
    /// The share of late events above which the figures of a run describe the machine, not the cache.
    public static let mostLate = 0.01

    public init(count: Int = 0, late: Int = 0, p99: Int64 = 0, max: Int64 = 0) {
        self.count = count
        self.late = late
        self.p99 = p99
        self.max = max
    }

    /// Summarizes the lags of all events and operations.
    package init(_ lags: [Int64]) {
        let sorted = lags.sorted()
        count = sorted.count
        late = sorted.count - (sorted.firstIndex { $0 > Self.tolerance } ?? sorted.count)
        p99 = sorted.isEmpty ? 0 : sorted[Swift.max(1, Int((Double(sorted.count) * 0.99).rounded(.up))) - 1]
        max = sorted.last ?? 0
    }

    /// The share of late events and ends of operations.
    public var lateShare: Double { count > 0 ? Double(late) / Double(count) : 0 }

    /// Whether so many were late that the run's latencies and hits are not those of the cache.
    public var isExcessive: Bool { lateShare > Self.mostLate }
}
