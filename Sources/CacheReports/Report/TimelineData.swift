import ReplayEngine

/// The figures of all timelines of a report: a block of JSON with numbers and the names of marks, for the script of the
/// page.
///
/// Each run has four columns: the seconds as differences, memory in kilobytes, the fetches in flight, and the blank
/// cells. Long timelines are thinned: a row then has the highest values of several seconds. A run also has its film, as
/// `Film.numbers`, unless films are left out.
struct TimelineData {
    /// The seconds that a row stands for.
    let step: Int
    let json: String
    /// The rows of the longest timeline.
    let longest: Int
    /// Whether runs have films that the data leaves out.
    let omitsFilms: Bool

    /// Creates the data of the typical run of each trace and cache.
    init(_ inputs: [ChartInput], step: Int, films: Bool = true) {
        self.step = step
        omitsFilms = !films && inputs.contains { $0.caches.contains { $0.typical.film != nil } }
        var longest = 0
        let traces = inputs.map { input -> String in
            let runs = input.caches.map { cache -> String in
                let run = cache.typical
                let rows = Self.thinned(run.timeline, step: step)
                longest = max(longest, rows.count)
                let seconds = rows.indices.map { rows[$0].second - ($0 > 0 ? rows[$0 - 1].second : 0) }
                let columns = [
                    ("s", seconds), ("m", rows.map { Int(($0.memoryBytes + 500) / 1_000) }),
                    ("f", rows.map(\.fetchesInFlight)), ("b", rows.map(\.blankCells)),
                ]
                let limit = run.memoryLimit.map { "\"limit\":\($0)," } ?? ""
                let film = films ? run.film.map { "\"film\":\(Self.list($0.numbers))," } ?? "" : ""
                return "{\(limit)\(film)" + columns.map { "\"\($0)\":\(Self.list($1))" }.joined(separator: ",") + "}"
            }
            let first = input.caches.first?.typical
            // The length counts from the first event, and times from 0.
            let end = max(
                first?.traceDuration ?? 0, first?.marks.last?.time ?? 0,
                Int64(first?.timeline.last?.second ?? 0) * 1_000_000_000)
            let marks = (first?.marks ?? []).map { "[\"\($0.kind.rawValue)\",\(Self.seconds($0.time))]" }
            return """
                {"end":\(Self.seconds(end)),"marks":[\(marks.joined(separator: ","))],\
                "runs":[\(runs.joined(separator: ",\n"))]}
                """
        }
        json = "{\"step\":\(step),\"traces\":[\n\(traces.joined(separator: ",\n"))]}"
        self.longest = longest
    }

    /// Returns the data with films if its JSON has at most some bytes. Else it has no films, and the shortest step of
    /// 1, 2, 4 … seconds whose JSON has at most so many bytes, or whose timelines have at most `fewest` rows.
    static func fitting(_ inputs: [ChartInput], bytes: Int, fewest: Int) -> TimelineData {
        var data = TimelineData(inputs, step: 1)
        if data.json.utf8.count > bytes { data = TimelineData(inputs, step: 1, films: false) }
        while data.json.utf8.count > bytes, data.longest > fewest {
            data = TimelineData(inputs, step: data.step * 2, films: false)
        }
        return data
    }

    private static func list(_ numbers: [some BinaryInteger]) -> String {
        "[" + numbers.map { "\($0)" }.joined(separator: ",") + "]"
    }

    /// Returns nanoseconds as seconds with three places.
    private static func seconds(_ time: Int64) -> String { HumanText.decimals(Double(time) / 1e9, 3) }

    /// Returns rows that have the highest values of `step` seconds each. A level that differs from the highest one is
    /// kept from the next row on.
    static func thinned(_ timeline: [TimelineSecond], step: Int) -> [TimelineSecond] {
        guard step > 1, let first = timeline.first else { return timeline }
        var rows: [TimelineSecond] = []
        var level = first
        for row in timeline {
            let start = row.second / step * step
            if let last = rows.last, last.second == start {
                rows[rows.count - 1] = last.highest(row)
            } else {
                appendLevel(before: start)
                rows.append(row.moved(to: start))
            }
            level = row
        }
        appendLevel(before: .max)
        return rows

        func appendLevel(before start: Int) {
            guard let last = rows.last, last.second + step < start, !last.hasLevels(of: level) else { return }
            rows.append(level.moved(to: last.second + step))
        }
    }
}

extension TimelineSecond {
    fileprivate func moved(to second: Int) -> TimelineSecond {
        var row = self
        row.second = second
        return row
    }

    fileprivate func highest(_ other: TimelineSecond) -> TimelineSecond {
        var row = self
        row.memoryBytes = max(memoryBytes, other.memoryBytes)
        row.fetchesInFlight = max(fetchesInFlight, other.fetchesInFlight)
        row.blankCells = max(blankCells, other.blankCells)
        return row
    }

    fileprivate func hasLevels(of other: TimelineSecond) -> Bool {
        memoryBytes == other.memoryBytes && fetchesInFlight == other.fetchesInFlight && blankCells == other.blankCells
    }
}
