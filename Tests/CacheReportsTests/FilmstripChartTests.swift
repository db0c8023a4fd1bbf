import Foundation
import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("The chart of what the user saw")
struct FilmstripChartTests {
    private func chart(_ kind: ChartKind, _ results: [RunResult], _ options: ChartOptions = ChartOptions()) throws
        -> Chart
    {
        let charts = ChartKind.charts(results, options)
        return try #require(charts.first { $0.name.hasSuffix("-\(kind.rawValue)") })
    }

    private func hasChart(_ results: [RunResult]) -> Bool {
        ChartKind.charts(results).contains { $0.name.hasSuffix("-filmstrip") }
    }

    /// A run with a share of blank time, and a film.
    private func run(_ cache: String, _ blank: Double, _ cells: [Film.Cell]) -> RunResult {
        var run = Samples.ten(Samples.identity(cache: cache))
        run.blank.blankTime = blank * 1e9
        run.film = Film(cells)
        return run
    }

    /// Two cells appear at 0 s and 1 s, and vanish at 3 s. The cache `a` has the first image in memory and the second
    /// one on disk, after 0.2 s. The cache `b` fetches the first one for 0.5 s, and never shows the second one.
    private var story: [RunResult] {
        [
            run(
                "b", 0.4,
                [
                    .init(appeared: 0, delivered: 500_000, vanished: 3_000_000, source: .origin),
                    .init(appeared: 1_000_000, vanished: 3_000_000, source: .cancelled),
                ]),
            run(
                "a", 0.1,
                [
                    .init(appeared: 0, delivered: 0, vanished: 3_000_000, source: .memoryHit),
                    .init(appeared: 1_000_000, delivered: 1_200_000, vanished: 3_000_000, source: .diskHit),
                ]),
        ]
    }

    private func lines(_ chart: Chart, _ start: String) -> [String] {
        chart.script.split(separator: "\n").map(String.init).filter { $0.hasPrefix(start) }
    }

    @Test("a row for each cache in the order of blank time, a column for each moment, and a cell for each visible one")
    func two() throws {
        // The caches differ from 0 s to 0.5 s, and from 1.2 s to 3 s.
        let chart = try chart(.filmstrip, story)
        #expect(chart.name == "feed-filmstrip")
        #expect(
            chart.data == """
                moment_s,row,column,waited_ms,state,cache
                0.00,1,1,0.0,memory,a
                1.20,1,1,0.0,memory,a
                1.20,2,1,200.0,disk,a
                0.00,1,1,0.0,blank,b
                1.20,1,1,500.0,network,b
                1.20,2,1,200.0,blank,b

                """)
        // Four phones with six cells, and four colours of the legend.
        #expect(lines(chart, "set object rectangle from first").count == 4 + 6)
        #expect(lines(chart, "set object rectangle from screen").count == 4)
        for fill in [Fill.memory, .disk, .network, .late] {
            #expect(chart.script.contains("fillcolor rgb '\(fill.colour)' fillstyle solid 1 noborder"))
        }
        for text in ["0:00.0", "0:01.2", "0.2 s"] {
            #expect(lines(chart, "set label '\(text)' center at first ").count == 1, "\(text)")
        }
        #expect(lines(chart, "set label 'a' right at first ").count == 1)
        #expect(lines(chart, "set label 'b' right at first ").count == 1)
        let isFirst = try #require(chart.script.range(of: "set label 'a' right"))
        #expect(chart.script[isFirst.upperBound...].contains("set label 'b' right"))
    }

    @Test("without films, without blank cells, and where nothing differs, there is no chart")
    func nothing() {
        let cells: [Film.Cell] = [.init(appeared: 0, delivered: 0, source: .memoryHit)]
        #expect(!hasChart([Samples.ten()]))
        #expect(!hasChart([run("a", 0, cells)]))
        #expect(!hasChart([run("a", 0, cells), run("b", 0, [.init(appeared: 0, delivered: 0, source: .diskHit)])]))
        // Two caches with the same blank cells do not differ, and a single one has them.
        let late: [Film.Cell] = [.init(appeared: 0, delivered: 400_000, source: .origin)]
        #expect(!hasChart([run("a", 0.2, late), run("b", 0.2, late)]))
        #expect(hasChart([run("a", 0.2, late)]))
        // A difference that is over before the next hundredth of a second is none.
        let short: [Film.Cell] = [.init(appeared: 1_000, delivered: 9_000, source: .origin)]
        #expect(!hasChart([run("a", 0, cells), run("b", 0.1, short)]))
        // Nothing is seen in the background.
        var away = story
        for index in away.indices {
            away[index].marks = [
                SessionMark(.background, at: 1_100_000_000), SessionMark(.foreground, at: 5_000_000_000),
            ]
        }
        let data = ChartKind.charts(away).first { $0.name.hasSuffix("-filmstrip") }?.data
        #expect(data?.contains("\n0.00,") == true && data?.contains("\n1.20,") == false)
    }

    @Test("the moments are those of the greatest differences, apart from each other, in order of time")
    func moments() {
        // From 10 s to 16 s, each second begins with a difference. That from 13 s on is of two cells.
        let cells = (0..<7).flatMap { second -> [Film.Cell] in
            let time = Int64(10 + second) * 1_000_000
            let cell = Film.Cell(appeared: time, delivered: time + 500_000, vanished: time + 800_000, source: .origin)
            return second == 3 ? [cell, cell] : [cell]
        }
        let fast = cells.map { cell -> Film.Cell in
            var cell = cell
            cell.delivered = cell.appeared
            return cell
        }
        let films = [Film(fast), Film(cells)]
        #expect(FilmMoments.chosen(films, absences: [], most: 1) == [13_000_000])
        let five: [Int64] = [10_000_000, 11_000_000, 12_000_000, 13_000_000, 14_000_000]
        #expect(FilmMoments.chosen(films, absences: [], most: 5) == five)
        #expect(FilmMoments.chosen(films, absences: [12_000_000..<15_000_000], most: 1) == [10_000_000])
        // A single film has the most blank cells there.
        #expect(FilmMoments.chosen([films[1]], absences: [], most: 1) == [13_000_000])
        #expect(FilmMoments.chosen([films[0]], absences: [], most: 5).isEmpty)
        #expect(FilmMoments.chosen([], absences: [], most: 5).isEmpty)
        // The page of these results begins at 1 s.
        let page = ReportSamples.runs(traces: ["feed"]).filter { ["alpha 9", "none"].contains($0.identity.cache) }
        let pair = page.sorted { $0.blank.blankTime < $1.blank.blankTime }.compactMap(\.film)
        #expect(FilmMoments.chosen(pair, absences: [], most: 1) == [1_000_000])
    }

    @Test("a damaged film with the latest times does not trap")
    func extremes() {
        let late = Film([
            .init(appeared: .max - 1, delivered: .max, source: .origin), .init(appeared: .max, source: .failed),
        ])
        #expect(FilmMoments.chosen([late, Film([Film.Cell]())], absences: [], most: 5).isEmpty)
    }

    @Test("a time has tenths or hundredths of a second, and hours if there are any")
    func clock() {
        #expect(FilmstripChart.clock(0) == "0:00.0")
        #expect(FilmstripChart.clock(25_600_000) == "0:25.6")
        #expect(FilmstripChart.clock(65_030_000) == "1:05.03")
        #expect(FilmstripChart.clock(3_723_450_000) == "1:02:03.45")
    }

    @Test("cells stand in the rows and columns of their list, and an opened image hides the list")
    func places() {
        func cell(_ source: Film.Source) -> Film.Cell { .init(appeared: 0, delivered: 0, source: source) }
        var film = Film([cell(.origin), cell(.memoryHit), cell(.diskHit), cell(.failed), cell(.wrong)])
        // The second row is before the first one in order of appearance, and two cells are at one place.
        var places = [
            CellPlace(row: 8, column: 1, columns: 2), CellPlace(row: 7, column: 0, columns: 2),
            CellPlace(row: 7, column: 0, columns: 2), CellPlace(row: nil, columns: 2),
            CellPlace(row: nil, columns: 2),
        ]
        let screen = FilmScreen(film, CellPlaces(places), at: 0, columns: 1)
        let texts = screen.cells.map { "\($0.state) \($0.row) \($0.column) \($0.columns)" }
        #expect(texts == ["memory 0 0 2", "disk 0 1 2", "network 1 1 2", "failed 2 0 2", "wrong 2 1 2"])
        #expect(!screen.isOpened)
        film = Film([cell(.origin), cell(.memoryHit)])
        places = [CellPlace(row: 0, columns: 2), CellPlace(row: nil, isOpened: true)]
        let opened = FilmScreen(film, CellPlaces(places), at: 0, columns: 1)
        #expect(opened.isOpened && opened.cells.map(\.state) == [.memory])
        // Without a list, cells are in order of appearance.
        let plain = FilmScreen(film, nil, at: 0, columns: 2)
        #expect(plain.cells.map { "\($0.state) \($0.row) \($0.column)" } == ["network 0 0", "memory 0 1"])
    }

    @Test("a cell is stale, blank, failed or wrong as on the page")
    func states() {
        let stale = Film.Cell(appeared: 0, delivered: 5, source: .diskHit, isStale: true)
        #expect(FilmState(stale, at: 5) == .stale && FilmState(stale, at: 4) == .blank)
        #expect(FilmState(Film.Cell(appeared: 0, source: .failed), at: 1) == .failed)
        #expect(FilmState(Film.Cell(appeared: 0, source: .origin), at: 1) == .blank)
        #expect(FilmState(Film.Cell(appeared: 0, delivered: 1, source: .wrong), at: 1) == .wrong)
        #expect(FilmState(Film.Cell(appeared: 0, delivered: 1, source: .coalesced), at: 1) == .network)
    }

    @Test("a phone has 24 cells and the number of the others, and of many caches four are drawn")
    func many() throws {
        let runs = (0..<7).map { index -> RunResult in
            let cells = (0..<27).map { _ in
                Film.Cell(appeared: 0, delivered: Int64(index) * 300_000, source: .origin)
            }
            return run("cache \(index)", Double(index) / 10, cells)
        }
        let chart = try chart(.filmstrip, runs)
        for (index, isDrawn) in [true, false, true, false, true, false, true].enumerated() {
            #expect(lines(chart, "set label 'cache \(index)' right").isEmpty != isDrawn, "\(index)")
        }
        let phones = lines(chart, "set label '+3' center").count
        #expect(phones > 0 && phones.isMultiple(of: 4))
        #expect(lines(chart, "set object rectangle from first").count == phones * 25)
        #expect(chart.data.split(separator: "\n").count == 1 + phones * 27)
        #expect(chart.title == "What the user saw · feed · 4 of 7 different films")
    }

    @Test("names are texts for gnuplot, and dark paper has light ones")
    func names() throws {
        var runs = story
        runs[0].identity.cache = "'; system \"touch hostile\" #"
        let hostile = try chart(.filmstrip, runs)
        #expect(hostile.script.contains("set label ''.\"'\".'; system"))
        var options = ChartOptions()
        options.isDark = true
        let dark = try chart(.filmstrip, story, options)
        #expect(lines(dark, "set label ").allSatisfy { $0.contains("textcolor") })
        #expect(!dark.script.contains("rgb '#777777'"))
    }

    @Test(
        "pictures have the size that is asked for, and texts are within them", .enabled(if: (try? Gnuplot()) != nil),
        arguments: [nil, "480x320", "1920x1080"])
    func sizes(size: String?) throws {
        try withTemporaryFolder { root in
            let folder = try ReplayStore.begin(at: root, Samples.describe(), resume: false)
            for index in 0..<4 {
                let cells = (0..<15).map { number in
                    Film.Cell(
                        appeared: Int64(number) * 900_000, delivered: Int64(number) * 900_000 + Int64(index) * 800_000,
                        vanished: Int64(number) * 900_000 + 5_000_000, source: .origin)
                }
                try folder.add(run("memory: \(String(repeating: "lru ", count: 9))\(index)", Double(index) / 10, cells))
            }
            var options = ChartOptions()
            options.size = size.flatMap { PictureSize($0) }
            options.formats = [.svg, .png, .pdf]
            let pictures = try folder.drawCharts(options).pictures.filter { $0.contains("-filmstrip.") }
            #expect(pictures.count == 3)
            let picture = try #require(pictures.first { $0.hasSuffix(".svg") })
            let texts = try SVGText.all(in: try text(of: picture))
            #expect(texts.count > 8)
            let width = Double(options.size?.width ?? ChartCanvas.standardWidth)
            for text in texts { #expect(text.left > -4 && text.right < width + 4, "\(text)") }
        }
    }
}
