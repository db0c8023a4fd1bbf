import Basics
import ReplayEngine
import Runs

/// What the user saw at a few moments: a row of phones for each cache, and a column for each moment. ``FilmMoments``
/// chooses the moments.
///
/// The coordinates of the plot are those of the picture: units from its top left.
enum FilmstripChart {
    /// The most caches: of more, those with the least and the most blank time, and two between them.
    static let mostCaches = 4
    /// The most cells that a phone shows. The number of the others is below them.
    static let mostCells = 24

    /// The film of a cache, or of several caches with equal ones.
    struct Strip {
        var label: String
        var run: RunResult
        var film: Film
        /// The share of blank time; infinite if it is not known.
        var blank: Double
    }

    /// Returns nil without films, and where caches do not differ in blank cells, or a single one has none.
    static func content(_ input: ChartInput, _ canvas: ChartCanvas) -> ChartContent? {
        let all = strips(input)
        let drawn = kept(all)
        let caches = input.caches.count { $0.typical.film != nil }
        guard let first = drawn.first, caches == 1 || drawn.count > 1 else { return nil }
        let ranked = drawn.stableSorted { $0.blank < $1.blank }
        let times = FilmMoments.chosen(
            ranked.map(\.film), absences: FilmMoments.absences(of: first.run), most: canvas.width < 700 ? 4 : 5)
        guard !times.isEmpty else { return nil }
        let phones = screens(drawn, times)
        let layout = FilmstripLayout(drawn.map(\.label), phones, canvas)
        let headings = times.enumerated().map { column, time in
            "set label \(GnuplotText.quoted(clock(time))) center at \(layout.heading(column)) front"
        }
        let part = drawn.count < all.count ? " · \(drawn.count) of \(all.count) different films" : ""
        return ChartContent(
            title: "What the user saw · \(input.place)\(part)", height: layout.height,
            settings: layout.settings + headings,
            // The picture consists of objects and labels alone.
            plots: ["NaN notitle"],
            columns: ["moment_s", "row", "column", "waited_ms", "state", "cache"],
            rows: rows(drawn, times, phones))
    }

    /// Returns a row for each cell that is visible at a moment, by strip and moment.
    private static func rows(_ strips: [Strip], _ times: [Int64], _ screens: [[FilmScreen]]) -> [[String]] {
        var rows: [[String]] = []
        for (strip, phones) in zip(strips, screens) {
            for (time, screen) in zip(times, phones) {
                let moment = HumanText.decimals(Double(time) / 1e6, 2)
                for cell in screen.cells {
                    let waited = HumanText.decimals(Double(cell.waited) / 1e3, 1)
                    rows.append([
                        moment, "\(cell.row + 1)", "\(cell.column + 1)", waited, cell.state.rawValue,
                        VisibleText.printable(strip.label),
                    ])
                }
            }
        }
        return rows
    }

    /// Returns the films in the order of the other charts. Caches with equal films share one.
    private static func strips(_ input: ChartInput) -> [Strip] {
        var filmed = input
        filmed.caches = input.caches.filter { $0.typical.film != nil }
        var films: [Film] = []
        var keys: [String: String] = [:]
        for cache in filmed.caches {
            guard let film = cache.typical.film else { continue }
            let number = films.firstIndex(of: film) ?? films.endIndex
            if number == films.endIndex { films.append(film) }
            keys[cache.name] = "\(number)"
        }
        return filmed.groups { [keys[$0.name] ?? ""] }.compactMap { group -> Strip? in
            let cache = filmed.caches[group.members[0]]
            let run = cache.typical
            guard let film = run.film else { return nil }
            return Strip(label: group.label, run: run, film: film, blank: cache.blank ?? .infinity)
        }
    }

    /// Returns the films that are drawn, in their order.
    private static func kept(_ strips: [Strip]) -> [Strip] {
        guard strips.count > mostCaches else { return strips }
        let ranked = strips.indices.sorted { one, other in
            let (oneBlank, otherBlank) = (strips[one].blank, strips[other].blank)
            return oneBlank != otherBlank ? oneBlank < otherBlank : one < other
        }
        let places = (0..<mostCaches).map { ranked[$0 * (strips.count - 1) / (mostCaches - 1)] }
        return places.sorted().map { strips[$0] }
    }

    /// Returns what each phone shows, by strip and moment. Without a recorded list, all phones have the same number of
    /// columns: one for up to four cells, two for up to eight, three for up to twelve, and four for more.
    private static func screens(_ strips: [Strip], _ times: [Int64]) -> [[FilmScreen]] {
        var most = 0
        for strip in strips {
            for time in times { most = max(most, strip.film.cells.count { $0.isVisible(at: time) }) }
        }
        let columns = most <= 4 ? 1 : most <= 8 ? 2 : most <= 12 ? 3 : 4
        return strips.map { strip in
            times.map { FilmScreen(strip.film, strip.run.places, at: $0, columns: columns) }
        }
    }

    /// Returns a moment of trace time with at least tenths of a second: `0:25.6`, `1:02:03.04`.
    ///
    /// - Parameter time: In microseconds, a whole number of hundredths of a second.
    static func clock(_ time: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let hundredths = time / 10_000
        let seconds = hundredths / 100
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        let whole = hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)"
        let rest = hundredths % 100
        return "\(whole):\(two(seconds % 60)).\(rest % 10 == 0 ? "\(rest / 10)" : two(rest))"
    }
}
