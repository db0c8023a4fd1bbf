import Foundation
import ReplayEngine
import TraceAnalysis

extension TraceInspection {
    /// Writes the page of the trace into a folder: `trace.json`, `trace.html`, and `charts/` with the script, the data
    /// and the pictures of each chart. Charts without figures are omitted.
    ///
    /// Scripts and data are written first, and stay if gnuplot is missing.
    /// - Parameters:
    ///   - name: The name of the trace in titles and file names.
    ///   - consistency: The result of the consistency check.
    /// - Returns: The paths of the written files, the page first.
    /// - Throws: ``ResultsError``: `missingTool` without gnuplot, `cannotCreate`, `ioError`.
    @discardableResult
    public func writePage(
        named name: String, to folder: String, formats: [ChartFormat] = [.svg, .png],
        consistency: ConsistencyReport? = nil
    ) throws -> [String] {
        try writePage(named: name, to: folder, formats: formats, consistency: consistency) { try Gnuplot() }
    }

    func writePage(
        named name: String, to folder: String, formats: [ChartFormat], consistency: ConsistencyReport? = nil,
        with gnuplot: () throws -> Gnuplot
    ) throws -> [String] {
        let formats = formats.contains(.svg) ? formats : [.svg] + formats  // The page contains the SVG pictures.
        let charts = TraceChart.charts(analysis, trace: name, formats: formats)
        let chartFolder = "\(folder)/charts"
        try ResultsFolder.makeFolder(chartFolder)
        try ResultFile.write(json(consistency) + "\n", to: "\(folder)/trace.json")
        for (_, chart) in charts {
            try ResultFile.write(chart.script, to: "\(chartFolder)/\(chart.name).gp")
            try ResultFile.write(chart.data, to: "\(chartFolder)/\(chart.name).csv")
        }
        let gnuplot = try gnuplot()
        for (_, chart) in charts { try gnuplot.draw(chart, formats: formats, in: chartFolder) }
        let pictures = charts.compactMap { kind, chart in
            FileManager.default.contents(atPath: "\(chartFolder)/\(chart.name).svg").map { (kind, chart, $0) }
        }
        try ResultFile.write(
            TracePage(trace: name, inspection: self, consistency: consistency, pictures: pictures).html,
            to: "\(folder)/trace.html")
        return ["\(folder)/trace.html", "\(folder)/trace.json"]
            + charts.flatMap { entry in formats.map { "\(chartFolder)/\(entry.chart.name).\($0.rawValue)" } }
    }
}
