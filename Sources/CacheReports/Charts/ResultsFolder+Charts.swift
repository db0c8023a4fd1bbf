import Basics
import Foundation
import ReplayEngine

extension ResultsFolder {
    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing.
    /// - Parameters:
    ///   - options: What is drawn, and how large. The report is only written with the options of a replay.
    ///   - message: Gets a sentence about each edited script, which is kept.
    /// - Returns: The paths of the pictures.
    /// - Throws: ``ResultsError``: `missingTool` without gnuplot, `cannotCreate`, `ioError`.
    @discardableResult
    public func drawCharts(
        _ formats: [ChartFormat] = [.svg, .png], _ options: ChartOptions = ChartOptions(),
        message: (String) -> Void = { _ in }
    ) throws -> [String] {
        try drawCharts(formats, options, message: message, with: { try Gnuplot() })
    }

    func drawCharts(
        _ formats: [ChartFormat], _ options: ChartOptions = ChartOptions(), message: (String) -> Void = { _ in },
        with gnuplot: () throws -> Gnuplot
    ) throws -> [String] {
        let folder = "\(path)/charts"
        let charts = ChartKind.charts(options.selected(results), formats: formats, options)
        try Self.makeFolder(folder)
        AtomicFile.removeAbandoned(in: folder)
        let written = try ChartFiles.write(charts, formats, to: folder, message: message)
        let gnuplot = try gnuplot()
        for (chart, formats) in written { try gnuplot.draw(chart, formats: formats, in: folder) }
        if formats.contains(.svg), options.isPlain { try writeReport(charts) }
        return written.flatMap { chart, formats in formats.map { "\(folder)/\(chart.name).\($0.rawValue)" } }
    }

    private func writeReport(_ charts: [Chart]) throws {
        let pictures = charts.compactMap { chart in
            FileManager.default.contents(atPath: "\(path)/charts/\(chart.name).svg").map { (chart, $0) }
        }
        let page = ReportPage(results, description, pictures)
        try ResultFile.write(page.html, to: "\(path)/report.html")
    }
}
