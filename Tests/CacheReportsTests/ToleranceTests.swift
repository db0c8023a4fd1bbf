import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The relevance threshold")
struct ToleranceTests {
    @Test("a text has points, per cent, or both")
    func texts() throws {
        #expect(Tolerance("0.1,1%") == .standard && Tolerance.standard.description == "0.1,1%")
        #expect(try #require(Tolerance("0.25")).description == "0.25,1%")
        #expect(try #require(Tolerance("2.5%")).description == "0.1,2.5%")
        #expect(try #require(Tolerance("2%,1")).description == "1,2%")
        #expect(try #require(Tolerance("2%,1pt")).description == "1,2%")
        #expect(try #require(Tolerance("0,0%")).description == "0,0%")
        for wrong in ["", "x", "-1", "101", "1,2", "1%,2%", "0.1,", "nan", "inf", "1 %x"] {
            #expect(Tolerance(wrong) == nil, "\(wrong)")
        }
    }

    @Test("shares tie by points, all other figures by per cent of the smaller one")
    func ties() {
        let tolerance = Tolerance.standard
        // 0.101 - 0.1 is a little more than 0.001 in binary.
        #expect(tolerance.ties(0.1, 0.101, .ratio) && !tolerance.ties(0.1, 0.1011, .ratio))
        for unit in [Unit.bytes, .microseconds, .count] {
            #expect(tolerance.ties(1_000, 1_010, unit) && !tolerance.ties(1_000, 1_011, unit))
            #expect(!tolerance.ties(0, 1, unit) && tolerance.ties(0, 0, unit))
        }
        #expect(tolerance.text(.ratio) == "0.1 points" && tolerance.text(.bytes) == "1 %")
        #expect(Tolerance("1,5%")?.text(.ratio) == "1 point" && Tolerance("1,5%")?.text(.count) == "5 %")
    }

    @Test("a comparison allows it, and a larger one allows more")
    func comparison() throws {
        func judged(_ tolerance: Tolerance, blank: Double, bytes: Int64) throws -> [String] {
            var after = Samples.ten()
            after.blank.blankTime += blank * after.blank.visibleTime
            after.tiers.originBytes += bytes
            let comparison = try Comparison(
                baseline: ResultSet([Samples.ten()], source: "a"), candidate: ResultSet([after], source: "b"),
                rules: .init(relevanceThreshold: tolerance))
            return comparison.failures.map(\.metric)
        }
        // Of 25 % blank time, a tenth of a percent would be 0.025 points. 20 of 2,000 bytes are 1 %.
        #expect(try judged(.standard, blank: 0.001, bytes: 20) == [])
        #expect(try judged(.standard, blank: 0.0011, bytes: 21) == ["origin_bytes", "blank_ratio"])
        let larger = try #require(Tolerance("0.2,2%"))
        #expect(try judged(larger, blank: 0.002, bytes: 40) == [])
        #expect(try judged(larger, blank: 0.0021, bytes: 41) == ["origin_bytes", "blank_ratio"])
        #expect(try judged(try #require(Tolerance("0,0%")), blank: 0, bytes: 1) == ["origin_bytes"])
    }

    @Test("a defect that the baseline does not have is never within it")
    func defect() throws {
        var after = Samples.ten()
        after.counts.memoryHits -= 1
        after.counts.wrong += 1
        let comparison = try Comparison(
            baseline: ResultSet([Samples.ten()], source: "a"), candidate: ResultSet([after], source: "b"),
            rules: .init(relevanceThreshold: try #require(Tolerance("100,100%"))))
        #expect(comparison.failures.map(\.metric) == ["wrong"])
    }

    @Test("results keep it in their manifest, and users count as equal within it")
    func manifest() throws {
        var manifest = Samples.describe()
        manifest.relevanceThreshold = Tolerance("5")
        let page = ReportPage([Samples.ten()], manifest, [])
        #expect(page.results.relevanceThreshold.points == 5)
        var table = FleetTable()
        for (cache, blank) in [("one", 10.0), ("two", 14)] {
            table.add(FleetSamples.run("a", cache, blank: blank), user: "ann")
        }
        let five = try #require(Tolerance("5"))
        let statistics = FleetStatistics(table, seed: 1, threads: 1, relevanceThreshold: five)
        #expect(statistics.pair(.blank, "one", "two")?.equal == 1)
        #expect(FleetStatistics(table, seed: 1, threads: 1).pair(.blank, "one", "two")?.worse == 1)
        let users = FleetUsers(table, .blank)
        #expect(users.losses(with: 1).count == 1 && users.losses(with: 1, five).isEmpty)
    }
}
