import Foundation
import ReplayEngine

/// The folder of `advise --output`: `advice.csv`, `advice.json` and `charts/`.
public struct AdviceFolder {
    public let path: String
    private let style: CSVStyle

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - csvSafe: Whether fields are safe for spreadsheets.
    ///   - replaces: Whether an advice or a search that the folder holds is replaced.
    ///   - resumes: Whether a search that was interrupted continues.
    /// - Throws: ``ResultsError`` if it holds an advice or a search, and neither flag is set, or cannot be created.
    public init(at path: String, csvSafe: Bool, replaces: Bool, resumes: Bool = false) throws {
        self.path = path
        style = csvSafe ? .safe : .exact
        if !replaces, !resumes, FileManager.default.fileExists(atPath: AdviceLog.path(in: path)) {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder holds a search that was interrupted; continue it with --resume, or replace it with --force")
        }
        if !replaces, !resumes, FileManager.default.fileExists(atPath: "\(path)/advice.json") {
            throw ResultsError(
                .cannotCreate, file: path,
                "the folder holds an advice; name another folder with --output, or replace it with --force")
        }
        try ResultsFolder.makeFolder(path)
    }

    /// Writes the files.
    public func write(_ advice: Advice) throws {
        try ResultFile.write(CSVText.render(AdviceColumns.all, advice.points, style), to: "\(path)/advice.csv")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try ResultFile.write(
            String(decoding: try encoder.encode(advice), as: UTF8.self) + "\n", to: "\(path)/advice.json")
    }

    /// Draws the chart.
    ///
    /// - Throws: ``ResultsError`` of kind `missingTool` without gnuplot.
    public func drawChart(_ advice: Advice, _ formats: [ChartFormat] = [.svg, .png]) throws -> DrawnCharts {
        let folder = "\(path)/charts"
        try ResultsFolder.makeFolder(folder)
        var charts = [
            Chart("advice", trace: "", AdviceChart.content(advice.points), formats: formats)
        ]
        let kept = try Chart.write(&charts, to: folder)
        let gnuplot = try Gnuplot()
        for chart in charts { try gnuplot.draw(chart, formats: formats, in: folder) }
        return DrawnCharts(
            pictures: charts.flatMap { chart in formats.map { "\(folder)/\(chart.name).\($0.rawValue)" } },
            keptScripts: kept)
    }
}
