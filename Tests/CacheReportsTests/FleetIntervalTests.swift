import Basics
import Foundation
import Statistics
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The intervals of a fleet")
struct FleetIntervalTests {
    @Test("Equal values have no interval of the mean")
    func equalValues() throws {
        var table = FleetTable(caches: ["one"])
        for user in 0..<60 {
            table.add(FleetSamples.run("s", "one", requests: 10, shown: 3), user: "user-\(user)")
        }
        let statistics = FleetStatistics(table, seed: 1, threads: 1)
        let row = try #require(statistics.row(.shown, "one"))
        #expect(row.mean.lack == .allEqual && abs(row.mean.value - 0.3) < 1e-12)
        #expect(row.quantiles[2].interval == ConfidenceInterval(low: 0.3, high: 0.3))
    }

    @Test("Intervals of means need 50 users for shares, 200 for bytes, and 400 for differences of bytes")
    func leastUsers() throws {
        for users in [49, 50, 199, 200, 399, 400] {
            let statistics = FleetStatistics(
                FleetSamples.table(FleetSamples.fleet(users: users)), seed: 1, resamples: 39, threads: 1)
            #expect((statistics.row(.shown, "one")?.mean.interval != nil) == (users >= 50))
            #expect((statistics.pair(.shown, "one", "two")?.difference.interval != nil) == (users >= 50))
            #expect((statistics.row(.bytes, "one")?.mean.interval != nil) == (users >= 200))
            #expect((statistics.pair(.bytes, "one", "two")?.difference.interval != nil) == (users >= 400))
        }
    }
}
