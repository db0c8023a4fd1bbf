import Runs

extension Store<SimulationRows> {
    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing. A script that a user has edited is kept,
    /// and draws the chart.
    /// - Returns: The paths of the pictures; empty if no row has a capacity above 0.
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, `ioError`.
    @discardableResult
    public func drawCharts(_ formats: [ChartFormat] = [.svg, .png]) throws -> DrawnCharts {
        let charts = SimulationChart.charts(rows, curves, bounds, formats: formats)
        guard !charts.isEmpty else { return DrawnCharts(pictures: [], keptScripts: []) }
        return try Chart.draw(
            charts, formats, in: path, page: "report.html",
            html: { Document(rows, bounds, manifest, pictures: $0).html() })
    }
}
