import Basics
import Foundation
import ReplayEngine

@testable import CacheReports
@testable import Runs

/// Invented fleets.
enum FleetSamples {
    /// One session with one cache.
    static func run(
        _ session: String, _ cache: String, repetition: Int = 1, requests: Int = 10, shown: Int = 0,
        memoryHits: Int = 0, bytes: Int64 = 0, peak: Int64 = 0, blank: Double = 0, visible: Double = 100
    ) -> RunResult {
        var result = RunResult(identity: Samples.identity(trace: session, cache: cache, repetition: repetition))
        result.counts.memoryHits = memoryHits
        result.counts.originFetches = requests - memoryHits
        result.counts.shown = shown
        result.tiers.originBytes = bytes
        result.tiers.memoryPeakBytes = peak
        result.blank.blankTime = blank
        result.blank.visibleTime = visible
        return result
    }

    /// The work of a main lane that delays frames by so many milliseconds in each of so many seconds of scrolling.
    static func hitches(_ rate: Int64, of seconds: Int64) -> MainLaneFigures {
        var delays = FrameDelays()
        delays.hitchTime = rate * seconds * 1_000_000
        return MainLaneFigures(
            workTime: delays.hitchTime, scrollTime: seconds * 1_000_000_000, at60Hz: delays, at120Hz: delays)
    }

    /// Three users, five sessions, two caches.
    static let story: [(result: RunResult, user: String)] = [
        (run("a1", "one", requests: 10, shown: 5, bytes: 1_000, peak: 10), "ann"),
        (run("a2", "one", requests: 30, shown: 27, bytes: 3_000, peak: 50), "ann"),
        (run("b1", "one", requests: 20, shown: 10, bytes: 4_000, peak: 20), "bob"),
        (run("c1", "one", requests: 10, shown: 10, bytes: 0, peak: 5), "cleo"),
        (run("c2", "one", requests: 10, shown: 6, bytes: 1_000, peak: 5), "cleo"),
        (run("a1", "two", requests: 10, shown: 5, bytes: 1_000, peak: 10), "ann"),
        (run("a2", "two", requests: 30, shown: 27, bytes: 2_000, peak: 50), "ann"),
        (run("b1", "two", requests: 20, shown: 12, bytes: 4_003, peak: 20), "bob"),
        (run("c1", "two", requests: 10, shown: 10, bytes: 0, peak: 5), "cleo"),
        (run("c2", "two", requests: 10, shown: 4, bytes: 2_000, peak: 9), "cleo"),
    ]

    static func table(_ runs: [(result: RunResult, user: String)], caches: [String] = ["one", "two"]) -> FleetTable {
        runs.reduce(into: FleetTable(caches: caches)) { $0.add($1.result, user: $1.user) }
    }

    /// A fleet of users with one to four sessions, through the caches `one` and `two`. The second one is a little
    /// better.
    static func fleet(users: Int, seed: UInt64 = 7) -> [(result: RunResult, user: String)] {
        var random = SplitMix64(seed: seed)
        return (0..<users).flatMap { user in
            let level = random.fraction()
            return (0...random.next(below: 4)).flatMap { session in
                let share = 0.7 * level + 0.3 * random.fraction()
                return ["one", "two"].map { cache in
                    let gain = cache == "one" ? 0 : 0.02 * random.fraction()
                    let result = run(
                        "session-\(session)", cache, requests: 1_000, shown: Int(1_000 * (share * 0.9 + gain)),
                        memoryHits: Int(500 * share), bytes: Int64(1e6 * exp(3 * level) * (1 - gain)),
                        peak: Int64(1e7 * share), blank: 1e6 * (1 - share * 0.9 - gain), visible: 1e6)
                    return (result, "user-\(user)")
                }
            }
        }
    }
}

extension FleetStatistics {
    /// Returns the statistics of users with one session each.
    static func of(_ caches: [String], users: Int, _ run: (_ cache: String, _ user: Int) -> RunResult) -> Self {
        var table = FleetTable(caches: caches)
        for user in 0..<users {
            for cache in caches { table.add(run(cache, user), user: "user-\(user)") }
        }
        return FleetStatistics(table, seed: 1, resamples: 199, threads: 1)
    }
}

extension FleetTable {
    /// Returns the figures of people, each with one session of 1 s of visible time.
    ///
    /// - Parameter users: By person and then by cache, the blank time in thousandths of the visible time.
    static func blank(_ caches: [String], _ users: [[Double]]) -> FleetTable {
        var table = FleetTable(caches: caches)
        for (user, blanks) in users.enumerated() {
            for (cache, blank) in zip(caches, blanks) {
                let run = FleetSamples.run(
                    "s\(user)", cache, bytes: Int64(blank * 100), blank: blank * 1e6, visible: 1e9)
                table.add(run, user: "u\(user)")
            }
        }
        return table
    }
}
