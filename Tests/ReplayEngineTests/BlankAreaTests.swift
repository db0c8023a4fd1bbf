import Basics
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("The part of the screen that is blank")
struct BlankAreaTests {
    /// A cell that is visible from one time to another, in milliseconds, and shows its image from a time on.
    private func cell(_ visible: Range<Int64>, image: Int64? = nil) -> ReplayRequest {
        var request = ReplayRequest()
        request.appeared = visible.lowerBound * 1_000_000
        request.vanished = visible.upperBound * 1_000_000
        request.delivered = image.map { $0 * 1_000_000 } ?? -1
        return request
    }

    @Test("Each cell is a part of the screen, as many as are visible")
    func shares() {
        // One cell, blank for 400 ms.
        let one = BlankArea([cell(0..<3_000, image: 400)])
        #expect(one.time == 400e6 && one.worstSecond == 0.4)
        // A whole screen for 200 ms, then half a screen for 200 ms, then nothing: 300 ms of a blank screen.
        let two = BlankArea([cell(0..<3_000, image: 400), cell(0..<3_000, image: 200)])
        #expect(two.time == 300e6 && two.worstSecond == 0.3)
        // The second cell leaves without an image after 300 ms: 300 ms of a whole screen, then 100 ms.
        let left = BlankArea([cell(0..<3_000, image: 400), cell(0..<300)])
        #expect(left.time == 400e6)
        // An image that comes after its cell has left shows nothing.
        let late = BlankArea([cell(0..<500, image: 500), cell(1_000..<1_250, image: 1_750)])
        #expect(late.time == 750e6 && late.worstSecond == 0.5)
        let empty = BlankArea([])
        #expect(empty.time == 0 && empty.worstSecond == 0)
    }

    @Test("The worst second is one of the trace")
    func seconds() {
        // 250 ms in the first second, 500 ms in the second one.
        let parts = BlankArea([cell(750..<5_000, image: 1_500)])
        #expect(parts.time == 750e6 && parts.worstSecond == 0.5)
        // Two whole seconds between two parts of seconds.
        let whole = BlankArea([cell(900..<5_000, image: 3_100), cell(900..<5_000, image: 900)])
        #expect(whole.time == 1_100e6 && whole.worstSecond == 0.5)
        // A second with two pauses.
        let pauses = BlankArea([cell(0..<100), cell(200..<400), cell(2_000..<2_250)])
        #expect(pauses.worstSecond == 0.3)
    }

    @Test("A replay has both figures")
    func replay() throws {
        var story = Story(network: [("A", 600, 200), ("B", 100, 200)])
        story.appear("A", at: 0)
        story.appear("B", at: 0)
        story.disappear("A", at: 2_000)
        story.disappear("B", at: 2_000)
        let blank = try story.replay("memory: lru(10kB)").blank
        // A whole screen for 100.002 ms, and half of it until 600.002 ms.
        #expect(blank.screenTime == 350_002_000 && blank.worstSecond == 0.350002)
        #expect(try story.replay("memory: lru(10kB)", .modelled(.instant)).blank.screenTime == nil)
        var stays = Story(network: [("A", 600, 200)])
        stays.appear("A", at: 0)
        stays.append(.foreground, at: 1_000)
        #expect(try stays.replay("memory: lru(10kB)").blank.screenTime == nil)
    }

    @Test("A walk in steps of a millisecond has the same figures", arguments: 1...10 as ClosedRange<UInt64>)
    func twin(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (cells, start): ([(visible: Range<Int64>, image: Int64)], Int64) = ([], 0)
        for _ in 0..<30 {
            start += Int64.random(in: 0...300, using: &random)
            let end = start + Int64.random(in: 1...3_000, using: &random)
            cells.append((start..<end, start + Int64.random(in: 0...2_500, using: &random)))
        }
        var seconds = [Double](repeating: 0, count: Int(start) / 1_000 + 4)
        for moment in 0..<start + 3_000 {
            let visible = cells.filter { $0.visible.contains(moment) }
            guard !visible.isEmpty else { continue }
            seconds[Int(moment) / 1_000] += Double(visible.count { moment < $0.image }) / Double(visible.count)
        }
        let area = BlankArea(cells.map { cell($0.visible, image: $0.image) })
        #expect(abs(area.time - seconds.reduce(0, +) * 1e6) < 1_000)
        #expect(abs(area.worstSecond - (seconds.max() ?? 0) / 1_000) < 1e-9)
    }
}
