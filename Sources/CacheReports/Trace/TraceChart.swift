import Runs
import TraceAnalysis

/// The charts of a trace. The raw values are the endings of their file names.
enum TraceChart: String, CaseIterable, Codable {
    case popularity
    case workingSet = "working-set"
    case reuseDistance = "reuse-distance"

    fileprivate var draw: (TraceStatistics, String) -> LineChart? {
        switch self {
        case .popularity: PopularityChart.chart
        case .workingSet: WorkingSetChart.chart
        case .reuseDistance: ReuseDistanceChart.chart
        }
    }
}

/// The charts of a trace before they have a size and a look: the content of `charts.json`.
struct TraceCharts: Codable {
    struct Entry: Codable {
        var kind: TraceChart
        var chart: LineChart
    }

    var trace: String
    var charts: [Entry]

    init(_ analysis: TraceStatistics, trace: String) {
        self.trace = trace
        charts = TraceChart.allCases.compactMap { kind in
            kind.draw(analysis, trace).map { Entry(kind: kind, chart: $0) }
        }
    }

    func drawn(_ options: ChartOptions) -> [Chart] {
        charts.map { entry in
            Chart(
                ChartName(trace, entry.kind), trace: trace, entry.chart.content(options.canvas), options, caption: "")
        }
    }

    func source(in folder: String) -> ChartSource {
        ChartSource(folder: folder, caches: [], traces: [trace]) { (drawn($0), nil) }
    }

    // MARK: As a file

    private static let file = "charts.json"

    /// Reads the charts of a folder.
    ///
    /// - Throws: `ResultsError`: `ioError`, or `badData` for a broken file, and for a folder without it.
    init(in folder: String) throws {
        let (path, remedy) = ("\(folder)/\(Self.file)", "run `cachereplay trace info --output` again")
        guard ResultFile.exists(path) else {
            throw ResultsError(.badData, file: folder, "has no \(Self.file) with the lines of its charts; \(remedy)")
        }
        self = try JSONFile.read(Self.self, at: path, remedy: remedy)
    }

    func write(to folder: String) throws {
        let file = "\(folder)/\(Self.file)"
        try ResultFile.write(try JSONFile.text(self, file: file, .line), to: file)
    }
}
