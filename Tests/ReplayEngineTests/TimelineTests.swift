import CachePolicies
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("The timeline of a run, its marks and its limit")
struct TimelineTests {
    @Test("A timeline has a row for each second in which something changes, however long the trace is")
    func sparseTimeline() throws {
        var story = Story(network: [("A", 1_500, 200)])
        story.appear("A", at: 500)
        let month: Int64 = 30 * 86_400
        story.appear("A", at: month * 1_000 + 100)
        story.append(.foreground, at: month * 1_000 + 5_000)
        let timeline = try story.replay("lru(10kB)").timeline
        // The fetch runs from 0.5 s to 2 s, and the cell has its image 2 µs later. A hit takes 1 µs.
        #expect(timeline.map { Int64($0.second) } == [0, 1, 2, 3, month, month + 1, month + 5])
        #expect(timeline.map(\.requests) == [1, 0, 0, 0, 1, 0, 0])
        #expect(timeline.map(\.memoryHits) == [0, 0, 0, 0, 1, 0, 0])
        #expect(timeline.map(\.memoryBytes) == [0, 0, 1_000, 1_000, 1_000, 1_000, 1_000])
        #expect(timeline.map(\.fetchesInFlight) == [0.5, 1, 0, 0, 0, 0, 0])
        #expect(timeline.map(\.blankCells) == [0.5, 1, 0.000_002, 0, 0.000_001, 0, 0])
    }

    @Test("Blank cells are visible and have no image: the mean over the second")
    func blankCells() throws {
        // B fails after 1,200 ms, C disappears at 1,500 ms, and A has its image after 2,500 ms.
        var story = Story(network: [("A", 2_500, 200), ("B", 1_200, 404), ("C", 3_000, 200)])
        story.appear("A", at: 100)
        story.appear("B", at: 200)
        story.appear("C", at: 300)
        story.disappear("C", at: 1_500)
        story.append(.foreground, at: 4_000)
        let timeline = try story.replay("lru(10kB)").timeline
        let blank = Dictionary(uniqueKeysWithValues: timeline.map { ($0.second, $0.blankCells) })
        // A from 0.1 s to 2 µs after 2.6 s, B from 0.2 s, and C from 0.3 s to 1.5 s.
        #expect(blank[0] == 2.4)
        #expect(blank[1] == 2.5)
        // A failed image stays blank as long as its cell is visible, which is to the end.
        #expect(blank[2] == 1.600_002)
        #expect(blank[3] == 1)
        #expect(blank[4] == 1)
        #expect(timeline.allSatisfy { $0.blankCells >= 0 })
    }

    @Test("No cell is blank in the background: the sum over the seconds is the blank time")
    func blankCellsInTheBackground() throws {
        // B has no image from 0.5 s on. The app is away from 2.25 s to 10.5 s.
        var story = Story(network: [("B", 100, 404)])
        story.appear("B", at: 500)
        story.append(.background, at: 2_250)
        story.append(.foreground, at: 10_500)
        story.append(.foreground, at: 12_000)
        let result = try story.replay("lru(10kB)")
        #expect(result.timeline.map(\.second) == [0, 1, 2, 3, 10, 11, 12])
        #expect(result.timeline.map(\.blankCells) == [0.5, 1, 0.25, 0, 0.5, 1, 1])
        #expect(result.blank.blankTime == 3_250_000_000)
    }

    @Test("Marks are the events of the system, and the begin and end of each scroll")
    func marks() throws {
        var story = Story()
        story.appear("A", at: 0)
        story.scroll(.dragged, at: 100)
        story.scroll(.decelerating, at: 200)
        story.append(.memoryWarning, at: 250)
        story.scroll(.atRest, at: 300)
        story.append(.background, at: 400)
        story.append(.terminate, at: 500)
        story.append(.foreground, at: 600)
        story.scroll(.dragged, at: 700)
        story.appear("B", at: 800)
        let result = try story.replay("lru(10kB)")
        let expected: [(SessionMark.Kind, Int64)] = [
            (.scrollBegan, 100), (.memoryWarning, 250), (.scrollEnded, 300), (.background, 400), (.relaunch, 500),
            (.foreground, 600), (.scrollBegan, 700), (.scrollEnded, 800),
        ]
        #expect(result.marks == expected.map { SessionMark($0.0, at: $0.1 * 1_000_000) })
        #expect(result.omittedMarks == 0)
    }

    @Test("Many marks stay few: near scrolls become one, and the first events of the system are kept")
    func manyMarks() {
        var story = Story()
        // 300 scrolls of 100 ms: pairs with a pause of 0.9 s, and 4 s to the next pair.
        for pair in 0..<150 {
            for start in [pair * 5_000, pair * 5_000 + 1_000] {
                story.scroll(.dragged, at: Int64(start))
                story.scroll(.atRest, at: Int64(start) + 100)
            }
        }
        for warning in 0..<203 { story.append(.memoryWarning, at: 800_000 + Int64(warning)) }
        let (marks, omitted) = SessionMark.marks(of: story.trace)
        #expect(omitted == 3)
        #expect(marks.count { $0.kind == .memoryWarning } == 200)
        let scrolls = marks.filter { $0.kind == .scrollBegan || $0.kind == .scrollEnded }
        #expect(scrolls.count == 300)
        #expect(scrolls.prefix(3).map(\.time) == [0, 1_100_000_000, 5_000_000_000])
    }

    @Test(
        "The limit of memory is the one of its only policy, in the bytes that memory counts",
        arguments: [
            ("lru(10kB)", 10_000), ("lru(10kB, 3 objects)", 10_000), ("lru(3 objects)", nil), ("unbounded", nil),
            ("ttl(nscache(cost: 5kB), lifetime: 60s)", 5_000), ("nscache(count: 3)", nil),
            ("nscache(cost: 5kB, model: gnustep)", nil),
            ("nscache(cost: 5kB, model: gnustep, discardable: true)", 5_000),
            ("max-size(lru(10kB), limit: 2kB)", 10_000), ("split(thumbnail: lru(1kB), full: lru(2kB))", nil),
            // A share of two objects of 1,000 bytes.
            ("memory: lru(50%); holds: encoded", 1_000),
            ("memory: lru(10kB); cost: none", nil), ("memory: lru(10kB); cost: encoded; holds: decoded", nil),
            ("memory: lru(10kB); cost: encoded; holds: encoded", 10_000),
            ("memory: lru(10kB); disk: lru(1MB); encodedMemory: 5kB", nil),
        ] as [(String, Int?)])
    func memoryLimit(cache: String, limit: Int?) throws {
        var story = Story()
        story.appear("A", at: 0)
        story.appear("B", at: 10)
        #expect(try story.replay(cache).memoryLimit == limit, "\(cache)")
    }
}
