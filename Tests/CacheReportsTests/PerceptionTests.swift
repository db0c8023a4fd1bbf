import Basics
import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Figures of perception in results")
struct PerceptionTests {
    /// Ten requests in a list that moves for 50 s. At 60 Hz, ten frames are late by 210 ms in all, of which 200 ms are
    /// of decoding. At 120 Hz, frames are late by 400 ms.
    private func run() -> RunResult {
        var result = Samples.ten()
        var slow = FrameDelays()
        (slow.hitchTime, slow.overrunFrames, slow.overrunP95) = (210_000_000, 10, 12_345_678)
        slow.hitchTimes = ["decode": 200_000_000, "disk_read": 10_000_000]
        var fast = FrameDelays()
        (fast.hitchTime, fast.overrunFrames) = (400_000_000, 30)
        fast.hitchTimes = ["decode": 400_000_000]
        result.mainLane = MainLaneFigures(
            workTime: 1_700_000_000, scrollTime: 50_000_000_000, at60Hz: slow, at120Hz: fast)
        return result
    }

    private func fields(_ result: RunResult) -> [String: String] {
        let columns = SummaryColumns.mainLane
        return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.written(result)) })
    }

    @Test("Columns have hitches for each second of scrolling")
    func columns() {
        #expect(
            fields(run()) == [
                "main_lane_s": "1.700000", "scroll_s": "50.000000",
                "hitch_60hz_ms_per_s": "4.200", "overrun_frames_60hz": "10", "overrun_60hz_p95_us": "12345.678",
                "hitch_120hz_ms_per_s": "8.000", "overrun_frames_120hz": "30", "overrun_120hz_p95_us": "",
            ])
    }

    @Test("Without movement only the work is known, and without durations nothing")
    func unknown() {
        var result = run()
        result.mainLane?.scrollTime = 0
        func known() -> [String: String] { fields(result).filter { !$0.value.isEmpty } }
        #expect(known() == ["main_lane_s": "1.700000"])
        result.mainLane = nil
        #expect(known().isEmpty)
    }

    @Test("Columns have the time from rest to a complete screen")
    func rests() {
        var result = Samples.ten()
        var rests = RestFigures()
        (rests.rests, rests.incomplete, rests.p50, rests.p95) = (12, 1, 0, 400_002_000)
        func fields() -> [String] { SummaryColumns.rests.map { $0.written(result) } }
        #expect(fields() == ["", "", "", ""])
        result.rests = rests
        #expect(fields() == ["12", "1", "0.000", "400002.000"])
    }

    @Test("Columns have the part of the screen that is blank")
    func area() {
        var result = Samples.ten()
        func fields() -> [String?] {
            ["blank_area_s", "blank_area_worst_ratio"].map { SummaryColumns[$0]?.written(result) }
        }
        #expect(fields() == ["", ""])
        (result.blank.screenTime, result.blank.worstSecond) = (350_002_000, 0.25)
        #expect(fields() == ["0.350002", "0.250000"])
    }

    @Test("The table has a column of hitches, with its meaning, if there are any")
    func table() {
        let text = ResultsTable.document(ResultSet([run()], source: "x")).plain()
        #expect(text.contains("  blank   hitches  fetched  "))
        #expect(text.contains("  25.0%  4.2 ms/s     2 kB  "))
        #expect(text.contains("\nhitches: delay of frames at 60 Hz"))
        #expect(!ResultsTable.document(ResultSet([Samples.ten()], source: "x")).plain().contains("hitches"))
    }

    @Test("An explanation names the work that caused most of them")
    func explanation() {
        func texts(_ result: RunResult) -> [String] { RunExplanation(result, []).findings.map(\.text) }
        let slow = """
            While the list moved, the main lane delayed frames at 60 Hz by 4.2 ms/s, of which 95.2% went to: decode.
            """
        #expect(texts(run()).contains(slow))
        // A list without late frames at 60 Hz has those at 120 Hz.
        var result = run()
        result.mainLane?.at60Hz = FrameDelays()
        let fast = """
            While the list moved, the main lane delayed frames at 120 Hz by 8 ms/s, of which 100.0% went to: decode.
            """
        #expect(texts(result).contains(fast))
        let others = texts(Samples.ten()).filter { $0.contains("frames") }
        #expect(others.isEmpty)
    }

    @Test("The JSON of an explanation has them by kind of work, if the list moves")
    func json() throws {
        func hitches(_ result: RunResult) throws -> [[String: Any]]? {
            let data = try JSONEncoder().encode(RunExplanation(result, []))
            let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            return members["hitches"] as? [[String: Any]]
        }
        let known = try #require(try hitches(run()))
        #expect(known.map { $0["hz"] as? Int } == [60, 120])
        #expect(known.map { $0["ms"] as? Double } == [210, 400])
        // 210 and 400 ms in 50 s.
        #expect(known.map { $0["ms_per_s"] as? Double } == [4.2, 8])
        let works = try #require(known[0]["works"] as? [[String: Any]])
        #expect(works.map { $0["work"] as? String } == ["decode", "disk_read"])
        #expect(works.map { $0["ms"] as? Double } == [200, 10])
        // 200 and 10 of 210 ms.
        #expect(works.map { (1_000 * ($0["share"] as? Double ?? 0)).rounded() } == [952, 48])
        var still = run()
        still.mainLane?.scrollTime = 0
        #expect(try hitches(still) == nil)
        #expect(try hitches(Samples.ten()) == nil)
    }

    @Test("Limits and allowances are numbers of milliseconds per second")
    func limits() throws {
        #expect(try FigureBudget("hitch_60hz_ms_per_s<5").isKept(by: 4.2))
        #expect(throws: BudgetError.self) { try FigureBudget("hitch_60hz_ms_per_s<5ms") }
        #expect(try Allowance("hitch_60hz_ms_per_s:1.5").worsening == .absolute(1.5))
    }
}
