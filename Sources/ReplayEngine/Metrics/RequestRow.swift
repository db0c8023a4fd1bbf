import SessionModel

/// The outcome of one request, as results record it.
public struct RequestRow: Sendable, Equatable {
    /// The number of the request, from 0, in order of appearance.
    public var index: Int
    /// When the cell appeared, in nanoseconds of trace time.
    public var time: Int64
    public var key: String
    public var variant: Variant
    /// The outcome: `memory_hit`, `disk_hit`, `origin`, `coalesced`, `deferred`, `cancelled`, `failed` or `wrong`.
    public var source: String
    public var shown: Visibility
    /// From the appearance to the delivery, in nanoseconds; nil if the cell never showed the image.
    public var latency: Int64?
    /// Why tiers missed, and what the cell waited for.
    public var explanation: RequestExplanation?

    /// Whether the cell showed its image.
    public enum Visibility: String, Sendable, CaseIterable {
        case shown
        /// The image arrived after the cell had disappeared.
        case late
        /// No image arrived, or the image of another key.
        case never
    }
}

extension RequestRow {
    @inline(__always) init(
        _ request: ReplayRequest, index: Int, keys: [String], _ explanation: RequestExplanation? = nil
    ) {
        let isDelivered = request.outcome?.latencyGroup != nil && !request.isWrong
        // In one step: a row that is set field by field would be copied at the end.
        self.init(
            index: index, time: request.appeared, key: keys[request.imageKey.object],
            variant: Variant(rawValue: request.imageKey.variant) ?? .full,
            source: request.isWrong ? "wrong" : request.outcome?.name ?? RequestOutcome.cancelled.name,
            shown: request.delivered >= 0 ? .shown : isDelivered ? .late : .never,
            latency: request.delivered >= 0 ? request.delivered - request.appeared : nil, explanation: explanation)
    }
}

extension RequestOutcome {
    /// The name in results.
    package var name: String {
        switch self {
        case .memoryHit: "memory_hit"
        case .diskHit: "disk_hit"
        case .origin: "origin"
        case .coalesced: "coalesced"
        case .deferred: "deferred"
        case .cancelled: "cancelled"
        case .failed: "failed"
        }
    }
}

extension LatencySummary {
    /// Returns the summaries of all groups, in the order of ``LatencyGroup``. All figures are exact.
    ///
    /// Complexity: O(n log n) for n requests.
    ///
    /// - Parameter isCoarse: Whether the distributions have fewer points, and the distribution of all groups has none.
    static func all(of requests: ArraySlice<ReplayRequest>, isCoarse: Bool = false) -> [LatencySummary] {
        // By the group's place; the place of all groups has the requests without a group.
        var latencies = [[Int64]](repeating: [], count: LatencyGroup.allCases.count)
        for request in requests where request.delivered >= 0 {
            let group = request.outcome?.latencyGroup ?? .all
            latencies[group.place].append(request.delivered - request.appeared)
        }
        for place in latencies.indices { latencies[place].sort() }
        // The parts are sorted, so that the sort only merges them.
        let all = Array(latencies.joined()).sorted()
        return LatencyGroup.allCases.map { group in
            LatencySummary(group, sorted: group == .all ? all : latencies[group.place], isCoarse)
        }
    }

    /// Summarizes latencies in ascending order.
    private init(_ group: LatencyGroup, sorted latencies: [Int64], _ isCoarse: Bool) {
        self.init(group: group)
        guard let last = latencies.last else { return }
        count = latencies.count
        mean = latencies.reduce(0.0) { $0 + Double($1) } / Double(count)
        p50 = Self.percentile(50, of: latencies)
        p90 = Self.percentile(90, of: latencies)
        p99 = Self.percentile(99, of: latencies)
        p999 = Self.percentile(99.9, of: latencies)
        max = last
        distribution = !isCoarse ? Self.distribution(of: latencies) : group == .all ? [] : Self.coarse(latencies)
    }

    /// Returns the smallest latency that `percent` percent of the latencies do not exceed.
    ///
    /// - Parameter latencies: One or more latencies, in ascending order.
    static func percentile(_ percent: Double, of latencies: [Int64]) -> Int64 {
        latencies[Swift.max(1, Int((percent.nextDown * Double(latencies.count) / 100).rounded(.up))) - 1]
    }

    /// Returns one point per latency, thinned to every 1/256 of the requests.
    private static func distribution(of latencies: [Int64]) -> [Point] {
        var points: [Point] = []
        var lastShown = 0
        for (index, latency) in latencies.enumerated() {
            let seen = index + 1
            guard seen == latencies.count || latencies[seen] != latency else { continue }
            guard points.isEmpty || seen == latencies.count || (seen - lastShown) * 256 >= latencies.count else {
                continue
            }
            lastShown = seen
            points.append(Point(latency: latency, fraction: Double(seen) / Double(latencies.count)))
        }
        return points
    }

    /// Returns points of which each is at most ``coarseness`` above the one before it, or is the next latency.
    ///
    /// The points lie on the exact distribution. A reader who takes all requests between two points for as slow as the
    /// upper one is at most ``coarseness`` too high.
    private static func coarse(_ latencies: [Int64]) -> [Point] {
        var points: [Point] = []
        var index = 0
        while index < latencies.count {
            let most = latencies[index] + Int64(Double(latencies[index]) * coarseness)
            while index + 1 < latencies.count, latencies[index + 1] <= most { index += 1 }
            points.append(Point(latency: latencies[index], fraction: Double(index + 1) / Double(latencies.count)))
            index += 1
        }
        return points
    }

    /// The largest error of the distributions of runs without a timeline, as a share of a latency.
    public static let coarseness = 0.01
}

extension LatencyGroup {
    /// The place of the group in the order of all.
    fileprivate var place: Int {
        switch self {
        case .memoryHit: 0
        case .diskHit: 1
        case .origin: 2
        case .coalesced: 3
        case .all: 4
        }
    }
}
