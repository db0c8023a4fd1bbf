import Basics
import Foundation
import ReplayEngine

extension ResultsFolder {
    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing.
    /// - Returns: The paths of the pictures.
    /// - Throws: ``ResultsError``: `missingTool` without gnuplot, `cannotCreate`, `ioError`.
    @discardableResult
    public func drawCharts(_ formats: [ChartFormat] = [.svg, .png]) throws -> [String] {
        try drawCharts(formats) { try Gnuplot() }
    }

    func drawCharts(_ formats: [ChartFormat], with gnuplot: () throws -> Gnuplot) throws -> [String] {
        let folder = "\(path)/charts"
        let charts = ChartKind.charts(try results, formats: formats)
        try Self.makeFolder(folder)
        AtomicFile.removeAbandoned(in: folder)
        for chart in charts {
            try ResultFile.write(chart.script, to: "\(folder)/\(chart.name).gp")
            try ResultFile.write(chart.data, to: "\(folder)/\(chart.name).csv")
        }
        let gnuplot = try gnuplot()
        for chart in charts { try gnuplot.draw(chart, formats: formats, in: folder) }
        if formats.contains(.svg) { try writeReport(charts) }
        return charts.flatMap { chart in formats.map { "\(folder)/\(chart.name).\($0.rawValue)" } }
    }

    private func writeReport(_ charts: [Chart]) throws {
        let pictures = charts.compactMap { chart in
            FileManager.default.contents(atPath: "\(path)/charts/\(chart.name).svg").map { (chart, $0) }
        }
        let page = ReportPage(try results, description, pictures)
        try ResultFile.write(page.html, to: "\(path)/report.html")
    }
}
