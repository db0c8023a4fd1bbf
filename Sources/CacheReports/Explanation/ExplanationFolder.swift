import Foundation
import ReplayEngine

/// The folder of `explain --output`: `causes.csv`, `waits.csv`, `requests.csv`, `explanation.json` and `charts/`.
public struct ExplanationFolder {
    public let path: String
    private let style: CSVStyle
    private var runs: [RunExplanation] = []
    private var requests = CSVText.header(RequestColumns.all)

    /// Creates the folder.
    ///
    /// - Throws: ``ResultsError`` if it holds an explanation and `replaces` is false, or cannot be created.
    public init(at path: String, csvSafe: Bool, replaces: Bool) throws {
        self.path = path
        style = csvSafe ? .safe : .exact
        let file = "\(path)/explanation.json"
        if !replaces, FileManager.default.fileExists(atPath: file) {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder holds an explanation; name another folder with --output, or replace it with --force")
        }
        try ResultsFolder.makeFolder(path)
    }

    /// Adds a run and its requests.
    public mutating func add(_ run: RunExplanation, _ identity: RunIdentity, _ rows: [RequestRow]) {
        runs.append(run)
        requests += CSVText.rows(RequestColumns.all, rows.map { .init(identity: identity, request: $0) }, style)
    }

    /// Writes all files.
    public func write() throws {
        let causes = runs.flatMap { run in run.causes.map { CauseColumns.Row(run: run, cause: $0) } }
        try ResultFile.write(CSVText.render(CauseColumns.all, causes, style), to: "\(path)/causes.csv")
        let waits = runs.flatMap { run in run.waits.map { WaitColumns.Row(run: run, wait: $0) } }
        try ResultFile.write(CSVText.render(WaitColumns.all, waits, style), to: "\(path)/waits.csv")
        try ResultFile.write(requests, to: "\(path)/requests.csv")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try ResultFile.write(
            String(decoding: try encoder.encode(runs), as: UTF8.self) + "\n", to: "\(path)/explanation.json")
    }

    /// Draws the charts.
    ///
    /// - Throws: ``ResultsError`` of kind `missingTool` without gnuplot.
    public func drawCharts(_ formats: [ChartFormat] = [.svg, .png]) throws -> DrawnCharts {
        var charts = ExplanationChart.charts(runs, formats: formats)
        let folder = "\(path)/charts"
        try ResultsFolder.makeFolder(folder)
        let kept = try Chart.write(&charts, to: folder)
        let gnuplot = try Gnuplot()
        for chart in charts { try gnuplot.draw(chart, formats: formats, in: folder) }
        let drawn = charts.flatMap { chart in formats.map { "\(folder)/\(chart.name).\($0.rawValue)" } }
        return DrawnCharts(pictures: drawn, keptScripts: kept)
    }
}
