import Basics
import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The report on a fleet")
struct FleetReportTests {
    private static let fleet = FleetStatistics(
        FleetSamples.table(FleetSamples.fleet(users: 220)), seed: 5, resamples: 200, threads: 2)

    private static func csv(_ name: String, of statistics: FleetStatistics) throws -> [String] {
        let file = try #require(statistics.csv().first { $0.name == name })
        return file.text.split(separator: "\n").map(String.init)
    }

    @Test("fleet.csv has a row for each statistic, and says why an interval is missing")
    func statistics() throws {
        let lines = try Self.csv("fleet.csv", of: FleetStatisticsTests.story)
        #expect(lines[0] == "cache,figure,unit,over,statistic,value,low,high,no_interval,count,without")
        // 6 figures, 2 levels, 2 caches, 6 statistics.
        #expect(lines.count == 1 + 144)
        #expect(lines.contains("one,shown_ratio,ratio,users,p25,0.650000,,,too few users,3,0"))
        #expect(lines.contains("one,origin_bytes,bytes,sessions,mean,1800,,,too few users,5,0"))
        let fleet = try Self.csv("fleet.csv", of: Self.fleet)
        #expect(fleet.contains { $0.hasPrefix("two,blank_ratio,ratio,users,mean,0.559") && $0.hasSuffix(",,220,0") })
    }

    @Test("fleet-pairs.csv has a row for each figure and pair")
    func pairs() throws {
        let lines = try Self.csv("fleet-pairs.csv", of: FleetStatisticsTests.story)
        #expect(
            lines == [
                "first,second,figure,unit,value,low,high,no_interval,better,worse,equal,count,without",
                "one,two,shown_ratio,ratio,0.000000,,,too few users,0.333333,0.333333,0.333333,3,0",
                "one,two,blank_ratio,ratio,0.000000,,,too few users,0.000000,0.000000,1.000000,3,0",
                "one,two,origin_bytes,bytes,1,,,too few users,0.333333,0.333333,0.333333,3,0",
                "one,two,memory_peak_bytes,bytes,1,,,too few users,0.000000,0.333333,0.666667,3,0",
                "one,two,memory_hit_ratio,ratio,0.000000,,,too few users,0.000000,0.000000,1.000000,3,0",
                "one,two,disk_hit_ratio,ratio,0.000000,,,too few users,,,1.000000,3,0",
            ])
    }

    @Test("fleet-pairs.csv compares caches over the same network only")
    func pairsOfNetworks() throws {
        let statistics = FleetStatistics(Self.tableOverNetworks, seed: 1, threads: 1)
        let lines = try Self.csv("fleet-pairs.csv", of: statistics).dropFirst()
        // 6 figures of the pair over each network.
        #expect(lines.count == 12)
        let pairs = lines.map { $0.split(separator: ",").prefix(2).joined(separator: " – ") }.unique()
        #expect(pairs == ["one over lte – two over lte", "one over 3g – two over 3g"])
    }

    @Test("fleet-latency.csv has the percentiles of all requests")
    func latencies() throws {
        var table = FleetTable(caches: ["lru"])
        var result = Samples.ten()
        var summary = LatencySummary(group: .diskHit)
        (summary.count, summary.mean, summary.max) = (2, 150, 200)
        summary.p50 = 100
        (summary.p90, summary.p99, summary.p999) = (200, 200, 200)
        summary.distribution = [.init(latency: 100, fraction: 0.5), .init(latency: 200, fraction: 1)]
        result.latencies = [summary]
        table.add(result, user: nil)
        let lines = try Self.csv("fleet-latency.csv", of: FleetStatistics(table, seed: 1, threads: 1))
        #expect(
            lines == [
                "cache,outcome,count,mean_us,p50_us,p90_us,p99_us,p999_us,max_us",
                "lru,disk_hit,2,0.150,0.100,0.200,0.200,0.200,0.200", "lru,all,2,0.150,0.100,0.200,0.200,0.200,0.200",
            ])
    }

    @Test("Caches whose difference's interval contains 0 tie")
    func ties() {
        // The blank time of each user differs by up to 2 points, in both directions alike.
        let statistics = FleetStatistics.of(["one", "two"], users: 60) { cache, user in
            let change = Double(user % 2 == 0 ? user : -user) / 3_000
            return FleetSamples.run("s", cache, blank: (cache == "one" ? 0.3 : 0.3 + change) * 1e6, visible: 1e6)
        }
        #expect(
            statistics.conclusions.map(\.text).prefix(2) == [
                """
                Stay with what you have: both caches tie. They leave 30.0% of the visible time blank in the mean over \
                60 users.
                """,
                "46.7% of 60 users have less blank time with two than with one, and 46.7% have more.",
            ])
    }

    @Test("Names of caches neither break lines nor control the terminal")
    func hostileNames() {
        let name = "lru\u{1B}[2J\n* All is well."
        var table = FleetTable(caches: [name])
        table.add(FleetSamples.run("a\u{7}", name), user: "\u{7}")
        let statistics = FleetStatistics(table, seed: 1, threads: 1)
        let text = statistics.document().plain(width: 80)
        #expect(!text.contains("\u{1B}") && !text.contains("\u{7}"))
        #expect(!text.contains("\n* All is well."))
        #expect(statistics.csv()[0].text.contains("\"\(name)\",shown_ratio"))
        #expect(!statistics.csv().contains { $0.text.contains("\u{7}") })
    }

    @Test("The losses are the users for whom another cache is better, with the most that one loses first")
    func losses() {
        let runs = [
            (FleetSamples.run("a", "one", blank: 10), "ann"), (FleetSamples.run("a", "two", blank: 4), "ann"),
            (FleetSamples.run("b", "one", blank: 5), "bob"), (FleetSamples.run("b", "two", blank: 5), "bob"),
            (FleetSamples.run("c", "one", blank: 30), "cleo"), (FleetSamples.run("c", "two", blank: 20), "cleo"),
            (FleetSamples.run("d", "one", blank: 1), "dan"), (FleetSamples.run("d", "two", blank: 2), "dan"),
        ]
        let users = FleetUsers(FleetSamples.table(runs.map { ($0.0, $0.1) }), .blank)
        let losses = users.losses(with: 0)
        #expect(losses.map(\.user.name) == ["cleo", "ann"])
        #expect(losses.allSatisfy { $0.best == 1 } && abs(losses[1].amount - 0.06) < 1e-12)
        #expect(users.losses(with: 1).map(\.user.name) == ["dan"])
        #expect(users.worst(cache: 1).map(\.name) == ["cleo", "bob", "ann", "dan"])
        #expect(users.sorted(cache: 0) == [0.01, 0.05, 0.1, 0.3])
    }

    @Test("The curve of a cache rises by one user at each user's value, and equal caches share one")
    func curves() throws {
        let runs = ["one", "two", "three"].flatMap { cache in
            [("a", 10.0), ("b", 30), ("c", 30), ("d", 100)].map { session, blank in
                (FleetSamples.run(session, cache, blank: cache == "two" ? blank / 2 : blank), session)
            }
        }
        let table = FleetSamples.table(runs.map { ($0.0, $0.1) }, caches: ["one", "two", "three"])
        let charts = FleetChart.charts(table, FleetStatistics(table, seed: 1, threads: 1), ChartOptions())
        #expect(charts.map(\.name) == ["fleet-users", "fleet-limits"])
        let lines = charts[1].data.split(separator: "\n").map(String.init)
        let first = lines.filter { $0.hasPrefix("1,") }
        #expect(first.allSatisfy { $0.hasSuffix("\"2 caches: one, three\"") })
        let points = first.map { $0.split(separator: ",").dropFirst().prefix(2).joined(separator: " ") }
        #expect(
            points == [
                "0.000000 0.000000", "0.100000 0.000000", "0.100000 0.250000", "0.300000 0.250000",
                "0.300000 0.500000", "0.300000 0.500000", "0.300000 0.750000", "1.000000 0.750000",
                "1.000000 1.000000", "1.000000 1.000000", "1.000000 1.000000",
            ])
        // The best cache is in the first row. Of 5, 15, 15 and 50 %, the mean is 21.25 %, and the quartile is three
        // fourths of the way from the first to the second one.
        let row = try #require(charts[0].data.split(separator: "\n").dropFirst().first)
        #expect(row == "1,0.212500,0.065000,0.125000,0.150000,0.237500,0.447500,two")
    }

    /// Two users with one session each, through two caches over two networks.
    private static var tableOverNetworks: FleetTable {
        var table = FleetTable()
        for (session, blank) in [("a", 10.0), ("b", 30)] {
            for (network, slowness) in [("lte", 1.0), ("3g", 2)] {
                for (cache, factor) in [("one", 1.0), ("two", 1.5)] {
                    table.add(
                        FleetSamples.run(session, cache, blank: blank * slowness * factor), network: network,
                        user: session)
                }
            }
        }
        return table
    }

    @Test("Without figures there are no results, even with times to image")
    func withoutFigures() {
        var statistics = Self.fleet
        statistics.rows = []
        statistics.latencies = [
            .init(cache: "one", group: .all, count: 1, mean: 1, p50: 1, p90: 1, p99: 1, p999: 1, max: 1)
        ]
        #expect(statistics.document().plain(width: 80) == "No results.\n")
    }
}
