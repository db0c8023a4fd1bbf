import CacheTraces
import Foundation
import ImageLibraries
import SessionModel
import Testing

@testable import ReplayEngine

@Suite("The film of a run")
struct FilmTests {
    /// Three cells at first; the second one vanishes at 50, when the fourth appears, and the first one at 60.
    static let cells: [Film.Cell] = [
        .init(appeared: 0, delivered: 0, vanished: 60, source: .memoryHit),
        .init(appeared: 10, delivered: 40, vanished: 50, source: .origin, isStale: true),
        .init(appeared: 20, source: .failed),
        .init(appeared: 50, delivered: 70, source: .coalesced),
        .init(appeared: 55, vanished: 80, source: .cancelled),
        .init(appeared: 90, delivered: 95, vanished: 99, source: .diskHit),
    ]

    @Test("A cell takes the lowest free slot, also one that becomes free at the same moment")
    func slots() {
        #expect(Film(Self.cells).slots == [0, 1, 2, 1, 3, 0])
    }

    @Test("A film is stored as one list of differences, and read as the same film")
    func stored() throws {
        let film = Film(Array(Self.cells.prefix(3)), limit: 2)
        #expect(film.numbers == [1, 0, 1, 61, 0, 10, 31, 41, 5])
        let data = try JSONEncoder().encode(film)
        #expect(String(decoding: data, as: UTF8.self) == "[1,0,1,61,0,10,31,41,5]")
        #expect(try JSONDecoder().decode(Film.self, from: data) == film)
        #expect(Film(numbers: Film(Self.cells).numbers) == Film(Self.cells))
    }

    @Test("A film keeps so many cells, and counts the others")
    func limit() {
        let cells = (0..<20_003).map { Film.Cell(appeared: Int64($0), source: .memoryHit) }
        #expect(Film(cells).cells.count == 20_000)
        #expect(Film(cells).omitted == 3)
        #expect(Film(Self.cells).omitted == 0)
    }

    @Test(
        "Numbers of anything else are refused",
        arguments: [
            [], [-1], [0, 1], [0, -1, 0, 0, 0], [0, 0, -1, 0, 0], [0, 0, 0, -1, 0], [0, 0, 0, 0, 16], [0, 0, 0, 0, -1],
            [0, .max, 1, 0, 0],
        ] as [[Int64]])
    func refused(numbers: [Int64]) {
        #expect(Film(numbers: numbers) == nil)
    }

    @Test(
        "The blank time of the cells is that of the run, for bundled sessions in modelled timing",
        arguments: [
            "stress-feed", "stress-flicks", "stress-grid", "stress-return", "stress-search", "synthetic-gallery",
        ])
    func blankTime(session: String) throws {
        let trace = try Self.bundled(session)
        for cache in ["kingfisher-8", "lru(16MB); disk: lru(50MB); connections: 2"] {
            var job = ReplayJob(trace: session, cache: try CacheConfiguration(specification: cache))
            job.timing = .modelled(.standard)
            let result = try job.run(trace)
            let film = try #require(result.film)
            let end = trace.events.last?.time ?? 0
            let foreground = ForegroundClock(trace)
            let blank = film.cells.reduce(Int64(0)) { sum, cell in
                let vanished = min(cell.vanished ?? end, end)
                let blankEnd = max(cell.appeared, min(cell.delivered ?? vanished, vanished))
                return sum + foreground.time(from: cell.appeared * 1_000, to: blankEnd * 1_000) / 1_000
            }
            // Each of a cell's times is cut to microseconds.
            let error = abs(Double(blank) - Double(result.blank.blankTime) / 1_000)
            #expect(error <= Double(film.cells.count), "\(cache): \(blank)")
            #expect(film.cells.count == result.counts.requests && film.omitted == 0)
        }
        var job = ReplayJob(trace: session, cache: try CacheConfiguration("lru(16MB)"))
        job.timing = .modelled(.standard)
        job.timeline = .every(seconds: 60)
        #expect(try job.run(trace).film == nil)
    }

    @Test("A bundled session whose recording does not say when cells vanish has no film")
    func withoutEnds() throws {
        var job = ReplayJob(trace: "photo-feed", cache: try CacheConfiguration("lru(16MB)"))
        job.timing = .modelled(.standard)
        let result = try job.run(try Self.bundled("photo-feed"))
        #expect(result.film == nil && !result.timeline.isEmpty)
    }

    @Test("The most cells that are visible at a time; a cell that vanishes makes room at the same moment")
    func mostVisible() {
        // The first four: the second one vanishes when the fourth one appears. The fifth one is the fourth at a time.
        #expect((0...6).map { Film(Array(Self.cells.prefix($0))).mostVisible } == [0, 1, 2, 3, 3, 4, 4])
    }

    @Test("A replay with more visible cells than a screen has no film, nor has one without requests")
    func screen() {
        func requests(_ count: Int64) -> [ReplayRequest] {
            (0..<count).map {
                var request = ReplayRequest()
                (request.appeared, request.vanished) = ($0 * 1_000, 1_000_000)
                return request
            }
        }
        #expect(Film.ofScreen(requests(200), end: 1_000_000)?.cells.count == 200)
        #expect(Film.ofScreen(requests(201), end: 1_000_000) == nil)
        #expect(Film.ofScreen(requests(0), end: 1_000_000) == nil)
        // Cells that are visible when the replay ends have no end; others have.
        #expect(Film.ofScreen(requests(2), end: 1_000_000)?.cells.map(\.vanished) == [nil, nil])
        #expect(Film.ofScreen(requests(2), end: 1_000_001)?.cells.map(\.vanished) == [1_000, 1_000])
    }

    static func bundled(_ session: String) throws -> Trace {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try TraceReading(contentsOf: root.appendingPathComponent("Traces/\(session).jsonl").path).trace
    }

    @Test("Requests become cells in microseconds; a wrong picture is no hit, an unfinished request is cancelled")
    func requests() {
        var late = ReplayRequest()
        (late.appeared, late.delivered, late.vanished, late.outcome) = (1_999, 5_000, 9_001, .diskHit)
        late.isStale = true
        var wrong = ReplayRequest()
        (wrong.appeared, wrong.outcome, wrong.isWrong) = (3_000, .memoryHit, true)
        var unfinished = ReplayRequest()
        unfinished.appeared = 4_000
        let cells: [Film.Cell] = [
            .init(appeared: 1, delivered: 5, vanished: 9, source: .diskHit, isStale: true),
            .init(appeared: 3, source: .wrong), .init(appeared: 4, source: .cancelled),
        ]
        #expect(Film([late, wrong, unfinished]).cells == cells)
        let short = Film([late, wrong, unfinished], limit: 1)
        #expect(short.cells == [cells[0]] && short.omitted == 2)
    }
}
