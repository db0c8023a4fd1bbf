import ReplayEngine
import Testing

@testable import CacheReports

@Suite("The order of rows")
struct ResultOrderTests {
    /// - Parameters:
    ///   - blank: In thousandths of the visible time.
    ///   - bytes: Those that were fetched.
    private static func run(_ cache: String, blank: Int64, bytes: Int64 = 2_000) -> RunResult {
        var run = Samples.ten(Samples.identity(cache: cache))
        run.blank.blankTime = Double(blank) * 1_000_000
        run.tiers.originBytes = bytes
        return run
    }

    private func names(_ runs: [RunResult], by order: String? = nil) throws -> [String] {
        let order = try order.map { try #require(ResultOrder($0)) } ?? .standard
        return order.ordered(ResultSet(runs, source: "x").groups).map(\.key.cache)
    }

    @Test("The least blank time comes first, and figures that read the same are as on the command line")
    func blank() throws {
        // 30.0 %, 12.1 %, 5.0 %, and 12.12 %, which reads as 12.1 %.
        var runs = [
            Self.run("c", blank: 300), Self.run("b", blank: 121), Self.run("a", blank: 50), Self.run("d", blank: 0),
        ]
        runs[3].blank.blankTime = 121_200_000
        #expect(try names(runs) == ["a", "b", "d", "c"])
        runs.swapAt(1, 3)
        #expect(try names(runs) == ["a", "d", "b", "c"])
        #expect(try names(runs, by: "given") == ["c", "d", "a", "b"])
        #expect(try names(runs, by: "cache") == ["a", "b", "c", "d"])
    }

    @Test("A sweep stays in the order of its values, at the place of its best row")
    func sweep() throws {
        // The best value of k leaves 10 % blank: behind b with 5 %, before c with 20 %.
        let runs = [
            Self.run("c", blank: 200), Self.run("k memory=128MB", blank: 100), Self.run("k memory=16MB", blank: 300),
            Self.run("b", blank: 50), Self.run("k memory=64MB", blank: 250), Self.run("k memory=32MB", blank: 260),
        ]
        let sweep = ["k memory=16MB", "k memory=32MB", "k memory=64MB", "k memory=128MB"]
        #expect(try names(runs) == ["b"] + sweep + ["c"])
        // A column sorts each row by its own figure.
        #expect(
            try names(runs, by: "blank") == [
                "b", "k memory=128MB", "c", "k memory=64MB", "k memory=32MB", "k memory=16MB",
            ])
    }

    @Test("A column begins with its better end, or with the least of what has none, and ends with what has no figure")
    func columns() throws {
        var runs = [
            Self.run("a", blank: 50, bytes: 3_000), Self.run("b", blank: 10, bytes: 1_000),
            Self.run("c", blank: 20, bytes: 2_000), RunResult(identity: Samples.identity(cache: "none")),
        ]
        runs[0].counts.shown = 9
        runs[2].counts.shown = 10
        runs[0].tiers.memoryEvictions = 7
        // Nothing was fetched with the cache without requests.
        #expect(try names(runs, by: "fetched") == ["none", "b", "c", "a"])
        #expect(try names(runs, by: "origin_bytes") == ["none", "b", "c", "a"])
        // 9, 8 and 10 of 10 requests are shown.
        #expect(try names(runs, by: "shown") == ["c", "a", "b", "none"])
        #expect(try names(runs, by: "evicted") == ["b", "c", "none", "a"])
    }

    @Test("Names are sorted by the numbers in them")
    func byName() throws {
        let runs = ["lru(128MB)", "lru(16MB)", "fifo"].map { Self.run($0, blank: 10) }
        #expect(try names(runs, by: "cache") == ["fifo", "lru(16MB)", "lru(128MB)"])
    }

    @Test("Columns are known by their titles and by the metrics of summary.csv, and no others")
    func known() {
        #expect(ResultOrder.names.prefix(4) == ["given", "cache", "≤100ms", "blank"])
        for name in ResultOrder.names + ["latency_p90_us"] { #expect(ResultOrder(name) != nil, "\(name)") }
        for name in ["", "blnk", "trace", "Blank"] { #expect(ResultOrder(name) == nil, "\(name)") }
        #expect(ResultOrder.fleetNames.allSatisfy { ResultOrder($0)?.isOfFleets == true })
        #expect(ResultOrder("evicted")?.isOfFleets == false && ResultOrder("blank_ratio")?.isOfFleets == true)
    }
}
