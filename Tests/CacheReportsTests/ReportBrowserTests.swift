import Foundation
import ReplayEngine
import TestSupport
import Testing

@testable import CacheReports

/// The page in a real browser: what its script does, and what remains without it.
@Suite(
    "report.html in a real Chromium", .serialized,
    .enabled(if: DevTools.executable != nil, "Chromium is not installed"))
struct ReportBrowserTests {
    static let widths = [400, 1_280, 1_600]

    @Test("No error is reported, and the page never scrolls sideways", arguments: widths, ["light", "dark"])
    func layout(width: Int, scheme: String) throws {
        try withReport(width: width, scheme: scheme) { page in
            try page.evaluate(Self.openAll)
            try page.wait(for: "document.querySelectorAll('.timeline svg').length === 2")
            let wide = try page.evaluate("document.documentElement.scrollWidth") as? Int
            #expect(wide == width)
            // Nothing but what is inside of a box that scrolls is wider than the page.
            let outside = try page.evaluate(
                """
                [...document.querySelectorAll('body *')].filter(node => node.getBoundingClientRect().right > \
                innerWidth \
                + 1 && !node.closest('.box, .chips, svg, nav ul')).map(node => node.outerHTML.slice(0, 80))
                """)
            #expect(outside as? [String] == [])
            let isDark =
                try page.evaluate("getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'") as? Bool
            #expect(isDark == (scheme == "dark"))
        }
    }

    @Test("Names are text, whatever they contain: in the table, the charts and the legend")
    func hostileNames() throws {
        try withReport { page in
            try page.evaluate(Self.openAll)
            try page.evaluate("document.querySelectorAll('.chip input').forEach(box => box.checked || box.click())")
            #expect(try page.evaluate("typeof window.broken") as? String == "undefined")
            let names = ReportSamples.names
            let shown = try page.evaluate("[...document.querySelectorAll('#t1 .picker label')].map(l => l.textContent)")
            #expect(shown as? [String] == names)
            let legend = try page.evaluate(
                "[...document.querySelectorAll('#t1 .legend .chip')].map(l => l.textContent)")
            #expect(Set(legend as? [String] ?? []) == Set(names))
            #expect(try page.evaluate("document.querySelectorAll('script').length") as? Int == 2)
        }
    }

    // MARK: Tables

    @Test("A click on a heading sorts by its figures, the second one turns the order, the third one restores it")
    func sorting() throws {
        try withReport { page in
            let original = try Self.names(page)
            #expect(original == ReportSamples.names)
            let heading = "#t1 thead th:nth-child(3) button"
            #expect(try page.evaluate("document.querySelector('\(heading)').textContent") as? String == "blank")
            try page.evaluate("document.querySelector('\(heading)').scrollIntoView({ block: 'center' })")
            try page.press(heading, isTouch: false)
            #expect(try Self.names(page) == original)
            #expect(try Self.sortOrder(page) == ["ascending"])
            try page.press(heading, isTouch: false)
            #expect(try Self.names(page) == original.reversed())
            #expect(try Self.sortOrder(page) == ["descending"])
            try page.press(heading, isTouch: false)
            #expect(try Self.names(page) == original)
            #expect(try Self.sortOrder(page) == [])
        }
    }

    @Test("The keyboard sorts too, names by their numbers, and figures that are better high begin with the highest")
    func sortingByKeyboard() throws {
        try withReport { page in
            try page.evaluate("document.querySelector('#t1 thead button').focus()")
            try Self.key(page, "Enter")
            #expect(try Self.names(page).filter { $0.hasPrefix("alpha") } == ["alpha 9", "alpha 10"])
            try Self.key(page, "Tab")
            try Self.key(page, "Enter")
            #expect(try page.evaluate("document.activeElement.textContent") as? String == "≤100ms")
            #expect(try Self.sortOrder(page) == ["descending"])
            #expect(try Self.names(page).first == "alpha 9")
        }
    }

    @Test("The headings of the matrix sort it too, by click and by keyboard, and its links and baseline still work")
    func sortingOfMatrix() throws {
        try withReport { page in
            let names = "[...document.querySelectorAll('.matrix tbody th')].map(head => head.textContent)"
            let sorted = "[...document.querySelectorAll('.matrix thead [aria-sort]')].map(head => head.ariaSort)"
            // cache, feed, grid, mean, peak memory, fetched.
            let memory = ".matrix thead th:nth-child(5) button"
            #expect(try page.evaluate(names) as? [String] == ReportSamples.names)
            try page.press(memory, isTouch: false)
            let byMemory = ReportSamples.caches.sorted { $0.memory < $1.memory }.map(\.name)
            #expect(try page.evaluate(names) as? [String] == byMemory)
            #expect(try page.evaluate(sorted) as? [String] == ["ascending"])
            try page.evaluate("document.querySelector('\(memory)').focus()")
            try Self.key(page, "Enter")
            #expect(try page.evaluate(names) as? [String] == byMemory.reversed())
            #expect(try page.evaluate(sorted) as? [String] == ["descending"])
            // The most memory has alpha 9. Its cell still leads to its row.
            #expect(
                try page.evaluate("document.querySelector('.matrix tbody td a').getAttribute('href')") as? String
                    == "#t1-r1")
            try Self.key(page, "Enter")
            #expect(try page.evaluate(names) as? [String] == ReportSamples.names)
            #expect(try page.evaluate(sorted) as? [String] == [])
            // Names are sorted by their numbers.
            try page.evaluate("document.querySelector('.matrix thead button').click()")
            let alphas = try page.evaluate(names) as? [String]
            #expect(alphas?.filter { $0.hasPrefix("alpha") } == ["alpha 9", "alpha 10"])
            // A heading is the name of its session, and what its header says, without a link.
            let heading = "document.querySelector('.matrix thead th:nth-child(2)')"
            #expect(try page.evaluate("\(heading).textContent") as? String == "feedA feed over LTE")
            #expect(try page.evaluate("\(heading).querySelectorAll('a').length") as? Int == 0)
        }
    }

    @Test("The filter keeps rows whose name has every word, and the charts follow")
    func filter() throws {
        try withReport { page in
            try page.evaluate("document.querySelector('#t1 input[type=search]').focus()")
            try page.type("AL 1")
            let shown =
                "[...document.querySelectorAll('#t1 table:not(.moments) tbody tr')].filter(row => !row.hidden)"
                + ".map(row => row.cells[0].textContent)"
            #expect(try page.evaluate(shown) as? [String] == ["alpha 10"])
            #expect(try page.evaluate("document.querySelector('#t1 .count').textContent") as? String == "1 of 6 rows")
            #expect(try page.evaluate("document.querySelectorAll('#t1 circle').length") as? Int == 1)
            let chips = "[...document.querySelectorAll('#t1 .picker label')].filter(label => !label.hidden).length"
            #expect(try page.evaluate(chips) as? Int == 1)
        }
    }

    // MARK: The first screen

    @Test("The bar leads to the sessions, and selects a cache in all of them, in one colour")
    func bar() throws {
        try withReport { page in
            let tabs = "[...document.querySelectorAll('nav.bar ul a')].map(link => link.textContent)"
            #expect(
                try page.evaluate(tabs) as? [String]
                    == ["Sessions", "feed", "grid", "Caches", "Terms, notes and how to repeat it"])
            let chosen = "[...document.querySelectorAll('.picker label:has(:checked)')].map(l => l.textContent)"
            try page.evaluate("document.querySelectorAll('nav.bar input').forEach(box => box.checked && box.click())")
            #expect(try page.evaluate(chosen) as? [String] == [])
            try page.evaluate(
                "[...document.querySelectorAll('nav.bar label')].find(l => l.textContent === 'beta').click()")
            #expect(try page.evaluate(chosen) as? [String] == ["beta", "beta"])
            let colours = "new Set([...document.querySelectorAll('input:checked')].map(box => box.className)).size"
            #expect(try page.evaluate(colours) as? Int == 1)
        }
    }

    @Test("A cell of the matrix leads to the row of its cache in the section of its session")
    func cell() throws {
        try withReport { page in
            // beta is the second best, in the matrix and in the table of the second session.
            let link = ".matrix tbody tr:nth-child(2) td:nth-child(3) a"
            try page.press(link, isTouch: false)
            try page.wait(for: "location.hash === '#t2-r2'")
            let top = try page.evaluate("document.querySelector('#t2-r2').getBoundingClientRect().top") as? Double
            let bar = try page.evaluate("document.querySelector('nav.bar').getBoundingClientRect().bottom") as? Double
            #expect(try #require(top) >= #require(bar))
            // Of two sessions, the charts are open. The film shows the cache beside the best one.
            let second = "document.querySelectorAll('#t2 .film .pair select')[1].selectedOptions[0].textContent"
            try page.wait(for: "\(second) === 'beta'")
        }
    }

    @Test("With a baseline, figures are differences, grey within the tolerance, and without one the figures again")
    func baseline() throws {
        try withReport { page in
            func choose(_ name: String) throws {
                try page.evaluate(
                    """
                    (() => { const list = document.querySelector('#overview select'); list.value = '\(name)';
                    list.dispatchEvent(new Event('change')); })()
                    """)
            }
            func texts(_ row: String) throws -> [String]? {
                try page.evaluate(
                    "[...document.querySelector('\(row)').cells].slice(1, 4).map(cell => cell.textContent)")
                    as? [String]
            }
            let best = ".matrix tbody tr:first-child"
            let figures = try texts(best)
            try choose("beta")
            // 1.5 % is 1.5 points less than 3.0 %, and beta itself keeps its figures.
            #expect(try texts(best) == ["−1.5 best", "−1.5 best", "−1.5"])
            #expect(try texts(".matrix tbody tr:nth-child(2)") == ["3.0%", "3.0%", "3.0%"])
            // All caches show as many images within 100 ms or not; blank is the second column of a session.
            let blank = "document.querySelector('#t1-r1').parentElement.cells[2]"
            #expect(try page.evaluate("\(blank).textContent") as? String == "−1.5")
            #expect(try page.evaluate("\(blank).classList.contains('same')") as? Bool == false)
            let shown = "document.querySelector('#t1-r1').parentElement.cells[5]"
            #expect(try page.evaluate("[\(shown).textContent, \(shown).className]") as? [String] == ["±0", "same"])
            try choose("")
            #expect(try texts(best) == figures)
            #expect(try page.evaluate("document.querySelectorAll('td.same').length") as? Int == 0)
        }
    }

    // MARK: Charts

    @Test("Pointing at a cache shows its figures, and a click selects it")
    func hover() throws {
        try withReport { page in
            try Self.choose(page, [])
            let place = try #require(
                try page.evaluate(
                    """
                    (() => { const plot = document.querySelector('#t1 .plot'); plot.scrollIntoView({block: 'center'});
                    const spots = [...plot.querySelectorAll('circle')].sort((a, b) => a.cx.baseVal.value - \
                    b.cx.baseVal.value);
                    const r = spots.at(-1).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / \
                    2]; \
                    })()
                    """) as? [Double])
            try Self.mouse(page, "mouseMoved", place)
            // The most memory has alpha 9: 400 MB, and 1.5 % blank.
            let text = try #require(try Self.readout(page, 0))
            #expect(text.hasPrefix("alpha 9: ") && text.contains("blank 1.5%") && text.contains("peak mem 400 MB"))
            for kind in ["mousePressed", "mouseReleased"] { try Self.mouse(page, kind, place, button: "left") }
            #expect(try Self.chosen(page) == ["alpha 9"])
        }
    }

    @Test("Arrow keys move from cache to cache, and Enter selects one")
    func chartByKeyboard() throws {
        try withReport { page in
            try Self.choose(page, [])
            try page.evaluate("document.querySelector('#t1 .plot').focus()")
            try Self.key(page, "ArrowRight")
            #expect(try Self.readout(page, 0)?.hasPrefix("none: ") == true)
            try Self.key(page, "ArrowRight")
            #expect(try Self.readout(page, 0)?.hasPrefix("alpha 10: ") == true)
            try Self.key(page, "Enter")
            #expect(try Self.chosen(page) == ["alpha 10"])
            try Self.key(page, "Escape")
            #expect(try Self.readout(page, 0)?.hasPrefix("Point at a cache") == true)
        }
    }

    @Test("What the user saw begins at the greatest difference of two caches; the moment and the caches can be chosen")
    func film() throws {
        try withReport { page in
            let readout = "document.querySelector('#t1 .film .readout').textContent"
            // From 1 s on, the first cell has its image with alpha 9, and waits with none, until 5 s.
            #expect(
                try page.evaluate(readout) as? String == "At 0:01.00. alpha 9: 1 cell, 0 blank; none: 1 cell, 1 blank.")
            let tiles = "[...document.querySelectorAll('#t1 .film .pair .tile')].map(tile => tile.textContent)"
            #expect(try page.evaluate(tiles) as? [String] == ["N", "1.0"])
            try page.evaluate("document.querySelector('#t1 .film input[type=range]').focus()")
            for _ in 0..<20 { try Self.key(page, "ArrowRight") }
            #expect(
                try page.evaluate(readout) as? String
                    == "At 0:03.00. alpha 9: 3 cells, 1 blank; none: 3 cells, 2 blank.")
            #expect(try page.evaluate(tiles) as? [String] == ["N", "M", "×", "3.0", "M", "×"])
            // The difference begins at 1 s, and there is no later one.
            try page.evaluate("document.querySelector('#t1 .film .pair').focus()")
            try Self.key(page, "ArrowRight")
            #expect((try page.evaluate(readout) as? String)?.hasPrefix("At 0:03.00.") == true)
            try Self.key(page, "ArrowLeft")
            #expect((try page.evaluate(readout) as? String)?.hasPrefix("At 0:01.00.") == true)

            // At 5.5 s, the first cell of each cache has its image.
            try page.evaluate("document.querySelector('#t1 .film input[type=range]').focus()")
            for _ in 0..<45 { try Self.key(page, "ArrowRight") }
            #expect(
                try page.evaluate(readout) as? String
                    == "At 0:05.50. alpha 9: 3 cells, 1 blank; none: 3 cells, 1 blank.")
            // The first cell has vanished at 6 s.
            for _ in 0..<5 { try Self.key(page, "ArrowRight") }
            try page.evaluate(
                """
                (() => { const list = document.querySelector('#t1 .film .pair select'); list.value = '1'; \
                list.dispatchEvent(new Event('change')); })()
                """)
            #expect(
                try page.evaluate(readout) as? String == "At 0:06.00. beta: 2 cells, 1 blank; none: 2 cells, 1 blank.")
        }
    }

    @Test("The phones show cells in the rows and columns of the list, and an opened image alone")
    func rows() throws {
        var runs = ReportSamples.runsOfGrid()
        try withReport(of: runs) { page in
            try Self.seek(page, to: 400)
            // Each row, with the column of each of its cells.
            let rows = """
                [...document.querySelectorAll('#t1 .film .phone')].map(phone => \
                [...phone.querySelectorAll('.row')].map(row => [...row.children].map(tile => \
                tile.style.gridColumnStart + tile.textContent).join(' ')))
                """
            #expect(try page.evaluate(rows) as? [[String]] == [["1N 2M", "2×"], ["14.0 2M", "2×"]])
            let places =
                try page.evaluate(
                    """
                    [...document.querySelectorAll('#t1 .film .phone:first-of-type .tile')].slice(0, 3).map(tile => \
                    { const box = tile.getBoundingClientRect(); return [box.left, box.top]; })
                    """) as? [[Double]]
            let tiles = try #require(places)
            #expect(tiles.count == 3 && tiles[0][1] == tiles[1][1] && tiles[0][0] < tiles[1][0])
            #expect(tiles[2][1] > tiles[1][1] && tiles[2][0] == tiles[1][0])
            // Of the cells of alpha 9, the one without an image is a third of the area.
            #expect(try Self.moment(page)["alpha 9"]?.first == "33.33%")
        }
        // The third cell is opened over the others, and is the screen until 9 s.
        for index in runs.indices {
            runs[index].places = CellPlaces([
                CellPlace(row: 7, column: 0, columns: 2), CellPlace(row: 7, column: 1, columns: 2),
                CellPlace(row: nil, isOpened: true),
            ])
        }
        try withReport(of: runs) { page in
            try Self.seek(page, to: 400)
            let tiles = "[...document.querySelectorAll('#t1 .film .pair .tile')].map(tile => tile.textContent)"
            #expect(try page.evaluate(tiles) as? [String] == ["×", "×"])
            #expect(try Self.moment(page)["none"]?.first == "100%")
        }
    }

    @Test("One axis has scrolls, events, blank area, memory with its limit and fetches, and a cursor at the moment")
    func axis() throws {
        var runs = ReportSamples.runs(traces: ["feed"])
        for index in runs.indices { runs[index].marks.append(SessionMark(.background, at: 8_000_000_000)) }
        // The cells of alpha 10, the first run, are beside those of alpha 9.
        try withReport(of: Array(runs.prefix(2))) { page in
            let axis = "document.querySelector('#t1 .film .axis')"
            let titles = "[...\(axis).querySelectorAll('text.title')].map(text => text.textContent)"
            let shown = try #require(try page.evaluate(titles) as? [String])
            #expect(shown.count == 3 && shown[0] == "blank area" && shown[1].hasPrefix("memory"))
            #expect(shown[2] == "fetches in flight, mean")
            #expect(try page.evaluate("\(axis).querySelectorAll('.line').length") as? Int == 6)
            #expect(try page.evaluate("\(axis).querySelectorAll('.scrolling').length") as? Int == 1)
            #expect(try page.evaluate("\(axis).querySelectorAll('.mark').length") as? Int == 2)
            // At 2 s, the first cell of alpha 10 waits, and the second one has its image.
            try Self.seek(page, to: 200)
            #expect(try Self.moment(page)["alpha 10"] == ["50%", "2 MB", "2", "8 MB"])
            let caption = "document.querySelector('#t1 .moments caption').textContent"
            #expect(try page.evaluate(caption) as? String == "Now: scrolling")
            // In the background, nothing is blank.
            try Self.seek(page, to: 850)
            #expect(try Self.moment(page)["alpha 10"]?.first == "0%")
            #expect(try page.evaluate(caption) as? String == "Now: in the background")
            let phones = "[...document.querySelectorAll('#t1 .film .phone')].map(phone => phone.textContent)"
            #expect(try page.evaluate(phones) as? [String] == ["in the background", "in the background"])
            // The cursor is at the middle of the axis, and a click moves it.
            try Self.seek(page, to: 500)
            let middle =
                try page.evaluate(
                    """
                    (() => { const line = \(axis).querySelector('.cursor'), box = \(axis).querySelector('clipPath \
                    rect');
                    const x = box.x.baseVal.value, width = box.width.baseVal.value, bounds = \
                    \(axis).getBoundingClientRect();
                    const share = (line.x1.baseVal.value - x) / width;
                    \(axis).dispatchEvent(new MouseEvent('click', { clientX: bounds.left + x + width * 0.3 }));
                    return share; })()
                    """) as? Double
            let share = try #require(middle)
            #expect(abs(share - 0.5) < 1e-6)
            // A click is at a whole pixel, of which a second has about a hundred.
            let moment = "Number(document.querySelector('#t1 .film input[type=range]').value)"
            let chosen = try #require(try page.evaluate(moment) as? Int)
            #expect(abs(chosen - 300) <= 2)
        }
    }

    @Test("What no cache of the film has is not drawn: no memory, no fetches, and no list of differences")
    func fewFigures() throws {
        var runs = Array(ReportSamples.runs(traces: ["feed"]).prefix(2))
        for index in runs.indices {
            runs[index].timeline = [TimelineSecond(second: 0), TimelineSecond(second: 10)]
            runs[index].marks = []
            runs[index].film = runs[0].film
        }
        try withReport(of: runs) { page in
            let axis = "document.querySelector('#t1 .film .axis')"
            let titles = "[...\(axis).querySelectorAll('text.title')].map(text => text.textContent)"
            let drawn = try page.evaluate(titles) as? [String]
            #expect(drawn == ["blank area"])
            #expect(try Self.moment(page).values.map(\.count) == [1, 1])
            let disabled =
                "[...document.querySelectorAll('#t1 .moment button')].filter(button => button.disabled).length"
            #expect(try page.evaluate(disabled) as? Int == 2)
        }
    }

    @Test("The film plays to the end of the session and begins again, and nothing is announced while it plays")
    func play() throws {
        try withReport { page in
            let film = "document.querySelector('#t1 .film')"
            let state = "[\(film).querySelector('button').textContent, \(film).querySelector('.readout').ariaLive]"
            let moment = "\(film).querySelector('.readout').textContent.split('. ')[0]"
            let press = "\(film).querySelector('button').click()"
            // A hundredth of a second before the end.
            try page.evaluate(
                """
                (() => { const range = \(film).querySelector('input[type=range]'); range.value = 999; \
                range.dispatchEvent(new Event('input')); })()
                """)
            #expect(try page.evaluate(moment) as? String == "At 0:09.99")
            #expect(try page.evaluate("\(press); \(state)") as? [String] == ["Pause", "off"])
            try page.wait(for: "\(film).querySelector('button').textContent === 'Play'")
            #expect(try page.evaluate(moment) as? String == "At 0:10.00")
            #expect(try page.evaluate(state) as? [String] == ["Play", "polite"])
            // At the end, it begins again.
            #expect(try page.evaluate("\(press); \(moment)") as? String == "At 0:00.00")
            #expect(try page.evaluate("\(press); \(state)") as? [String] == ["Play", "polite"])
        }
    }

    @Test(
        "The legend of the film has what the two caches show: failed fetches and pictures of another key are blank too")
    func filmLegend() throws {
        var runs = Array(ReportSamples.runs(traces: ["feed"]).prefix(2))
        // Both are the first of their caches; the second one is the worst by blank time.
        runs[0].film = Film([
            .init(appeared: 0, delivered: 0, source: .diskHit, isStale: true), .init(appeared: 0, source: .wrong),
            .init(appeared: 0, source: .cancelled),
        ])
        runs[1].film = Film([.init(appeared: 0, delivered: 0, source: .coalesced), .init(appeared: 0, source: .failed)])
        try withReport(of: runs) { page in
            let legend = "[...document.querySelectorAll('#t1 .film .sources .chip')].map(chip => chip.textContent)"
            #expect(
                try page.evaluate(legend) as? [String] == [
                    "Nfrom the network", "Sfrom a cache, past its lifetime", "blank", "×blank: the fetch failed",
                    "!blank: the picture of another key",
                ])
            let readout = "document.querySelector('#t1 .film .readout').textContent"
            #expect(
                try page.evaluate(readout) as? String
                    == "At 0:00.00. alpha 9: 2 cells, 1 blank; alpha 10: 3 cells, 2 blank.")
            try page.evaluate(
                """
                (() => { const list = document.querySelectorAll('#t1 .film .pair select')[1]; list.value = '0'; \
                list.dispatchEvent(new Event('change')); })()
                """)
            #expect(
                try page.evaluate(legend) as? [String] == ["Nfrom the network", "blank", "×blank: the fetch failed"])
        }
    }

    @Test("The film of a single cache has one strip and no choice, and results without films have no film")
    func fewFilms() throws {
        var runs = ReportSamples.runs(traces: ["feed"])
        try withReport(of: [runs[0]]) { (page: BrowserPage) throws in
            #expect(try page.evaluate("document.querySelectorAll('.film canvas').length") as? Int == 1)
            #expect(try page.evaluate("document.querySelectorAll('.film .pair select').length") as? Int == 0)
            let readout = "document.querySelector('.film .readout').textContent"
            #expect(try page.evaluate(readout) as? String == "At 0:03.00. alpha 10: 3 cells, 2 blank.")
        }
        for index in runs.indices { runs[index].film = nil }
        try withReport(of: runs) { (page: BrowserPage) throws in
            #expect(try page.evaluate("document.querySelectorAll('.film').length") as? Int == 0)
            #expect(try page.evaluate("document.querySelectorAll('#t1 .chart').length") as? Int == 2)
        }
    }

    /// Few runs have timelines, of 56 those of two caches, of 500 none.
    @Test("Reports of few, more and many runs report nothing, and show no empty timeline", arguments: [2, 56, 500])
    func manyRuns(count: Int) throws {
        let traces = count == 56 ? (1...7).map { "trace-\($0)" } : ["feed"]
        let caches = count / traces.count
        let runs = traces.flatMap { trace in
            (0..<caches).map { number in
                var run = ReportSamples.runs(traces: [trace])[number % 2]
                run.identity.cache = "cache-\(number)"
                run.blank.blankTime += Double(number) * 1e10
                if count > 50, count > 56 || number > 1 { (run.timeline, run.film, run.marks) = ([], nil, []) }
                return run
            }
        }
        try withReport(of: runs) { page in
            try page.evaluate(Self.openAll)
            let sections = try page.evaluate("document.querySelectorAll('section .interactive').length") as? Int
            let timelines = "document.querySelectorAll('.timeline').length"
            #expect(sections == traces.count)
            #expect(try page.evaluate(timelines) as? Int == (count > 56 ? 0 : traces.count))
            #expect(
                try page.evaluate("document.querySelectorAll('.film').length") as? Int == (count > 56 ? 0 : sections))
            // Caches without a timeline can be chosen for the other chart.
            try page.evaluate(
                """
                [...document.querySelectorAll('#t1 .chip input')].slice(0, 12)
                    .forEach(box => box.checked || box.click())
                """
            )
            if count <= 56 {
                try page.wait(for: "document.querySelectorAll('#t1 .timeline path.line').length === 6")
                #expect(try page.evaluate("document.querySelectorAll('#t1 .legend .chip').length") as? Int == 2)
                try page.evaluate("document.querySelector('#t1 .timeline').focus()")
                try Self.key(page, "ArrowRight")
                // Up to eight caches have the looks of the charts, in the order of the command line.
                #expect(try Self.values(page).map { $0[0] } == ["cache-0", "cache-1"])
            }
            let notice =
                try page.evaluate(
                    "document.querySelector('#t1 .interactive').nextElementSibling?.textContent ?? ''") as? String
            switch count {
            case 2: #expect(notice?.hasPrefix("Timelines") == false && notice?.hasPrefix("There is no") == false)
            case 56: #expect(notice?.hasPrefix("Timelines, films and causes are those of cache-1 and cache-0") == true)
            default: #expect(notice?.hasPrefix("There is no timeline, and no film") == true)
            }
        }
    }

    @Test("A difference within the tolerance takes at most a tenth of an axis")
    func leastSpan() throws {
        let runs = [0.0613, 0.0615].enumerated().map { index, blank in
            var run = Samples.ten(Samples.identity(cache: "cache-\(index)"))
            run.blank.blankTime = blank * 1e9
            run.tiers.memoryPeakBytes = Int64(100_000_000 + index * 500_000)
            return run
        }
        try withReport(of: runs) { page in
            let places =
                try page.evaluate(
                    """
                    [...document.querySelectorAll('#t1 .plot:not(.timeline) circle')]
                        .map(c => [+c.getAttribute('cx'), +c.getAttribute('cy')])
                    """
                ) as? [[Double]]
            let spots = try #require(places)
            #expect(spots.count == 2)
            // The plot is some 1,100 by 338 units.
            #expect(abs(spots[0][0] - spots[1][0]) < 110 && abs(spots[0][1] - spots[1][1]) < 33.8)
        }
    }

    @Test("Another figure can be chosen for each axis")
    func axes() throws {
        try withReport { page in
            try page.evaluate(
                """
                const list = document.querySelector('#t1 select');
                list.value = [...list.options].find(option => option.text === 'fetched').value;
                list.dispatchEvent(new Event('change'));
                """)
            #expect(
                try page.evaluate("document.querySelector('#t1 .plot').textContent.includes('fetched')") as? Bool
                    == true)
        }
    }

    @Test("The cursor of the timeline reads memory, limit, fetches, blank cells and events of a second")
    func timeline() throws {
        try withReport { page in
            try Self.choose(page, ["alpha 10"])
            try page.evaluate("document.querySelector('#t1 .timeline').focus()")
            for _ in 0...4 { try Self.key(page, "ArrowRight") }
            #expect(try Self.readout(page, 1)?.hasPrefix("At 0:04: memory warning") == true)
            try Self.key(page, "ArrowRight")
            #expect(try Self.values(page) == [["alpha 10", "5 MB", "2", "1", "8 MB"]])
            for _ in 0..<3 { try Self.key(page, "ArrowLeft") }
            #expect(try Self.readout(page, 1)?.hasPrefix("At 0:02: scrolling") == true)
            #expect(try page.evaluate("document.querySelectorAll('#t1 .timeline .limit').length") as? Int == 1)
            #expect(try page.evaluate("document.querySelectorAll('#t1 .timeline .mark').length") as? Int == 1)
            #expect(try page.evaluate("document.querySelectorAll('#t1 .timeline .scrolling').length") as? Int == 1)
        }
    }

    @Test("Plus and minus zoom, 0 shows the whole session, and a drag zooms to what it covers")
    func zoom() throws {
        try withReport { page in
            try page.evaluate("document.querySelector('#t1 .timeline').focus()")
            #expect(try Self.readout(page, 1)?.contains("0:00 to 0:10 of 0:10") == true)
            try Self.key(page, "+")
            // The middle half.
            #expect(try Self.readout(page, 1)?.contains("0:02 to 0:07 of 0:10") == true)
            try Self.key(page, "0")
            #expect(try Self.readout(page, 1)?.contains("0:00 to 0:10 of 0:10") == true)
            let frame = try #require(
                try page.evaluate(
                    """
                    (() => { const plot = document.querySelector('#t1 .timeline'); plot.scrollIntoView({block: \
                    'center'});
                    const r = plot.querySelector('clipPath rect'), b = plot.getBoundingClientRect();
                    return [b.left + r.x.baseVal.value, r.width.baseVal.value, b.top + 120]; })()
                    """) as? [Double])
            func point(_ second: Double) -> [Double] { [frame[0] + frame[1] * second / 10, frame[2]] }
            try Self.mouse(page, "mouseMoved", point(3.1))
            try Self.mouse(page, "mousePressed", point(3.1), button: "left")
            try Self.mouse(page, "mouseMoved", point(6), button: "left")
            try Self.mouse(page, "mouseMoved", point(8.1), button: "left")
            try Self.mouse(page, "mouseReleased", point(8.1), button: "left")
            #expect(try Self.readout(page, 1)?.contains("0:03 to 0:08 of 0:10") == true)
            try page.evaluate("document.querySelector('#t1 .timeline').scrollIntoView({ block: 'center' })")
            try page.press("#t1 [aria-label='Show the whole session']", isTouch: false)
            #expect(try Self.readout(page, 1)?.contains("0:00 to 0:10 of 0:10") == true)
        }
    }

    // MARK: Other ways to read the page

    @Test("Without a script, tables and static charts are visible, and there are no dead controls")
    func noScript() throws {
        try withReport(hasScript: false) { page in
            let visible = "node => node.getBoundingClientRect().height > 0"
            for selector in ["table.results", "figure img", "#caches table", "#glossary", "#notes"] {
                let all = try page.evaluate(
                    "(all => all.length > 0 && all.every(\(visible)))([...document.querySelectorAll('\(selector)')])")
                #expect(all as? Bool == true, "\(selector)")
            }
            #expect(try page.evaluate("document.querySelectorAll('figure img').length") as? Int == 14)
            #expect(try page.evaluate("document.querySelectorAll('button, input, select').length") as? Int == 0)
        }
    }

    @Test("On paper, there are no controls, and no table is cut")
    func paper() throws {
        try withReport { page in
            try page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
            try page.send("Emulation.setEmulatedMedia", ["media": "print"])
            try page.send(
                "Emulation.setDeviceMetricsOverride",
                ["width": 720, "height": 1_000, "deviceScaleFactor": 1, "mobile": false])
            let shown = try page.evaluate(
                "[...document.querySelectorAll('button:not(.sort), input, select')].filter(n => n.offsetParent).length")
            #expect(shown as? Int == 0)
            let cut = try page.evaluate(
                """
                [...document.querySelectorAll('table')].filter(table => table.getBoundingClientRect().right > \
                innerWidth \
                + 1).length
                """)
            #expect(cut as? Int == 0)
            #expect(
                try page.evaluate("document.querySelectorAll('details:not([open], .evidence)').length") as? Int == 0)
            #expect(
                try page.evaluate(
                    "[...document.querySelectorAll('.box')].every(box => getComputedStyle(box).overflowY === 'visible')"
                )
                    as? Bool == true)
            try page.evaluate("window.dispatchEvent(new Event('afterprint'))")
            #expect(try page.evaluate("document.querySelector('#c1').open") as? Bool == false)
        }
    }

    @Test("A link to a closed section opens it")
    func links() throws {
        try withReport { page in
            #expect(try page.evaluate("document.querySelector('#c2').open") as? Bool == false)
            let link = "#t1 tbody tr:first-child a"
            try page.evaluate("document.querySelector('\(link)').scrollIntoView({ block: 'center' })")
            try page.press(link, isTouch: false)
            try page.wait(for: "document.querySelector('#c2').open")
        }
    }

    @Test("Headings have no gaps, controls and regions have names, and tables have headings")
    func structure() throws {
        try withReport { page in
            try page.evaluate(Self.openAll)
            let gaps = try page.evaluate(
                """
                [...document.querySelectorAll('h1, h2, h3, h4')].map(h => Number(h.localName[1])).filter((level, \
                index, \
                all) => level > (all[index - 1] ?? 0) + 1).length
                """)
            #expect(gaps as? Int == 0)
            let unnamed = try page.evaluate(
                """
                [...document.querySelectorAll('button, input, select, [role=region], [role=application]')].filter(node \
                => \
                !(node.getAttribute('aria-label') || node.labels?.length || node.textContent.trim())).length
                """)
            #expect(unnamed as? Int == 0)
            let tables = try page.evaluate(
                """
                [...document.querySelectorAll('table:has(tbody tr)')].every(table => \
                [...table.querySelectorAll('th')].every(head => head.scope))
                """)
            #expect(tables as? Bool == true)
            for landmark in ["header", "nav[aria-label]", "main", "html[lang]", "img:not([alt=''])"] {
                #expect(try page.evaluate("!!document.querySelector(`\(landmark)`)") as? Bool == true, "\(landmark)")
            }
        }
    }

    @Test(
        "axe finds nothing serious", .enabled(if: axe != nil, "axe is not installed; scripts/test installs it"),
        arguments: [400, 1_280], ["light", "dark"])
    func accessibility(width: Int, scheme: String) throws {
        let axe = try #require(Self.axe)
        try withReport(width: width, scheme: scheme) { page in
            try page.evaluate(Self.openAll)
            try page.wait(for: "document.querySelectorAll('.timeline svg').length === 2")
            try page.evaluate(try String(contentsOfFile: axe, encoding: .utf8) + "; 0")
            let found = try page.evaluate(
                """
                axe.run().then(result => result.violations.filter(rule => ['serious', \
                'critical'].includes(rule.impact))\
                .map(rule => `${rule.id}: ${rule.nodes.length} times, first ${rule.nodes[0].html.slice(0, 200)} \
                ${rule.nodes[0].failureSummary}`))
                """)
            #expect(found as? [String] == [])
        }
    }

    // MARK: Helpers

    /// The script of axe-core, which scripts/test installs, or nil.
    static let axe: String? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let library = root.appendingPathComponent(".build/test-python/lib")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library.path)) ?? []
        return versions.map { "\(library.path)/\($0)/site-packages/axe_playwright_python/axe.min.js" }
            .first(where: FileManager.default.fileExists)
    }()

    private static let openAll = "document.querySelectorAll('details').forEach(details => details.open = true)"

    /// Opens the page of some runs, or that of `ReportSamples`, and checks that Chromium reports no error until the
    /// end.
    private func withReport(
        of runs: [RunResult]? = nil, width: Int = 1_280, scheme: String = "light", hasScript: Bool = true,
        _ body: (BrowserPage) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let report = runs.map { ReportPage($0, nil, []) } ?? ReportSamples.page()
        let file = try folder.file("report.html", report.html)
        let tools = try DevTools()
        let page = try BrowserPage(tools, context: BrowserPage.context(tools))
        try page.send("Runtime.enable")
        try page.send("Log.enable")
        try page.send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false])
        try page.send("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
        if !hasScript { try page.send("Emulation.setScriptExecutionDisabled", ["value": true]) }
        try page.send("Page.navigate", ["url": URL(fileURLWithPath: file).absoluteString])
        if hasScript {
            try page.wait(
                for: """
                    document.querySelector('html.ready .plot') && \
                    [...document.querySelectorAll('.plot')].every(plot => plot.querySelector('svg'))
                    """)
        } else {
            // Without scripts, a page has no timers to wait with.
            let end = ContinuousClock.now + .seconds(60)
            let isLoaded = "location.protocol === 'file:' && document.readyState === 'complete'"
            while try page.evaluate(isLoaded) as? Bool != true, ContinuousClock.now < end {}
        }
        try body(page)
        for event in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
            #expect(tools.events(event, session: page.session) == [])
        }
    }

    private static func key(_ page: BrowserPage, _ key: String) throws {
        var event: [String: Any] = ["key": key]
        if key.count == 1 { event["text"] = key }
        let codes = ["Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39]
        if let code = codes[key] { event["windowsVirtualKeyCode"] = code }
        if key == "Enter" { event["text"] = "\r" }
        try page.send("Input.dispatchKeyEvent", event.merging(["type": "keyDown"]) { $1 })
        event["text"] = nil
        try page.send("Input.dispatchKeyEvent", event.merging(["type": "keyUp"]) { $1 })
    }

    private static func mouse(_ page: BrowserPage, _ kind: String, _ place: [Double], button: String = "none") throws {
        let buttons = button == "left" && kind != "mouseReleased" ? 1 : 0
        try page.send(
            "Input.dispatchMouseEvent",
            ["type": kind, "x": place[0], "y": place[1], "button": button, "buttons": buttons, "clickCount": 1])
    }

    /// The names in the first column of the first table, in order.
    private static func names(_ page: BrowserPage) throws -> [String] {
        try page.evaluate(
            "[...document.querySelectorAll('#t1 table:not(.moments) tbody th')].map(head => head.textContent)")
            as? [String] ?? []
    }

    private static func sortOrder(_ page: BrowserPage) throws -> [String] {
        try page.evaluate("[...document.querySelectorAll('#t1 [aria-sort]')].map(head => head.ariaSort)") as? [String]
            ?? []
    }

    /// Selects exactly these caches in the charts of the first trace.
    private static func choose(_ page: BrowserPage, _ names: [String]) throws {
        try page.evaluate("document.querySelector('#t1 .picker button').click()")
        for name in names {
            try page.evaluate(
                "[...document.querySelectorAll('#t1 .picker label')].find(l => l.textContent === '\(name)').click()")
        }
    }

    private static func chosen(_ page: BrowserPage) throws -> [String] {
        try page.evaluate("[...document.querySelectorAll('#t1 .picker label:has(:checked)')].map(l => l.textContent)")
            as? [String] ?? []
    }

    private static func readout(_ page: BrowserPage, _ chart: Int) throws -> String? {
        try page.evaluate("document.querySelectorAll('#t1 .readout')[\(chart)].textContent") as? String
    }

    /// Moves the first film to a moment, in hundredths of a second.
    private static func seek(_ page: BrowserPage, to moment: Int) throws {
        try page.evaluate(
            """
            (() => { const range = document.querySelector('#t1 .film input[type=range]'); range.value = \(moment); \
            range.dispatchEvent(new Event('input')); })()
            """)
    }

    /// The figures of the moment of the first film, by cache.
    private static func moment(_ page: BrowserPage) throws -> [String: [String]] {
        let rows =
            try page.evaluate(
                """
                [...document.querySelectorAll('#t1 .moments tbody tr')].map(row => \
                [...row.cells].map(cell => cell.textContent))
                """) as? [[String]] ?? []
        return Dictionary(rows.map { ($0[0], Array($0.dropFirst())) }) { first, _ in first }
    }

    private static func values(_ page: BrowserPage) throws -> [[String]] {
        try page.evaluate(
            "[...document.querySelectorAll('#t1 .values tbody tr')].map(row => [...row.cells].map(c => c.textContent))")
            as? [[String]] ?? []
    }
}
