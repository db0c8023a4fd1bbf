import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Time in the foreground")
struct ForegroundClockTests {
    private func clock(_ events: [(Int64, TraceEvent.Action)]) -> ForegroundClock {
        ForegroundClock(Trace(events: events.map { TraceEvent(time: $0.0, $0.1) }))
    }

    @Test("It stands still from each background to the next foreground")
    func absences() {
        let clock = clock([(10, .background), (30, .foreground), (50, .background), (51, .foreground)])
        // Microseconds of the trace and nanoseconds of the clock: 20 µs and then 1 µs are in the background.
        let moments: [(moment: Int64, passed: Int64)] = [
            (0, 0), (10_000, 10_000), (11_000, 10_000), (30_000, 10_000), (31_000, 11_000), (50_000, 30_000),
            (50_500, 30_000), (52_000, 31_000),
        ]
        for (moment, passed) in moments { #expect(clock.time(at: moment) == passed, "\(moment)") }
        #expect(clock.time(from: 5_000, to: 40_000) == 15_000)
    }

    @Test("A cell that appears ends an absence that lacks its foreground; one that disappears does not")
    func appearance() {
        let clock = clock([
            (10, .background), (20, .disappear(0, .full)), (30, .appear(0, .full)), (35, .foreground),
            (40, .background),
        ])
        // The app is away from 10 to 30 µs, and from 40 µs on.
        let moments: [(moment: Int64, passed: Int64)] = [
            (10_000, 10_000), (25_000, 10_000), (30_000, 10_000), (36_000, 16_000), (90_000, 20_000),
        ]
        for (moment, passed) in moments { #expect(clock.time(at: moment) == passed, "\(moment)") }
    }

    @Test("A background without an end lasts for ever, and other events change nothing")
    func open() {
        let clock = clock([(10, .background), (12, .background), (15, .memoryWarning)])
        #expect(clock.time(at: 1_000_000_000) == 10_000)
        #expect(ForegroundClock().time(at: 77) == 77)
    }

    @Test("Cells that appear after a background without a foreground are blank as long as their images are missing")
    func blankAfterReturn() throws {
        // A fetch takes 100 ms, and a lookup and a store in memory 1 µs each.
        var story = Story(network: [("A", 100, 200), ("B", 100, 200)])
        story.appear("A", at: 0)
        story.append(.background, at: 1_000)
        story.appear("B", at: 61_000)
        story.disappear("B", at: 62_000)
        story.disappear("A", at: 63_000)
        let result = try story.replay("lru(10kB)")
        #expect(result.blank.blankTime == 200_004_000)
        // A is visible for 1 s and then for 2 s, and B for 1 s.
        #expect(result.blank.visibleTime == 4e9)
    }
}
