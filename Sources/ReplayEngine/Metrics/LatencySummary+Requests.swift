extension LatencySummary {
    /// Returns the summaries of all groups, in the order of ``LatencyGroup``. All figures are exact.
    ///
    /// Complexity: O(n log n) for n requests.
    static func all(of requests: ArraySlice<ReplayRequest>) -> [LatencySummary] {
        let shown = requests.lazy.filter { $0.delivered >= 0 }
            .map { (latency: $0.delivered - $0.appeared, group: $0.outcome?.latencyGroup) }
            .sorted { $0.latency < $1.latency }
        return LatencyGroup.allCases.map { group in
            LatencySummary(
                group, sorted: shown.lazy.filter { group == .all || $0.group == group }.map(\.latency))
        }
    }

    /// Summarizes latencies, which rise.
    private init(_ group: LatencyGroup, sorted latencies: [Int64]) {
        self.init(group: group)
        guard let last = latencies.last else { return }
        count = latencies.count
        mean = latencies.reduce(0.0) { $0 + Double($1) } / Double(count)
        p50 = Self.percentile(50, of: latencies)
        p90 = Self.percentile(90, of: latencies)
        p99 = Self.percentile(99, of: latencies)
        p999 = Self.percentile(99.9, of: latencies)
        max = last
        distribution = Self.distribution(of: latencies)
    }

    /// Returns the least latency that so many percent of the requests do not exceed.
    private static func percentile(_ percent: Double, of latencies: [Int64]) -> Int64 {
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
}
