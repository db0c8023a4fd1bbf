import ReplayEngine

extension ResultsFolder {
    /// Writes `charts/`: of each chart the script, its data, and the pictures.
    ///
    /// Scripts and data are written first and stay also when gnuplot is missing.
    /// - Returns: the paths of the pictures.
    /// - Throws: ``ResultsError``: `missingTool` without gnuplot, `cannotCreate`, `ioError`.
    @discardableResult
    public func drawCharts(_ formats: [ChartFormat] = [.svg, .png]) throws -> [String] {
        try drawCharts(formats) { try Gnuplot() }
    }

    func drawCharts(_ formats: [ChartFormat], with gnuplot: () throws -> Gnuplot) throws -> [String] {
        let folder = "\(path)/charts"
        let charts = ChartKind.charts(results, formats: formats)
        try Self.makeFolder(folder)
        for chart in charts {
            try AtomicFile.write(chart.script, to: "\(folder)/\(chart.name).gp")
            try AtomicFile.write(chart.data, to: "\(folder)/\(chart.name).csv")
        }
        let gnuplot = try gnuplot()
        return try charts.flatMap { chart in
            try gnuplot.draw(chart, formats: formats, in: folder)
            return formats.map { "\(folder)/\(chart.name).\($0.rawValue)" }
        }
    }
}
