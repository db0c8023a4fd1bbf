import Basics
import ReplayEngine
import Runs

/// The figures of all timelines of a report: a block of JSON with numbers and the names of marks, for the script of the
/// page.
///
/// Each run with a timeline has four columns: the seconds as differences, memory in kilobytes, and the means of fetches
/// in flight and of blank cells. Long timelines are thinned: a row then stands for several seconds. A run also has its
/// film, as `Film.numbers`, unless films are left out. A trace with a film has the places of its cells, as
/// `CellPlaces.numbers`, if its lists were recorded.
struct TimelineData {
    /// The seconds that a row stands for.
    let step: Int
    let json: String
    /// The rows of the longest timeline.
    let longest: Int
    let films: Int
    /// The number of films that the data leaves out.
    let omittedFilms: Int
    let hasThumbnails: Bool

    /// Creates the data of the typical run of each trace and cache.
    ///
    /// - Parameter filmed: The names of the caches whose films are in the data; nil for all.
    init(
        _ inputs: [ChartInput], step: Int, filmed: Set<String>? = nil, thumbnails: [SessionThumbnails] = []
    ) {
        self.step = step
        func hasFilm(_ cache: ChartInput.Series) -> Bool { filmed?.contains(cache.name) ?? true }
        let films = inputs.flatMap(\.caches).filter { $0.typical.film != nil }
        self.films = films.count
        omittedFilms = films.count { !hasFilm($0) }
        hasThumbnails = !thumbnails.isEmpty
        var longest = 0
        let data = JSONWriter.object { json in
            json.member("step", step)
            json.key("traces")
            json.beginArray()
            json.breakLine()
            for (number, input) in inputs.enumerated() {
                if number > 0 { json.breakLine() }
                let pictures = thumbnails.first { $0.trace == input.trace }
                let rows = Self.write(input, step: step, hasFilm: hasFilm, pictures: pictures, to: &json)
                longest = max(longest, rows)
            }
            json.endArray()
        }
        json = data.text
        self.longest = longest
    }

    /// Writes the object of a trace. Returns the rows of its longest timeline.
    private static func write(
        _ input: ChartInput, step: Int, hasFilm: (ChartInput.Series) -> Bool, pictures: SessionThumbnails? = nil,
        to json: inout JSONWriter
    ) -> Int {
        let first = input.caches.first { !$0.typical.timeline.isEmpty }?.typical ?? input.caches.first?.typical
        // The length counts from the first event, and times from 0.
        let end = max(
            first?.traceDuration ?? 0, first?.marks.last?.time ?? 0,
            Int64(first?.timeline.last?.second ?? 0) * 1_000_000_000)
        var longest = 0
        json.object { json in
            json.key("end")
            json.number(seconds(end))
            json.array("marks", first?.marks ?? []) { json, mark in
                json.beginArray()
                json.string(mark.kind.rawValue)
                json.number(seconds(mark.time))
                json.endArray()
            }
            // All films of a trace have the same cells, which come from its requests.
            let placed = input.caches.first { hasFilm($0) && $0.typical.places != nil }
            if let places = placed?.typical.places { json.array("places", places.numbers) { $0.integer($1) } }
            if let pictures {
                json.array("pictures", pictures.images) { $0.string($1) }
                json.array("pictured", pictures.cells) { $0.integer($1) }
            }
            json.key("runs")
            json.beginArray()
            for (number, cache) in input.caches.enumerated() {
                if number > 0 { json.breakLine() }
                let rows = thinned(cache.typical.timeline, step: step)
                longest = max(longest, rows.count)
                write(rows, of: cache.typical, hasFilm: hasFilm(cache), to: &json)
            }
            json.endArray()
        }
        return longest
    }

    /// Writes the object of one trace with a run for each cache, and with all films, as a report has it. The step is a
    /// second.
    static func write(_ runs: [RunResult], names: [String], to json: inout JSONWriter) {
        let series = zip(names, runs).map { ChartInput.Series(name: $0, runs: [$1]) }
        let input = ChartInput(trace: runs.first?.identity.trace ?? "", network: nil, caches: series)
        _ = write(input, step: 1, hasFilm: { _ in true }, to: &json)
    }

    /// Returns the data with all pictures and films if its JSON has at most some bytes. Else it has no pictures, and if
    /// that is not enough, the films of some caches, or none, and the shortest step of 1, 2, 4 … seconds whose JSON has
    /// at most so many bytes, or whose timelines have at most `fewest` rows.
    ///
    /// - Parameter first: The names of the caches whose films are kept longest.
    static func fitting(
        _ inputs: [ChartInput], bytes: Int, fewest: Int, first: Set<String> = [],
        thumbnails: [SessionThumbnails] = []
    ) -> TimelineData {
        var data = TimelineData(inputs, step: 1, thumbnails: thumbnails)
        if data.json.utf8.count > bytes, !thumbnails.isEmpty { data = TimelineData(inputs, step: 1) }
        if data.json.utf8.count > bytes { data = TimelineData(inputs, step: 1, filmed: first) }
        if data.json.utf8.count > bytes { data = TimelineData(inputs, step: 1, filmed: []) }
        while data.json.utf8.count > bytes, data.longest > fewest {
            data = TimelineData(inputs, step: data.step * 2, filmed: [])
        }
        return data
    }

    private static func write(_ rows: [TimelineSecond], of run: RunResult, hasFilm: Bool, to json: inout JSONWriter) {
        json.object { json in
            guard !rows.isEmpty else { return }
            if let limit = run.memoryLimit { json.member("limit", limit) }
            if hasFilm, let film = run.film { json.array("film", film.numbers) { $0.integer($1) } }
            json.array("s", rows.indices) {
                $0.integer(rows[$1].second - ($1 > 0 ? rows[$1 - 1].second : 0))
            }
            json.array("m", rows) { $0.integer(($1.memoryBytes + 500) / 1_000) }
            json.array("f", rows) { $0.double(mean($1.fetchesInFlight)) }
            json.array("b", rows) { $0.double(mean($1.blankCells)) }
        }
    }

    /// Returns a mean with at most three places. A mean above 0 stays above it.
    private static func mean(_ number: Double) -> Double {
        number > 0 ? Double(max(1, Int((number * 1_000).rounded()))) / 1_000 : 0
    }

    /// Returns nanoseconds as seconds with three places.
    private static func seconds(_ time: Int64) -> String { HumanText.decimals(Double(time) / 1e9, 3) }

    /// Returns rows of `step` seconds each, with the most memory, and the means of the other levels. A row stands for
    /// the seconds until the next one.
    static func thinned(_ timeline: [TimelineSecond], step: Int) -> [TimelineSecond] {
        guard step > 1 else { return timeline }
        var rows: [TimelineSecond] = []
        for (index, row) in timeline.enumerated() {
            var from = row.second
            // The last level holds to the end of its step.
            let end = index + 1 < timeline.count ? timeline[index + 1].second : (from / step + 1) * step
            while from < end {
                let start = from / step * step
                // Whole steps with the same levels are one row.
                let to = from == start && end - from >= step ? from + (end - from) / step * step : start + step
                append(row, from: from, to: min(to, end))
                from = min(to, end)
            }
        }
        return rows

        func append(_ row: TimelineSecond, from: Int, to: Int) {
            let start = from / step * step
            let share = min(1, Double(to - from) / Double(step))
            var part = TimelineSecond(second: start)
            part.memoryBytes = row.memoryBytes
            part.fetchesInFlight = row.fetchesInFlight * share
            part.blankCells = row.blankCells * share
            if let last = rows.last, last.second == start {
                part.memoryBytes = max(part.memoryBytes, last.memoryBytes)
                part.fetchesInFlight += last.fetchesInFlight
                part.blankCells += last.blankCells
                rows.removeLast()
            }
            rows.append(part)
        }
    }
}

extension RunResult {
    /// Writes the timelines, marks and films of runs of one trace, for the script of a page: the object of a trace in a
    /// report, with a second for each row. The runs have a timeline of every second, and different names.
    package static func writeTimelines(of runs: [RunResult], names: [String], to json: inout JSONWriter) {
        TimelineData.write(runs, names: names, to: &json)
    }
}
