import Basics
import Runs
import Statistics

/// Finds a drift: times that rise or fall with the repeats of a side, for example because the machine becomes warm.
///
/// Two results that were measured one after the other then differ without a change of the caches. Where both sides are
/// repeated in random order, as in `gate`, a drift changes both.
extension Comparison {
    /// The fewest repeats of a side in which a drift can be visible. With 12, the clearest order of the halves has a
    /// two-sided probability of 1 in 462.
    private static let fewestForDrift = 12
    /// The metrics that depend on the speed of the machine.
    private static let metricsOfDrift = ["latency_p50_us", "latency_p99_us"]

    /// Sets ``drift`` if the times of a measured side rise or fall with its repeats.
    public mutating func findDrift(baseline: ResultSet, candidate: ResultSet) {
        var sentences: [String] = []
        for (side, results) in [("baseline", baseline), ("candidate", candidate)] {
            guard let direction = Self.drift(of: results) else { continue }
            sentences.append("the times of the \(side) \(direction) with its repeats")
        }
        guard !sentences.isEmpty else { return }
        drift = """
            A drift is visible: \(sentences.joined(separator: ", and ")), so the sides may differ by when they were \
            measured; `cachereplay gate --timing measured` measures both in turn.
            """
    }

    /// Returns `rise` or `fall`, or nil without a visible drift.
    private static func drift(of results: ResultSet) -> String? {
        let groups = results.groups.filter { !$0.isExact && $0.runs.count >= fewestForDrift }
        // The tests are those of two sides and of each metric. Each has two directions.
        let error = RepeatComparison.error / Double(2 * metricsOfDrift.count)
        for metric in metricsOfDrift {
            let course = course(of: metric, in: groups)
            guard course.count >= fewestForDrift else { continue }
            let half = course.count / 2
            let test = RankTest(Array(course.prefix(half)), Array(course.suffix(half)))
            if 2 * test.pGreater <= error { return "rise" }
            if 2 * test.pLess <= error { return "fall" }
        }
        return nil
    }

    /// Returns the mean rank of each repeat among those of its group, from 0 to 1, in the order of the repeats.
    private static func course(of metric: String, in groups: [RunGroup]) -> [Double] {
        var sums: [Int: (sum: Double, count: Double)] = [:]
        for group in groups {
            let values: [Double] = group.values(metric).sorted()
            guard let first = values.first, let last = values.last, first < last else { continue }
            for run in group.runs {
                guard let value = run.metrics[metric] else { continue }
                let below = values.count { $0 < value }
                let equal = values.count { $0 == value }
                let rank = (Double(below) + Double(equal - 1) / 2) / Double(values.count)
                let old = sums[run.repetition] ?? (sum: 0, count: 0)
                sums[run.repetition] = (sum: old.sum + rank, count: old.count + 1)
            }
        }
        return sums.sorted { $0.key < $1.key }.map { $0.value.sum / $0.value.count }
    }
}
