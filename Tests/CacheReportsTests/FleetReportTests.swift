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

    @Test("The conclusions follow from the figures")
    func conclusions() {
        #expect(
            Self.fleet.conclusions.map(\.text) == [
                """
                two leaves the least blank time: 55.9% of the visible time in the mean over 220 users (53.3% to \
                58.5%). The next, one, leaves 0.94 points more (0.88 to 0.99).
                """,
                "97.7% of 220 users have less blank time with two than with one, and none has more.",
                "For one user in 20, two leaves at least 83.2% of the visible time blank.",
                """
                two holds up to 5.29 MB in memory for half of the users, and up to 8.76 MB for 19 in 20.
                """,
                "These figures rest on 553 sessions of 220 users.",
            ])
        #expect(
            FleetStatisticsTests.story.conclusions.last?.text == """
                These figures rest on 5 sessions of 3 users. That is too few for intervals of the means of shown, \
                blank and 4 more. Sessions of 50 users give an interval of the blank time.
                """)
    }

    @Test("Caches whose difference's interval contains 0 tie")
    func ties() {
        // The blank time of each user differs by up to 2 points, in both directions alike.
        var table = FleetTable(caches: ["one", "two"])
        for user in 0..<60 {
            let change = Double(user % 2 == 0 ? user : -user) / 3_000
            for (cache, blank) in [("one", 0.3), ("two", 0.3 + change)] {
                table.add(FleetSamples.run("s", cache, blank: blank * 1e6, visible: 1e6), user: "user-\(user)")
            }
        }
        let statistics = FleetStatistics(table, seed: 1, resamples: 199, threads: 1)
        #expect(
            statistics.conclusions.map(\.text).prefix(2) == [
                """
                Stay with what you have: both caches tie. They leave 30.0% of the visible time blank in the mean over \
                60 users.
                """,
                "46.7% of 60 users have less blank time with two than with one, and 46.7% have more.",
            ])
    }

    @Test("A note names the events that were injected into the sessions")
    func injectedEvents() {
        var runs = FleetSamples.story
        for place in runs.indices { runs[place].result.identity.injected = "relaunch at 90s" }
        let notes = FleetStatistics(FleetSamples.table(runs), seed: 1, threads: 1).notes
        #expect(notes.contains("The recording lacks these events, which were injected: relaunch at 90s."))
        #expect(!FleetStatisticsTests.story.notes.contains { $0.contains("injected") })
    }

    @Test("The text has a table for each figure, the differences, and notes, in lines that fit")
    func text() throws {
        let text = Self.fleet.document().plain(width: 80)
        #expect(text.split(separator: "\n").allSatisfy { TextGrid.width(String($0)) <= 80 })
        #expect(
            text.contains(
                """
                blank: share of the visible time of cells without an image
                cache   mean    95% interval     p5    p25    p50    p75    p95
                -----  -----  --------------  -----  -----  -----  -----  -----
                two    55.9%  53.3% to 58.5%  26.7%  40.6%  55.6%  70.2%  83.2%
                one    56.9%  54.3% to 59.4%  27.8%  41.3%  56.4%  71.2%  84.3%

                """))
        #expect(
            text.contains(
                """
                blank in percentage points more than with two, for the same users
                cache   mean    95% interval  better  worse  equal
                -----  -----  --------------  ------  -----  -----
                one    +0.94  +0.88 to +0.99    0.0%  97.7%   2.3%

                """))
        #expect(text.hasSuffix("No interval where all users have the same value.\n"))
        // A narrow terminal keeps the mean and the median.
        let narrow = Self.fleet.document().plain(width: 40)
        #expect(narrow.contains("cache   mean    p50    p95\n"))
    }

    @Test("Rows are sorted by the mean of a figure, by name, or as given")
    func order() throws {
        func first(_ name: String) throws -> Substring? {
            let order = try #require(ResultOrder(name))
            let document = Self.fleet.document(of: .blank, by: order, onlyTables: true)
            // Behind the caption, the headings and the rule.
            return document.plain().split(separator: "\n").dropFirst(3).first?.prefix(3)
        }
        // The means are 56.9 % with one, and 55.9 % with two.
        #expect(try first("blank") == "two" && first("blank_ratio") == "two")
        #expect(try first("given") == "one" && first("cache") == "one")
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

    @Test("The JSON text has every figure, with null and the reason where there is no interval")
    func json() throws {
        let data = Data(FleetStatisticsTests.story.json.utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["users"] as? Int == 3 && object["sessions"] as? Int == 5)
        let figures = try #require(object["figures"] as? [[String: Any]])
        // 6 figures, 2 levels, 2 caches.
        #expect(figures.count == 24)
        let quartile = try #require(figures[0]["p25"] as? [String: Any])
        #expect(quartile["value"] as? Double == 0.65 && quartile["low"] is NSNull)
        #expect(quartile["no_interval"] as? String == "too few users")
        #expect((object["pairs"] as? [Any])?.count == 6)
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

    @Test("Each network has charts of its own caches, whose axes are those of all networks")
    func networks() {
        let table = Self.tableOverNetworks
        let charts = FleetChart.charts(table, FleetStatistics(table, seed: 1, threads: 1), ChartOptions())
        #expect(charts.map(\.name) == ["fleet-lte-users", "fleet-lte-limits", "fleet-3g-users", "fleet-3g-limits"])
        let titles = ["Blank time of 2 users", "Users with at most so much blank time"]
        #expect(charts.map(\.title) == ["lte", "3g"].flatMap { network in titles.map { "\($0) over \(network)" } })
        func lines(_ text: String, from start: String = "") -> [String] {
            text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(start) }
        }
        // Of two values, each percentile is its share of the way from the lower to the higher one.
        #expect(
            lines(charts[0].data).dropFirst() == [
                "1,0.200000,0.110000,0.150000,0.200000,0.250000,0.290000,one",
                "2,0.300000,0.165000,0.225000,0.300000,0.375000,0.435000,two",
            ])
        #expect(
            lines(charts[2].data).dropFirst() == [
                "1,0.400000,0.220000,0.300000,0.400000,0.500000,0.580000,one",
                "2,0.600000,0.330000,0.450000,0.600000,0.750000,0.870000,two",
            ])
        for kind in 0...1 {
            let range = lines(charts[kind].script, from: "set xrange")
            #expect(range.count == 1 && range == lines(charts[kind + 2].script, from: "set xrange"))
        }
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

    @Test("The report on a fleet answers first who is worse off, and shows a few sessions in detail")
    func page() throws {
        let runs = FleetSamples.fleet(users: 220)
        let table = FleetSamples.table(runs)
        let fleet = try #require(ReportFleet(table, Self.fleet))
        #expect(fleet.details.count == 3)
        let names = Set(fleet.details.map(\.session))
        let html = ReportPage(runs.map(\.result).filter { names.contains($0.identity.trace) }, nil, [], fleet: fleet)
            .html
        let places = [
            "<h1>", "<h2 id=\"overview-title\">Blank time by cache, over users</h2>", "<h2 id=\"conclusions-title\">",
            "<h2 id=\"worse-title\">", "<h2 id=\"users-title\">",
            "<h2 id=\"sessions-title\">Sessions in detail", "<h2 id=\"t1-title\">", "<h2 id=\"notes-title\">",
        ].map { html.range(of: $0)?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(html.contains("sessions of 220 users"))
        let least = try #require(Self.fleet.row(.blank, "two"))
        #expect(
            html.contains(
                """
                <tr><th scope="row">two</th><td class="share tie" \
                style="--colour:\(Int((least.mean.value.squareRoot() * 94).rounded()))%"
                """))
        for title in ["mean of users", "median user", "one user in 4<span>at least</span>", "peak memory"] {
            #expect(html.contains(title))
        }
        let pair = try #require(Self.fleet.pair(.blank, "two", "one"))
        let difference = pair.difference
        let interval = try #require(difference.interval)
        let shares = [try #require(pair.better), try #require(pair.worse), pair.equal]
        let cells =
            [
                FleetTexts.difference(difference.value, .blank),
                "\(FleetTexts.difference(interval.low, .blank)) to \(FleetTexts.difference(interval.high, .blank))",
            ] + shares.map(HumanText.share)
        let row = "<tr><th scope=\"row\">one</th>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
        #expect(html.contains(row))
    }
}
