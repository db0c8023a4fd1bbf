import Runs

extension Store<SimulationRows> {
    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing. A script that a user has edited is kept,
    /// and draws the chart.
    /// - Returns: The paths of the pictures; empty if no row has a capacity above 0.
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, `ioError`, or `notFound` for a policy
    ///   or trace that the results do not have.
    @discardableResult
    public func drawCharts(_ options: ChartOptions = ChartOptions()) throws -> DrawnCharts {
        try [chartSource].draw(options)
    }

    var chartSource: ChartSource {
        let (rows, curves, bounds, parts, manifest) = (rows, curves, bounds, parts, manifest)
        return ChartSource(
            folder: path, caches: (rows.map(\.policy) + (curves.isEmpty ? [] : [SimulationChart.curvePolicy])).unique(),
            traces: (rows.map(\.trace) + curves.map(\.trace) + bounds.map(\.trace)).unique()
        ) { options in
            let charts = SimulationChart.charts(rows, curves, bounds, parts: parts, options: options)
            guard !charts.isEmpty else { return ([], nil) }
            let page: ChartSource.Page = (
                name: "report.html", html: { Document(rows, bounds, manifest, pictures: $0).html() }
            )
            return (charts, page)
        }
    }
}
