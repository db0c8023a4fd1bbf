import Basics
import CacheReports
import Foundation
import ReplayEngine

/// Measures how often `compare` and `gate` raise false alarms, and how often they find a change, on simulated repeats.
///
/// One row for each noise, number of repeats, and number of figures that vary. A false alarm is a whole comparison of
/// equal sides in which any figure is worse. A change is found if the comparison fails after one cache got slower.
/// `compare` sees all repeats of the baseline before those of the candidate; `gate` sees both in turn.
///
/// With outliers and 12 figures, the false alarms of `compare` are counted in ten times as many comparisons: a share of
/// 1 % is then uncertain by 0.1 points (one standard error), where 1,000 comparisons leave 0.3.
func verdictBenchmarks() throws -> [BenchmarkRow] {
    let trials = ProcessInfo.processInfo.environment["CACHEREPLAY_BENCH_TRIALS"].flatMap { Int($0) } ?? 1_000
    var rows: [BenchmarkRow] = []
    for noise in RepeatNoise.all {
        for caches in [1, 4] {
            for repeats in [5, 10, 20] {
                rows += try noise.rows(trials, repeats: repeats, caches: caches)
            }
            rows += try noise.gateRows(max(trials / 4, 1), caches: caches)
            FileHandle.standardError.write(Data("verdict: \(noise.name), \(3 * caches) figures\n".utf8))
        }
    }
    return rows
}

/// Repeats of measured runs with known noise.
private struct RepeatNoise: Sendable {
    var name: String
    /// The coefficient of variation of each figure.
    var variation: Double
    /// The share of repeats that take three times as long.
    var outliers = 0.0
    /// By how much the machine gets slower from the first to the last repeat of a comparison.
    var drift = 0.0
    /// The change that must be found, as a factor.
    var change: Double

    static let all = [
        RepeatNoise(name: "CV 1 %", variation: 0.01, change: 1.1),
        RepeatNoise(name: "CV 3 %", variation: 0.03, change: 1.1),
        RepeatNoise(name: "CV 8 %", variation: 0.08, change: 1.2),
        RepeatNoise(
            name: "CV 3 %, every twentieth repeat takes 3 times as long", variation: 0.03, outliers: 0.05, change: 1.1),
        RepeatNoise(name: "CV 3 %, 5 % slower in the course of the repeats", variation: 0.03, drift: 0.05, change: 1.1),
    ]

    /// Returns the rows of `compare`.
    func rows(_ trials: Int, repeats: Int, caches: Int) throws -> [BenchmarkRow] {
        var random = SplitMix64(seed: UInt64(repeats * 100 + caches))
        func failures(_ change: Double, in trials: Int) throws -> Double {
            var count = 0
            for _ in 0..<trials {
                let before = set(repeats, caches, 1, at: 0..<0.5, &random)
                let after = set(repeats, caches, change, at: 0.5..<1, &random)
                if try Comparison(baseline: before, candidate: after).hasWorsened { count += 1 }
            }
            return Double(count) / Double(trials)
        }
        return Self.rows(
            "compare, \(name), \(repeats) repeats, \(3 * caches) figures that vary", change,
            alarms: try failures(1, in: outliers > 0 && caches > 1 ? 10 * trials : trials),
            found: try failures(change, in: trials))
    }

    /// Returns the rows of `gate`.
    func gateRows(_ trials: Int, caches: Int) throws -> [BenchmarkRow] {
        var random = SplitMix64(seed: UInt64(caches))
        var repeats = 0
        func failures(_ change: Double) throws -> Double {
            var count = 0
            for _ in 0..<trials {
                let (isWorse, made) = try gate(caches, change, &random)
                if isWorse { count += 1 }
                repeats += made
            }
            return Double(count) / Double(trials)
        }
        let (alarms, found) = (try failures(1), try failures(change))
        let name = "gate, \(name), \(3 * caches) figures that vary"
        return Self.rows(name, change, alarms: alarms, found: found) + [
            BenchmarkRow(
                name, metric: "repeats of a side, confirmation included", unit: "repeats", .lowerIsBetter,
                ours: Double(repeats) / Double(2 * trials), peerName: "the most without confirmation", peer: 30)
        ]
    }

    private static func rows(_ name: String, _ change: Double, alarms: Double, found: Double) -> [BenchmarkRow] {
        let percent = Int(((change - 1) * 100).rounded())
        return [
            BenchmarkRow(
                name, metric: "false alarms", unit: "ratio", .lowerIsBetter, ours: alarms,
                peerName: "1 comparison in 100", peer: 0.01),
            BenchmarkRow(
                name, metric: "a change of +\(percent) % found", unit: "ratio", .higherIsBetter, ours: found,
                peerName: "19 comparisons in 20", peer: 0.95),
        ]
    }

    /// Makes one gate; returns whether it raises an alarm, and the repeats of a side.
    private func gate(_ caches: Int, _ change: Double, _ random: inout SplitMix64) throws -> (Bool, Int) {
        let gate = SequentialGate(mostRepeats: 30)
        // The sides alternate, so both drift alike; drift over 60 repeats, which include the confirmation.
        func sides(_ repeats: Range<Int>) -> (before: [RunResult], after: [RunResult]) {
            var (before, after): ([RunResult], [RunResult]) = ([], [])
            for repetition in repeats {
                before += runs(repetition, caches, 1, at: Double(repetition) / 60, &random)
                after += runs(repetition, caches, change, at: Double(repetition) / 60, &random)
            }
            return (before, after)
        }
        var (before, after): ([RunResult], [RunResult]) = ([], [])
        var made = 0
        var comparison: Comparison?
        for look in gate.looks {
            let new = sides(made..<look)
            (before, after) = (before + new.before, after + new.after)
            made = look
            let now = try gate.look(
                baseline: ResultSet(before, source: "a"), candidate: ResultSet(after, source: "b"), rules: .init())
            comparison = now
            if SequentialGate.open(now).isEmpty { break }
        }
        guard let comparison, comparison.hasWorsened else { return (false, made) }
        let new = sides(made..<2 * made)
        let confirmed = try SequentialGate.confirm(
            comparison, baseline: ResultSet(new.before, source: "a"), candidate: ResultSet(new.after, source: "b"),
            rules: .init())
        return (confirmed.hasWorsened, 2 * made)
    }

    private func set(
        _ repeats: Int, _ caches: Int, _ change: Double, at times: Range<Double>, _ random: inout SplitMix64
    ) -> ResultSet {
        let results = (0..<repeats).flatMap { repetition in
            let share = Double(repetition) / Double(repeats)
            let time = times.lowerBound + share * (times.upperBound - times.lowerBound)
            return runs(repetition, caches, change, at: time, &random)
        }
        return ResultSet(results, source: "simulated")
    }

    /// Returns one repeat of each cache. The first cache's times are changed by a factor.
    private func runs(
        _ repetition: Int, _ caches: Int, _ change: Double, at time: Double, _ random: inout SplitMix64
    ) -> [RunResult] {
        (0..<caches).map { cache in
            var result = RunResult(
                identity: RunIdentity(
                    trace: "feed", cache: "cache \(cache)", specification: "", repetition: repetition + 1, seed: 1,
                    timing: "measured"))
            result.counts.memoryHits = 10_000
            result.counts.shown = 10_000
            // A third figure that varies; it does not change.
            result.counts.shownWithin100ms = Int(7_000 * factor(1, &random))
            let slower = (1 + drift * time) * (cache == 0 ? change : 1)
            result.blank.visibleTime = 1e12
            result.blank.blankTime = 1e11 * slower * factor(1, &random)
            var all = LatencySummary(group: .all)
            all.count = 10_000
            all.p99 = Int64(1e8 * slower * factor(1, &random))
            result.latencies = [all]
            return result
        }
    }

    /// Draws a log-normal factor with the median `median`.
    private func factor(_ median: Double, _ random: inout SplitMix64) -> Double {
        let (one, other) = (max(random.fraction(), 1e-300), random.fraction())
        let normal = (-2 * log(one)).squareRoot() * cos(2 * .pi * other)
        let spread = log(1 + variation * variation).squareRoot()
        let outlier = outliers > 0 && random.fraction() < outliers ? 3.0 : 1
        return median * exp(spread * normal) * outlier
    }
}
