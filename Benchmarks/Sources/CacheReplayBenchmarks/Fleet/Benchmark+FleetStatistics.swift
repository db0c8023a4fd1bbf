import Basics
import Foundation
import Runs

/// The duration of a fleet's statistics on one thread: 10,000 sessions of 5,000 users, 10 caches, 1,000 resamples.
///
/// There is no peer. The figure beside it is the 10 seconds that the statistics may take.
func fleetStatisticsBenchmarks() -> [BenchmarkRow] {
    let caches = (1...10).map { "cache \($0)" }
    var table = FleetTable(caches: caches)
    var random = SplitMix64(seed: 1)
    let filling = seconds {
        for session in 0..<10_000 {
            for cache in caches {
                table.add(Population.run("session-\(session)", cache, &random), user: "\(session / 2)")
            }
        }
    }
    let statistics = seconds { _ = FleetStatistics(table, seed: 1, threads: 1) }
    func row(_ metric: String, _ seconds: Double) -> BenchmarkRow {
        BenchmarkRow(
            "fleet of 10,000 sessions", metric: metric, unit: "s", .lowerIsBetter, ours: seconds, peerName: "limit",
            peer: 10)
    }
    return [row("add runs", filling), row("statistics", statistics)]
}
