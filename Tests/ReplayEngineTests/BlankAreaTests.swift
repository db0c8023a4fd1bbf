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

    @Test("A cell of a grid with three columns is a ninth of a cell in a list")
    func columns() {
        // The areas are 1 and 1/9, and the small cell is blank for 1 s: (1/9) / (10/9) = 1/10 of a screen.
        let cells = [cell(0..<2_000, image: 0), cell(0..<2_000, image: 1_000)]
        let area = BlankArea(cells, areas: [CellArea(columns: 1), CellArea(columns: 3)])
        #expect(area.time == 100e6 && area.worstSecond == 0.1)
        // Cells of one area count as cells without any.
        let grid = BlankArea(cells, areas: [CellArea(columns: 3), CellArea(columns: 3)])
        #expect(grid.time == 500e6 && BlankArea(cells).time == 500e6)
    }

    @Test("An opened image is the screen, and two share it")
    func opened() {
        let cells = [
            cell(0..<3_000, image: 0), cell(0..<3_000, image: 1_200), cell(1_000..<2_000, image: 1_400),
            cell(1_500..<2_000, image: 1_700),
        ]
        let (thumbnail, image) = (CellArea(columns: 3), CellArea(columns: 1, isOpened: true))
        // Half of the grid is blank for 1 s, until the first image covers it. The image is blank for 400 ms: a whole
        // screen. The second image is blank for 200 ms beside the first one: half a screen.
        let area = BlankArea(cells, areas: [thumbnail, thumbnail, image, image])
        #expect(area.time == 1_000e6 && area.worstSecond == 0.5)
    }

    @Test("The columns of a cell are those of its row, and the last row is as wide as the row before it")
    func areas() {
        var story = Story()
        for (position, name) in ["A", "B", "C", "D", "E"].enumerated() {
            story.list(name, .thumbnail, position: Int32(position), row: Int32(position / 3))
        }
        story.appear("A", at: 0, .thumbnail)
        story.appear("E", at: 0, .thumbnail)
        // The list does not have this thumbnail. Full images have no list, so the next one is opened.
        story.appear("F", at: 0, .thumbnail)
        story.appear("A", at: 100)
        // The grid becomes a list with one column.
        for (position, name) in ["A", "B", "C", "D", "E"].enumerated() {
            story.list(name, .thumbnail, position: Int32(position), row: Int32(position), at: 200)
        }
        story.appear("E", at: 200, .thumbnail)
        let third = CellArea(columns: 3)
        let image = CellArea(columns: 1, isOpened: true)
        #expect(CellArea.areas(of: story.trace) == [third, third, third, image, CellArea(columns: 1)])
        var unlisted = Story()
        unlisted.appear("A", at: 0)
        #expect(CellArea.areas(of: unlisted.trace) == [])
    }

    @Test("A full image of a list is a cell of it, unless it is over a grid of thumbnails")
    func fullImages() {
        func areas(columns: Int32) -> [CellArea] {
            var story = Story()
            story.list("A", position: 0, row: 0)
            for (position, name) in ["B", "C"].enumerated() {
                story.list(name, .thumbnail, position: Int32(position), row: Int32(position) / columns)
            }
            story.appear("B", at: 0, .thumbnail)
            story.appear("A", at: 0)
            return CellArea.areas(of: story.trace)
        }
        // A conversation with portraits and pictures, and a grid with a picture in front of it.
        #expect(areas(columns: 1) == [CellArea(columns: 1), CellArea(columns: 1)])
        #expect(areas(columns: 2) == [CellArea(columns: 2), CellArea(columns: 1, isOpened: true)])
    }

    @Test("A replay of a session with lists has their geometry")
    func lists() throws {
        func time(isListed: Bool) throws -> Double {
            var story = Story(network: [("A", 600, 200), ("B", 100, 200), ("C", 100, 200), ("D", 300, 200)])
            for (position, name) in ["B", "C", "D"].enumerated() {
                if isListed { story.list(name, .thumbnail, position: Int32(position), row: 0) }
                story.appear(name, at: 0, .thumbnail)
            }
            story.appear("A", at: 1_000)
            story.disappear("A", at: 2_000)
            for name in ["B", "C", "D"] { story.disappear(name, at: 3_000, .thumbnail) }
            return try #require(try story.replay("memory: lru(10kB)").blank.screenTime)
        }
        // The whole grid for 100 ms and a third of it for 200 ms, then one of four cells for 600 ms, or the screen.
        #expect(abs(try time(isListed: false) - (100e6 + 200e6 / 3 + 600e6 / 4)) < 1e6)
        #expect(abs(try time(isListed: true) - (100e6 + 200e6 / 3 + 600e6)) < 1e6)
    }

    @Test("A walk in steps of a millisecond has the same figures", arguments: 1...10 as ClosedRange<UInt64>)
    func twin(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (cells, start): ([(visible: Range<Int64>, image: Int64, area: CellArea)], Int64) = ([], 0)
        for _ in 0..<30 {
            start += Int64.random(in: 0...300, using: &random)
            let end = start + Int64.random(in: 1...3_000, using: &random)
            let image = start + Int64.random(in: 0...2_500, using: &random)
            let columns = Int32.random(in: 1...4, using: &random)
            cells.append((start..<end, image, CellArea(columns: columns, isOpened: columns == 4)))
        }
        var seconds = [Double](repeating: 0, count: Int(start) / 1_000 + 4)
        for moment in 0..<start + 3_000 {
            let visible = cells.filter { $0.visible.contains(moment) }
            let opened = visible.filter { $0.area.isOpened }
            let screen = opened.isEmpty ? visible : opened
            guard !screen.isEmpty else { continue }
            let blank = screen.filter { moment < $0.image }
            func size(_ cells: [(visible: Range<Int64>, image: Int64, area: CellArea)]) -> Double {
                cells.reduce(0) { $0 + Double($1.area.size) }
            }
            seconds[Int(moment) / 1_000] += size(blank) / size(screen)
        }
        let area = BlankArea(cells.map { cell($0.visible, image: $0.image) }, areas: cells.map { $0.area })
        #expect(abs(area.time - seconds.reduce(0, +) * 1e6) < 1_000)
        #expect(abs(area.worstSecond - (seconds.max() ?? 0) / 1_000) < 1e-9)
    }
}
