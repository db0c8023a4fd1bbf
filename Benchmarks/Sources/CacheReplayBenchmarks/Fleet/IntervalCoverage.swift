import Basics
import Foundation
import Runs
import Statistics
import Synchronization

/// Counts how often the intervals of simulated fleets contain the figures of their population.
///
/// The figures of a population are those of a fleet of 400,000 users. `scripts/checks/check-intervals` runs this.
enum IntervalCoverage {
    static let argument = "check-intervals"
    private static let sizes = [50, 100, 200, 400, 1_000]

    /// The coverage of one figure's statistic.
    private struct Count {
        var intervals = 0
        var hits = 0
        /// The share of the population that has exactly the statistic's value.
        var tied = 0.0
    }

    /// Returns whether the coverage of every statistic is from 93 to 97 %, up to twice the error of the simulation.
    ///
    /// - Parameter arguments: The number of fleets of each population and size, and the seed.
    static func run(_ arguments: [String]) -> Bool {
        let fleets = arguments.first.flatMap(Int.init) ?? 2_000
        let seed = arguments.dropFirst().first.flatMap(UInt64.init) ?? 1
        print("population,users,over,statistic,figure,fleets,with_interval,coverage,verdict")
        var isRight = true
        for (number, population) in Population.all.enumerated() {
            var random = SplitMix64(seed: seed &* 1_000 &+ UInt64(number))
            let truth = statistics(population, users: 400_000, resamples: 0, seed: random.next())
            for users in sizes {
                let counts = counts(population, users: users, fleets: fleets, truth, seed: random.next())
                for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                    let verdict = verdict(count, fleets: fleets)
                    isRight = isRight && verdict != "WRONG"
                    let coverage = Double(count.hits) / Double(max(1, count.intervals))
                    print(
                        "\(population.name),\(users),\(name),\(fleets),\(count.intervals),"
                            + String(format: "%.4f,", coverage) + verdict)
                }
                fflush(nil)
            }
        }
        return isRight
    }

    /// Of a statistic that rarely has an interval, only lucky samples have one; it is not judged.
    private static func verdict(_ count: Count, fleets: Int) -> String {
        guard count.intervals > fleets / 2 else { return count.intervals == 0 ? "no interval" : "rare" }
        let coverage = Double(count.hits) / Double(count.intervals)
        let error = (0.95 * 0.05 / Double(count.intervals)).squareRoot()
        if coverage < 0.93 - 2 * error { return "WRONG" }
        if coverage > 0.97 + 2 * error { return count.tied > 0.002 ? "tied" : "WRONG" }
        return "right"
    }

    private static func statistics(
        _ population: Population, users: Int, resamples: Int, seed: UInt64
    ) -> FleetStatistics {
        var random = SplitMix64(seed: seed)
        return FleetStatistics(
            population.fleet(users: users, &random), seed: random.next(), resamples: resamples, threads: 1)
    }

    /// Returns the coverage by the text `over,statistic,figure`.
    private static func counts(
        _ population: Population, users: Int, fleets: Int, _ truth: FleetStatistics, seed: UInt64
    ) -> [String: Count] {
        let truths = estimates(truth)
        let counts = Mutex<[String: Count]>([:])
        var seeds = SplitMix64(seed: seed)
        let fleetSeeds = (0..<fleets).map { _ in seeds.next() }
        DispatchQueue.concurrentPerform(iterations: fleets) { fleet in
            let estimates = estimates(
                statistics(population, users: users, resamples: 1_000, seed: fleetSeeds[fleet]))
            counts.withLock { counts in
                for (name, estimate) in estimates {
                    guard let figure = truths[name]?.value else { continue }
                    var count = counts[name] ?? Count()
                    if let interval = estimate.interval {
                        count.intervals += 1
                        if interval.low <= figure, figure <= interval.high { count.hits += 1 }
                        // Ends that coincide with the figure show that many users share the value.
                        if interval.low == figure || interval.high == figure { count.tied += 1 / Double(fleets) }
                    }
                    counts[name] = count
                }
            }
        }
        return counts.withLock { $0 }
    }

    /// Returns the estimates by the text `over,statistic,figure`. Only the rows of the first cache are checked: those
    /// of the second one are alike.
    private static func estimates(_ statistics: FleetStatistics) -> [String: Estimate] {
        var estimates: [String: Estimate] = [:]
        for row in statistics.rows where row.cache == Population.caches[0] {
            estimates["\(row.level),mean,\(row.figure.rawValue)"] = row.mean
            for (share, quantile) in zip(FleetStatistics.shares, row.quantiles) {
                estimates["\(row.level),p\(Int(share * 100)),\(row.figure.rawValue)"] = quantile
            }
        }
        for pair in statistics.pairs { estimates["pairs,mean,\(pair.figure.rawValue)"] = pair.difference }
        return estimates
    }
}
