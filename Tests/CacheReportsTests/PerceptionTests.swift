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

    @Test("Limits and allowances are numbers of milliseconds per second")
    func limits() throws {
        #expect(try FigureBudget("hitch_60hz_ms_per_s<5").isKept(by: 4.2))
        #expect(throws: BudgetError.self) { try FigureBudget("hitch_60hz_ms_per_s<5ms") }
        #expect(try Allowance("hitch_60hz_ms_per_s:1.5").worsening == .absolute(1.5))
    }
}
