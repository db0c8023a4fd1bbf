import Foundation
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("The places of cells in their lists")
struct CellPlaceTests {
    /// Five thumbnails in rows of three.
    private func grid() -> Story {
        var story = Story(network: [("A", 10, 200), ("F", 10, 200)])
        for (position, name) in ["A", "B", "C", "D", "E"].enumerated() {
            story.list(name, .thumbnail, position: Int32(position), row: Int32(position / 3))
        }
        return story
    }

    @Test("A cell has the row and the column of its position; one that the list lacks has no row")
    func places() {
        var story = grid()
        story.appear("C", at: 0, .thumbnail)
        // The last row has room for three cells.
        story.appear("E", at: 0, .thumbnail)
        story.appear("F", at: 0, .thumbnail)
        // Full images have no list.
        story.appear("A", at: 100)
        #expect(
            CellPlace.places(of: story.trace) == [
                CellPlace(row: 0, column: 2, columns: 3), CellPlace(row: 1, column: 1, columns: 3),
                CellPlace(row: nil, columns: 3), CellPlace(row: nil, isOpened: true),
            ])
        var unlisted = Story()
        unlisted.appear("A", at: 0)
        #expect(CellPlace.places(of: unlisted.trace) == [])
    }

    @Test("A position that is named again counts from then on")
    func changes() {
        var story = grid()
        story.appear("D", at: 0, .thumbnail)
        // A search finds D alone.
        story.list("D", .thumbnail, position: 0, row: 0, at: 100)
        story.appear("D", at: 100, .thumbnail)
        #expect(
            CellPlace.places(of: story.trace) == [
                CellPlace(row: 1, column: 0, columns: 3), CellPlace(row: 0, column: 0, columns: 3),
            ])
    }

    @Test("A row with more columns than an area reflects has the largest number, and columns below it")
    func wideRow() throws {
        var story = Story()
        for position in 0..<100 { story.list("\(position)", position: Int32(position), row: 0) }
        story.appear("5", at: 0)
        story.appear("99", at: 0)
        let places = CellPlace.places(of: story.trace)
        #expect(places == [CellPlace(row: 0, column: 5, columns: 64), CellPlace(row: 0, column: 63, columns: 64)])
        #expect(CellPlaces(numbers: CellPlaces(places).numbers) == CellPlaces(places))
    }

    @Test("Places are stored as one list of differences, and read as the same places")
    func stored() throws {
        let places = CellPlaces([
            CellPlace(row: 4, column: 2, columns: 3), CellPlace(row: nil, columns: 3),
            CellPlace(row: 5, column: 0, columns: 3), CellPlace(row: nil, isOpened: true),
        ])
        let data = try JSONEncoder().encode(places)
        #expect(String(decoding: data, as: UTF8.self) == "[4,2,3,-5,0,3,6,0,3,-6,0,-1]")
        #expect(try JSONDecoder().decode(CellPlaces.self, from: data) == places)
    }

    @Test(
        "Numbers of anything else are refused",
        arguments: [
            [0, 0], [-2, 0, 1], [0, -1, 1], [0, 1, 1], [0, 0, 0], [0, 0, 65], [0, 0, .min], [.max, 0, 1],
            [1, 0, 1, .max, 0, 1], [0, .max, 1],
        ] as [[Int64]])
    func refused(numbers: [Int64]) {
        #expect(CellPlaces(numbers: numbers) == nil)
    }

    @Test("A replay with a film has the places of its cells, if the session records its lists")
    func replays() throws {
        func result(isListed: Bool) throws -> RunResult {
            var story = isListed ? grid() : Story(network: [("A", 10, 200)])
            story.appear("A", at: 0, .thumbnail)
            story.disappear("A", at: 1_000, .thumbnail)
            return try story.replay("memory: lru(10kB)")
        }
        let listed = try result(isListed: true)
        #expect(listed.film?.cells.count == 1)
        #expect(listed.places == CellPlaces([CellPlace(row: 0, column: 0, columns: 3)]))
        let unlisted = try result(isListed: false)
        #expect(unlisted.film?.cells.count == 1 && unlisted.places == nil)
    }
}
