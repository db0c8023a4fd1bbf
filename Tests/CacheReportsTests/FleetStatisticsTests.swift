import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The statistics of a fleet")
struct FleetStatisticsTests {
    static let story = FleetStatistics(FleetSamples.table(FleetSamples.story), seed: 1, threads: 1)

    private static func row(
        _ figure: FleetFigure, _ level: FleetStatistics.Level, _ cache: String = "one",
        of statistics: FleetStatistics = story
    ) throws -> FleetStatistics.Row { try #require(statistics.row(figure, cache, level)) }

    private static func isClose(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-9 }

    private static func areClose(_ one: [Double], _ other: [Double]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { isClose($0, $1) }
    }

    @Test("A user's shares are pooled over the user's sessions, and users count alike")
    func pooled() throws {
        // ann 32 of 40, bob 10 of 20, cleo 16 of 20.
        let row = try Self.row(.shown, .users)
        #expect(row.count == 3)
        #expect(Self.isClose(row.mean.value, 0.7))
        // Type 7 of 0.5, 0.8, 0.8: ranks 1.1, 1.5, 2, 2.5 and 2.9.
        #expect(Self.areClose(row.quantiles.map(\.value), [0.53, 0.65, 0.8, 0.8, 0.8]))
    }

    @Test("Sessions count alike in rows of sessions")
    func sessions() throws {
        // 0.5, 0.9, 0.5, 1 and 0.6.
        let row = try Self.row(.shown, .sessions)
        #expect(row.count == 5)
        #expect(Self.isClose(row.mean.value, 0.7))
        #expect(Self.areClose(row.quantiles.map(\.value), [0.5, 0.5, 0.6, 0.9, 0.98]))
    }

    @Test("A user's bytes are the mean of the sessions, and the memory peak is the largest")
    func amounts() throws {
        let bytes = try Self.row(.bytes, .users)
        // 2,000, 4,000 and 500.
        #expect(Self.isClose(bytes.mean.value, 6_500 / 3.0))
        #expect(bytes.quantiles[2].value == 2_000)
        let peak = try Self.row(.memoryPeak, .users)
        // 50, 20 and 5.
        #expect(peak.mean.value == 25)
        #expect(peak.quantiles[2].value == 20)
    }

    @Test("Pairs compare user by user, in the figure's better direction")
    func pairs() throws {
        // ann 0, bob +0.1, cleo 0.7 - 0.8.
        let shown = try #require(Self.story.pair(.shown, "one", "two"))
        #expect(Self.isClose(shown.difference.value, 0))
        #expect(shown.better == 1 / 3.0 && shown.worse == 1 / 3.0 && shown.equal == 1 / 3.0)
        // ann 2,000 to 1,500 is better, bob 4,000 to 4,003 is less than 0.1 % and equal, cleo 500 to 1,000 is worse.
        let bytes = try #require(Self.story.pair(.bytes, "one", "two"))
        #expect(Self.isClose(bytes.difference.value, 1))
        #expect(bytes.better == 1 / 3.0 && bytes.worse == 1 / 3.0 && bytes.equal == 1 / 3.0)
        // Only cleo's peak differs: 5 to 9.
        let peak = try #require(Self.story.pair(.memoryPeak, "one", "two"))
        #expect(peak.better == 0 && peak.worse == 1 / 3.0)
        let reversed = try #require(Self.story.pair(.memoryPeak, "two", "one"))
        #expect(reversed.better == 1 / 3.0 && Self.isClose(reversed.difference.value, -4 / 3.0))
        // Disk hits have no better direction.
        let disk = try #require(Self.story.pair(.diskHits, "one", "two"))
        #expect(disk.better == nil && disk.worse == nil && disk.equal == 1)
    }

    @Test("A session in which an NSCache evicts nothing counts for each of its models, also in the times to image")
    func models() throws {
        func run(_ session: String, _ model: NSCacheModelChoice, evictions: Int, shown: Int) -> RunResult {
            let name = model == .lru ? "ns" : "ns [\(model.rawValue)]"
            var result = FleetSamples.run(session, name, requests: 10, shown: shown)
            result.nsCacheModel = model
            result.tiers.memoryEvictions = evictions
            var latency = LatencySummary(group: .memoryHit)
            (latency.count, latency.max) = (shown, 1_000)
            result.latencies = [latency]
            return result
        }
        let runs = [
            run("a", .lru, evictions: 0, shown: 10), run("b", .lru, evictions: 3, shown: 8),
            run("b", .fifo, evictions: 4, shown: 6),
        ]
        var (table, part) = (FleetTable(), FleetTable())
        table.add(runs[0], user: "ann")
        for result in runs.dropFirst() { part.add(result, user: "bob") }
        table.merge(part)
        let statistics = FleetStatistics(table, seed: 1, threads: 1)
        // 1 and 0.8; 1 and 0.6.
        #expect(Self.isClose(try Self.row(.shown, .users, "ns", of: statistics).mean.value, 0.9))
        let fifo = try Self.row(.shown, .users, "ns [fifo]", of: statistics)
        #expect(fifo.count == 2 && fifo.countWithout == 0 && Self.isClose(fifo.mean.value, 0.8))
        let requests = statistics.latencies.filter { $0.group == .all }.map { [$0.cache: $0.count] }
        #expect(requests == [["ns": 18], ["ns [fifo]": 16]])
    }

    @Test("Three users give no interval, and say so")
    func tooFewUsers() throws {
        let row = try Self.row(.shown, .users)
        #expect(row.mean.interval == nil && row.mean.lack == .tooFewUsers)
        #expect(row.quantiles.allSatisfy { $0.interval == nil && $0.lack == .tooFewUsers })
        #expect(Self.story.notes.contains { $0.contains("too few users") })
    }

    @Test("One user gives no interval, and says so")
    func oneUser() throws {
        let runs = FleetSamples.story.filter { $0.user == "ann" }
        let statistics = FleetStatistics(FleetSamples.table(runs), seed: 1, threads: 1)
        #expect(statistics.userCount == 1 && statistics.sessionCount == 2)
        for row in statistics.rows {
            #expect(row.mean.lack == .oneUser)
            #expect(row.quantiles.allSatisfy { $0.lack == .oneUser })
        }
        #expect(statistics.pairs.allSatisfy { $0.difference.lack == .oneUser })
        #expect(statistics.conclusions.last?.text.contains("2 sessions of 1 user") == true)
    }

    @Test("Sessions without a user are users of their own, and rows of users and sessions are then equal")
    func oneSessionPerUser() throws {
        var table = FleetTable(caches: ["one", "two"])
        for (index, run) in FleetSamples.fleet(users: 250).enumerated() {
            var result = run.result
            result.identity.trace = "session-\(index / 2)"
            result.mainLane = FleetSamples.hitches(9, of: 2)
            table.add(result, user: nil)
        }
        let statistics = FleetStatistics(table, seed: 3, threads: 1)
        #expect(statistics.userCount == statistics.sessionCount)
        for figure in FleetFigure.allCases {
            let users = try Self.row(figure, .users, of: statistics)
            var sessions = try Self.row(figure, .sessions, of: statistics)
            sessions.level = .users
            #expect(users == sessions)
            if ![.diskHits, .hitches].contains(figure) {
                #expect(users.mean.interval != nil && users.quantiles[0].interval != nil)
            }
        }
        #expect(statistics.notes.contains { $0.contains("one session each") })
    }

    @Test("The same session name of two users is two sessions")
    func equalNames() {
        var table = FleetTable(caches: ["one"])
        table.add(FleetSamples.run("monday", "one"), user: "ann")
        table.add(FleetSamples.run("monday", "one"), user: "bob")
        table.add(FleetSamples.run("monday", "one"), user: nil)
        #expect(table.sessionCount == 3 && table.userCount == 3)
    }

    @Test("Repeats of a session count as one session with the mean of their figures")
    func repeats() throws {
        var table = FleetTable(caches: ["one"])
        for (repetition, bytes) in [(1, 100), (2, 300)] {
            table.add(FleetSamples.run("a", "one", repetition: repetition, bytes: Int64(bytes)), user: "ann")
        }
        table.add(FleetSamples.run("b", "one", bytes: 600), user: "ann")
        let statistics = FleetStatistics(table, seed: 1, threads: 1)
        #expect(statistics.sessionCount == 2)
        #expect(try Self.row(.bytes, .users, of: statistics).mean.value == 400)
    }

    @Test("A session without visible time has no blank share, and is counted apart")
    func withoutValue() throws {
        var table = FleetTable(caches: ["one"])
        table.add(FleetSamples.run("a", "one", blank: 50, visible: 100), user: "ann")
        table.add(FleetSamples.run("b", "one", blank: 0, visible: 0), user: "ann")
        table.add(FleetSamples.run("c", "one", blank: 0, visible: 0), user: "bob")
        let statistics = FleetStatistics(table, seed: 1, threads: 1)
        let users = try Self.row(.blank, .users, of: statistics)
        #expect(users.count == 1 && users.countWithout == 1 && users.mean.value == 0.5)
        // One user is left, although the table has two.
        #expect(users.mean.lack == .oneUser)
        let sessions = try Self.row(.blank, .sessions, of: statistics)
        #expect(sessions.count == 1 && sessions.countWithout == 2 && sessions.mean.value == 0.5)
        #expect(statistics.notes.contains { $0.contains("blank: 2 sessions have no value") })
    }

    @Test("A user whose sessions were not all replayed with both caches is in no pair")
    func missingRuns() throws {
        let runs = FleetSamples.story.filter { $0.result.identity.trace != "a2" || $0.result.identity.cache != "two" }
        let statistics = FleetStatistics(FleetSamples.table(runs), seed: 1, threads: 1)
        let pair = try #require(statistics.pair(.shown, "one", "two"))
        #expect(pair.count == 2 && pair.countWithout == 1)
        #expect(Self.isClose(pair.difference.value, 0))
        #expect(pair.better == 0.5 && pair.worse == 0.5)
    }

    @Test("Caches that are not known from the beginning follow in order of their names; their rows are the same")
    func laterCaches() {
        let runs = FleetSamples.fleet(users: 20)
        var table = FleetTable()
        for run in runs.reversed() { table.add(run.result, user: run.user) }
        #expect(table.caches == ["two", "one"] && table.runCount == runs.count)
        #expect(table.arranged(["unused", "two"]).caches == ["two", "one"])
        #expect(table.arranged([]).caches == ["one", "two"])
        let known = FleetStatistics(FleetSamples.table(runs), seed: 5, resamples: 50, threads: 1)
        #expect(FleetStatistics(table.arranged(["one"]), seed: 5, resamples: 50, threads: 1) == known)
        let part = FleetStatistics(table.with(caches: ["two"]), seed: 5, resamples: 50, threads: 1)
        #expect(part.caches == ["two"] && part.pairs.isEmpty)
        #expect(part.rows == known.rows.filter { $0.cache == "two" })
    }

    @Test("An empty table has no rows")
    func emptyTable() {
        let statistics = FleetStatistics(FleetTable(caches: ["one"]), seed: 1, threads: 1)
        #expect(statistics.rows.isEmpty && statistics.pairs.isEmpty && statistics.conclusions.isEmpty)
        #expect(statistics.document().plain(width: 80) == "No results.\n")
        #expect(statistics.csv().map { $0.text.split(separator: "\n").count } == [1, 1, 1])
    }

    @Test("Figures depend neither on the order of the runs, nor on how tables are joined, nor on the threads")
    func determinism() {
        let runs = FleetSamples.fleet(users: 220)
        let one = FleetStatistics(FleetSamples.table(runs), seed: 5, resamples: 200, threads: 1)
        #expect(one.rows.contains { $0.level == .sessions && $0.mean.interval != nil && $0.figure == .blank })
        var generator = SystemRandomNumberGenerator()
        let shuffled = runs.shuffled(using: &generator)
        #expect(FleetStatistics(FleetSamples.table(shuffled), seed: 5, resamples: 200, threads: 3) == one)
        var table = FleetSamples.table(Array(shuffled.prefix(333)))
        table.merge(FleetSamples.table(Array(shuffled.dropFirst(333)), caches: ["two", "one"]))
        #expect(FleetStatistics(table, seed: 5, resamples: 200, threads: 2) == one)
        #expect(FleetStatistics(table, seed: 6, resamples: 200, threads: 2) != one)
    }

    @Test("Figures do not depend on the names of users: trace anonymize changes these, and no interval")
    func namesOfUsers() {
        // All sessions have one of four names, so that figures decide the order of users.
        let runs = FleetSamples.fleet(users: 120)
        let renamed = runs.map { (result: $0.result, user: String($0.user.reversed())) }
        let statistics = FleetStatistics(FleetSamples.table(runs), seed: 5, resamples: 200, threads: 2)
        #expect(FleetStatistics(FleetSamples.table(renamed), seed: 5, resamples: 200, threads: 2) == statistics)
        #expect(statistics.pairs.contains { $0.difference.interval != nil })
    }

    @Test("Users are in the order of their first sessions, which stay side by side")
    func order() {
        var table = FleetTable(caches: ["one"])
        for (session, user) in [("c", "zoe"), ("b", "amy"), ("a", "zoe"), ("d", nil), ("b", "bob")] {
            table.add(FleetSamples.run(session, "one", requests: user == "bob" ? 1 : 2), user: user)
        }
        let users = FleetUsers(table, .blank).users
        // The sessions b have 1 and 2 requests.
        #expect(users.map(\.name) == ["zoe", "bob", "amy", "d"])
        #expect(users.map(\.sessions) == [["a", "c"], ["b"], ["b"], ["d"]])
    }

    @Test("Each figure of one session is that of summary.csv")
    func columns() throws {
        var result = Samples.ten()
        result.identity.cache = "one"
        var table = FleetTable(caches: ["one"])
        table.add(result, user: nil)
        let statistics = FleetStatistics(table, seed: 1, threads: 1)
        result.mainLane = FleetSamples.hitches(9, of: 2)
        table = FleetTable(caches: ["one"])
        table.add(result, user: nil)
        #expect(try Self.row(.hitches, .users, of: FleetStatistics(table, seed: 1, threads: 1)).mean.value == 9)
        for figure in FleetFigure.allCases where figure != .diskHits && figure != .hitches {
            let column = try #require(SummaryColumns[figure.rawValue])
            let value = try #require(column.value(result).number)
            #expect(try Self.row(figure, .users, of: statistics).mean.value == value)
            #expect(figure.unit == column.unit && figure.polarity == column.polarity)
        }
        // 2 of 10 requests.
        #expect(try Self.row(.diskHits, .users, of: statistics).mean.value == 0.2)
    }
}

@Suite("The latencies of a fleet")
struct FleetLatencyTests {
    private static func summary(_ latencies: [(Int64, count: Int)]) -> LatencySummary {
        var summary = LatencySummary(group: .origin)
        let all = latencies.flatMap { Array(repeating: $0.0, count: $0.count) }.sorted()
        summary.count = all.count
        summary.mean = all.reduce(0.0) { $0 + Double($1) } / Double(all.count)
        func percentile(_ share: Double) -> Int64 { all[max(1, Int((share * Double(all.count)).rounded(.up))) - 1] }
        (summary.p50, summary.p90) = (percentile(0.5), percentile(0.9))
        (summary.p99, summary.p999, summary.max) = (percentile(0.99), percentile(0.999), all.last ?? 0)
        var seen = 0
        for (latency, count) in latencies {
            seen += count
            summary.distribution.append(.init(latency: latency, fraction: Double(seen) / Double(all.count)))
        }
        return summary
    }

    private static func close(_ one: Int64, _ other: Int64) -> Bool {
        abs(Double(one - other)) <= 0.004 * Double(other)
    }

    @Test("Percentiles are those of all requests together, not means of percentiles")
    func merged() {
        var all = FleetLatencies()
        all.add(Self.summary([(1_000_000, 100)]), isCoarse: false)
        all.add(Self.summary([(1_000_000, 50), (80_000_000, 50)]), isCoarse: false)
        #expect(all.count == 200 && all.mean == 20_750_000 && all.maximum == 80_000_000)
        // 150 of 200 take 1 ms. The mean of the two 90th percentiles would be 40.5 ms.
        #expect(Self.close(all.quantile(0.5), 1_000_000))
        #expect(Self.close(all.quantile(0.75), 1_000_000))
        #expect(Self.close(all.quantile(0.9), 80_000_000))
    }

    @Test("A run weighs as much as it has requests, and its percentiles refine a thinned distribution")
    func weights() {
        var long = Self.summary([(1_000, 990), (5_000, 10)])
        // As if it were thinned: the 99th percentile is known from the summary only.
        long.distribution = [.init(latency: 1_000, fraction: 0.9), .init(latency: 5_000, fraction: 1)]
        var all = FleetLatencies()
        all.add(long, isCoarse: false)
        all.add(Self.summary([(2_000, 10)]), isCoarse: false)
        #expect(all.count == 1_010)
        #expect(Self.close(all.quantile(0.98), 1_000))
        #expect(Self.close(all.quantile(0.99), 2_000))
        #expect(Self.close(all.quantile(0.995), 5_000))
    }

    @Test("Joined tables have the same distribution, and every outcome has its row")
    func tables() {
        var (one, two, both) = (
            FleetTable(caches: ["lru"]), FleetTable(caches: ["lru"]), FleetTable(caches: ["lru"])
        )
        for (index, latency) in [1_000, 50_000, 7_000_000].enumerated() {
            var result = Samples.ten(Samples.identity(trace: "session-\(index)"))
            result.latencies = [Self.summary([(Int64(latency), 3)])]
            if index == 0 { one.add(result, user: nil) } else { two.add(result, user: nil) }
            both.add(result, user: nil)
        }
        one.merge(two)
        let statistics = FleetStatistics(both, seed: 1, threads: 1)
        #expect(FleetStatistics(one, seed: 1, threads: 1) == statistics)
        #expect(statistics.latencies.map(\.group) == [.origin, .all])
        #expect(statistics.latencies.map(\.count) == [9, 9])
        #expect(statistics.latencies.map(\.max) == [7_000_000, 7_000_000])
    }

    @Test("Runs without a timeline, whose distributions are coarse, give percentiles within 1 %")
    func coarse() throws {
        // Latencies from 10 µs to 10 s, of which a coarse distribution has the last one of each percent.
        let latencies = (0..<20_000).map { Int64(10_000 * pow(1_000_000, Double($0) / 20_000)) }
        var summary = Self.summary(latencies.map { ($0, count: 1) })
        var points: [LatencySummary.Point] = []
        var least = Int64(0)
        for point in summary.distribution {
            if Double(point.latency) > 1.01 * Double(least) {
                points.append(point)
                least = point.latency
            } else {
                points[points.count - 1] = point
            }
        }
        #expect(points.count < 1_500)
        summary.distribution = points
        var all = LatencySummary(group: .all)
        (all.count, all.mean, all.max) = (summary.count, summary.mean, summary.max)
        var result = Samples.ten(Samples.identity(trace: "session"))
        result.latencies = [summary, all]
        var table = FleetTable(caches: ["lru"])
        table.add(result, user: nil)
        let merged = try #require(table.latencies(of: .all, cache: 0))
        #expect(merged.count == 20_000)
        for share in stride(from: 0.01, to: 1, by: 0.01) {
            let exact = Double(latencies[Int((share * 20_000).rounded(.up)) - 1])
            #expect(abs(Double(merged.quantile(share)) - exact) <= 0.01 * exact, "\(share)")
        }
    }
}
