import Basics
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("Screens that are complete after the list has come to rest")
struct RestFiguresTests {
    /// A cell that is blank from a time to another one, at which it shows its image or vanishes.
    private func cell(_ blank: Range<Int64>, isShown: Bool = true) -> ReplayRequest {
        var request = ReplayRequest()
        request.appeared = blank.lowerBound
        if isShown { request.delivered = blank.upperBound } else { request.vanished = blank.upperBound }
        return request
    }

    private func figures(_ cells: [ReplayRequest], _ rests: Range<Int64>...) -> [Int64]? {
        RestFigures(cells, rests: rests).map { [Int64($0.rests), Int64($0.incomplete), $0.p50, $0.p95] }
    }

    @Test("A list rests at 1 s, and its last cell shows its image 400 ms later")
    func story() throws {
        var story = Story(network: [("A", 600, 200), ("B", 100, 200)])
        story.scroll(.dragged, at: 0)
        story.appear("B", at: 500)
        story.appear("A", at: 800)
        story.scroll(.atRest, at: 1_000)
        story.append(.foreground, at: 3_000)
        story.disappear("B", at: 3_000)
        let rests = try #require(try story.replay("memory: lru(10kB)").rests)
        // A store of 2 µs comes after the transfer.
        #expect(rests.rests == 1 && rests.incomplete == 0)
        #expect(rests.p50 == 400_002_000 && rests.p95 == 400_002_000)
        // A cache that fetches at rest needs 600 ms.
        let waiting = try #require(try story.replay("memory: lru(10kB); fetchWhileScrolling: false").rests)
        #expect(waiting.p50 == 600_002_000)
        #expect(try story.replay("memory: lru(10kB)", .modelled(.instant)).rests == nil)
    }

    @Test("A trace in which no cell vanishes, or whose list never rests, has no figures")
    func none() throws {
        var stays = Story(network: [("A", 600, 200)])
        stays.scroll(.dragged, at: 0)
        stays.appear("A", at: 800)
        stays.scroll(.atRest, at: 1_000)
        stays.append(.foreground, at: 3_000)
        #expect(try stays.replay("memory: lru(10kB)").rests == nil)
        var moves = Story(network: [("A", 600, 200)])
        moves.scroll(.dragged, at: 0)
        moves.appear("A", at: 800)
        moves.disappear("A", at: 3_000)
        #expect(try moves.replay("memory: lru(10kB)").rests == nil)
    }

    @Test("The wait ends at the first moment without a blank cell, and at the latest with the rest")
    func moments() {
        // Number of rests, incomplete ones, median, 95th percentile.
        #expect(figures([]) == nil)
        #expect(figures([], 10..<20) == [1, 0, 0, 0])
        #expect(figures([cell(0..<10)], 10..<20) == [1, 0, 0, 0])
        #expect(figures([cell(0..<14), cell(5..<12)], 10..<20) == [1, 0, 4, 4])
        // A cell that vanishes ends the wait for it.
        #expect(figures([cell(0..<14, isShown: false)], 10..<20) == [1, 0, 4, 4])
        // A cell that appears while another one is blank, or at the moment at which it shows its image.
        #expect(figures([cell(0..<14), cell(12..<17)], 10..<20) == [1, 0, 7, 7])
        #expect(figures([cell(0..<14), cell(14..<17)], 10..<20) == [1, 0, 7, 7])
        // The screen was complete at 14.
        #expect(figures([cell(0..<14), cell(15..<17)], 10..<20) == [1, 0, 4, 4])
        // Incomplete rests count with their length.
        #expect(figures([cell(0..<25)], 10..<20) == [1, 1, 10, 10])
        #expect(figures([cell(0..<20, isShown: false)], 10..<20) == [1, 1, 10, 10])
        // Three rests of 0, 3 and 10.
        #expect(figures([cell(30..<43), cell(55..<100)], 10..<20, 40..<50, 60..<70) == [3, 1, 3, 10])
    }

    @Test("A search through all moments has the same figures", arguments: 1...20 as ClosedRange<UInt64>)
    func twin(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (cells, rests, time): ([Range<Int64>], [Range<Int64>], Int64) = ([], [], 0)
        for _ in 0..<100 {
            time += Int64.random(in: 0...6, using: &random)
            cells.append(time..<time + Int64.random(in: 1...12, using: &random))
        }
        var start: Int64 = 0
        while start < time {
            start += Int64.random(in: 0...15, using: &random)
            let end = start + Int64.random(in: 1...15, using: &random)
            rests.append(start..<end)
            start = end
        }
        func isBlank(_ moment: Int64) -> Bool { cells.contains { $0.contains(moment) } }
        var (waits, incomplete): ([Int64], Int) = ([], 0)
        for rest in rests {
            let complete = rest.first { !isBlank($0) }
            waits.append((complete ?? rest.upperBound) - rest.lowerBound)
            if complete == nil { incomplete += 1 }
        }
        waits.sort()
        let figures = try #require(RestFigures(cells.map { cell($0) }, rests: rests))
        #expect(figures.rests == rests.count && figures.incomplete == incomplete)
        #expect(figures.p50 == waits[(waits.count + 1) / 2 - 1])
        #expect(figures.p95 == waits[(waits.count * 95 + 99) / 100 - 1])
    }
}
