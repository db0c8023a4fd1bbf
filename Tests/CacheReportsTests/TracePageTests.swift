import Basics
import CacheTraces
import Foundation
import ReplayEngine
import SessionModel
import Testing
import TraceAnalysis

@testable import CacheReports
@testable import Runs

@Suite("What a trace is like, for people and programs")
struct TracePageTests {
    /// Two thumbnails, one full image; a b a in three seconds, two fetches, and a list that moves by 200 points, or 4.7
    /// screens of 844 points a minute.
    static let trace = Trace(
        header: TraceHeader(title: "<Feed>", synthetic: true),
        objects: [
            TraceObject(key: "a", bytes: 1_000), TraceObject(key: "b", bytes: 4_000),
            TraceObject(key: "c", bytes: 90_000),
        ],
        events: [
            TraceEvent(time: 0, .scroll(.dragged, offset: 0, velocity: 0)),
            TraceEvent(time: 0, .appear(0, .thumbnail)),
            TraceEvent(time: 0, .fetch(0, Fetch(bytes: 1_000, timeToFirstByte: 400_000, transferTime: 100_000))),
            TraceEvent(time: 250_000, .fetch(2, Fetch(bytes: 90_000, timeToFirstByte: 500_000, transferTime: 0))),
            TraceEvent(time: 1_000_000, .appear(1, .thumbnail)),
            TraceEvent(time: 1_000_000, .scroll(.decelerating, offset: 100, velocity: 200)),
            TraceEvent(time: 2_000_000, .scroll(.atRest, offset: 200, velocity: 0)),
            TraceEvent(time: 2_000_000, .appear(2, .full)),
            TraceEvent(time: 3_000_000, .appear(0, .thumbnail)),
        ])

    private func inspection(_ trace: Trace = trace) throws -> TraceInspection {
        var encoder = JSONLinesEncoder()
        encoder.append(trace)
        return try TraceInspection(TraceInput(bytes: encoder.bytes, path: "feed.jsonl"))
    }

    @Test("A check of the first fetches says so; without recorded times there is none")
    func partialConsistency() throws {
        let report = try ConsistencyReport(Self.trace, first: 1)
        #expect(report.isPartial)
        #expect(report.checks.map(\.fetches) == [1])
        #expect(try inspection().text(report).contains("(the first 1 fetches)"))
        let whole = try ConsistencyReport(Self.trace, first: 2)
        #expect(!whole.isPartial && whole.checks.map(\.fetches) == [2])
        let untimed = try ConsistencyReport(
            Trace(objects: [TraceObject(key: "a")], events: [TraceEvent(time: 0, .fetch(0, Fetch(bytes: 5)))]))
        #expect(untimed.checks.isEmpty && untimed.passes)
        #expect(untimed.notes == ["records no fetch with times, so there is nothing to compare."])
    }

    @Test("What is not recorded is named, and makes neither figures nor charts")
    func missing() throws {
        let csv = "key\n" + (0..<50).map { "k\($0 % 7)\n" }.joined()
        let inspection = try TraceInspection(
            TraceInput(bytes: Array(csv.utf8), path: "keys.txt"), format: TraceFormat.named("text"))
        #expect(inspection.text().contains("not recorded    sizes, times, fetch times, scrolling"))
        #expect(inspection.text().contains("sizes unknown"))
        #expect(!inspection.text().contains("between"))
        let kinds = TraceCharts(inspection.analysis, trace: "keys").charts.map(\.kind)
        #expect(kinds == [.popularity, .workingSet, .reuseDistance])
        #expect(TraceCharts(try self.inspection(Trace()).analysis, trace: "empty").charts.isEmpty)
    }

    @Test("The hit ratio of LRU, data in full")
    func reuseDistance() throws {
        let charts = TraceCharts(try inspection().analysis, trace: "feed").drawn(ChartOptions(formats: [.svg]))
        let chart = try #require(charts.first { $0.name.hasSuffix("-reuse-distance") })
        #expect(chart.name == "feed-reuse-distance")
        #expect(
            chart.data == """
                series,capacity_objects,share,name
                1,1,0,LRU
                1,2,0,LRU
                1,3,0.25,LRU
                1,5,0.25,LRU
                2,1,0.25,all but first uses: 25.0%
                2,5,0.25,all but first uses: 25.0%

                """)
        #expect(chart.script.contains("set output 'feed-reuse-distance.svg'"))
        #expect(chart.script.contains("set xtics ('1' 1, '2' 2, '5' 5"))
    }
}
