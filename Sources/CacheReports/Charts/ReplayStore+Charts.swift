import Basics
import Foundation
import ReplayEngine
import Runs

extension Store<ReplayRuns> {
    /// Writes `charts/`: for each chart the script, its data and the pictures. With SVG among the formats, it also
    /// writes `report.html`.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing. A script that a user has edited is kept,
    /// and draws the chart. Charts of a selection of caches, or of another size, leave the report as it is.
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, `ioError`, or `notFound` for a cache
    ///   or trace that the results do not have.
    @discardableResult
    public func drawCharts(_ options: ChartOptions = ChartOptions()) throws -> DrawnCharts {
        try drawCharts(options) { try Gnuplot() }
    }

    func drawCharts(_ options: ChartOptions, with gnuplot: () throws -> Gnuplot) throws -> DrawnCharts {
        try [chartSource].draw(options, with: gnuplot)
    }

    /// The charts of the sessions, or of the fleet.
    var chartSource: ChartSource {
        get throws {
            let table = try fleetTable
            return ChartSource(
                folder: path, caches: table.caches.map(table.cacheName).unique(),
                traces: table.sessions.map(\.name).unique()
            ) { [self] options in
                let results = try selected(by: options)
                let fleet = try shownFleet(table, options)
                let charts =
                    fleet.map { FleetChart.charts($0.table, $0.statistics, options) }
                    ?? ChartKind.charts(results, options, judgedBy: manifest?.facts)
                let page: ChartSource.Page = (
                    name: "report.html",
                    html: { pictures in
                        try
                            (fleet.flatMap { try self.fleetPage($0.table, $0.statistics, pictures) }
                            ?? ReportPage(
                                try self.withDetails(results), self.manifest, pictures,
                                thumbnails: self.thumbnails)).html
                    }
                )
                return (charts, page)
            }
        }
    }

    /// Returns the fleet whose charts are drawn; nil if charts of sessions are drawn.
    private func shownFleet(
        _ table: FleetTable, _ options: ChartOptions
    ) throws -> (table: FleetTable, statistics: FleetStatistics)? {
        guard options.traces.isEmpty, try isFleet else { return nil }
        guard !options.caches.isEmpty || options.order == .name else { return try fleet.map { (table, $0) } }
        let names = options.chosen(table.caches, by: table.cacheName)
        let part = table.with(caches: Set(names)).arranged(names)
        guard !options.caches.isEmpty else { return try fleet.map { (part, $0) } }
        return (
            part,
            FleetStatistics(
                part, seed: Self.seed, threads: ProcessInfo.processInfo.activeProcessorCount,
                relevanceThreshold: manifest?.relevanceThreshold ?? .standard)
        )
    }

    /// Returns the report on a fleet, with a few sessions in detail.
    private func fleetPage(
        _ table: FleetTable, _ statistics: FleetStatistics, _ pictures: [Chart.Picture]
    ) throws -> ReportPage? {
        guard let fleet = ReportFleet(table, statistics, pictures) else { return nil }
        var runs: [RunResult] = []
        for (session, _) in fleet.details { try forEachResult(of: [session]) { runs.append($0) } }
        return ReportPage(try withDetails(runs), manifest, [], fleet: fleet, thumbnails: try thumbnails)
    }

    /// Returns the results of the caches and traces of a selection; none for a fleet without a choice of traces.
    private func selected(by options: ChartOptions) throws -> [RunResult] {
        if try options.traces.isEmpty && isFleet { return [] }
        var results: [RunResult] = []
        try forEachResult(of: options.traces.isEmpty ? nil : Set(options.traces)) { result in
            if options.shows(cache: result.identity.cache) { results.append(result) }
        }
        return results
    }
}

extension Chart {
    /// A chart with its SVG.
    typealias Picture = (chart: Chart, svg: Data)

    /// Writes the scripts and data of charts to `charts/` of a folder, draws their pictures there, and then writes the
    /// page that shows them.
    ///
    /// Scripts and data are written first, and remain when gnuplot is missing. A script that a user has edited stays,
    /// and draws the chart.
    /// - Parameter page: The name of the page in the folder, which is written if SVG is among the formats; nil for
    ///   none.
    /// - Throws: `ResultsError`: `missingTool` without gnuplot, `cannotCreate`, `ioError`, or what `html` throws.
    static func draw(
        _ charts: [Chart], _ formats: [ChartFormat], in folder: String, page: String? = nil,
        with gnuplot: () throws -> Gnuplot = { try Gnuplot() }, html: ([Picture]) throws -> String = { _ in "" }
    ) throws -> DrawnCharts {
        let place = "\(folder)/charts"
        try ResultFile.makeFolder(place)
        AtomicFile.removeAbandoned(in: place)
        var charts = charts
        var drawn = DrawnCharts()
        for index in charts.indices {
            let script = "\(place)/\(charts[index].name).gp"
            if let earlier = try? ResultFile.text(at: script), EditedScript.isEdited(earlier) {
                charts[index].script = earlier
                drawn.keptScripts.append(script)
            } else {
                try ResultFile.write(charts[index].script, to: script)
            }
            try ResultFile.write(charts[index].data, to: "\(place)/\(charts[index].name).csv")
        }
        let gnuplot = try gnuplot()
        for chart in charts {
            drawn.missing.formUnion(try gnuplot.draw(chart, formats: formats, in: place))
            drawn.pictures += formats.map { "\(place)/\(chart.name).\($0.rawValue)" }
        }
        guard let page, formats.contains(.svg) else { return drawn }
        let pictures = charts.compactMap { chart in
            FileManager.default.contents(atPath: "\(place)/\(chart.name).svg").map { (chart, $0) }
        }
        try ResultFile.write(try html(pictures), to: "\(folder)/\(page)")
        return drawn
    }
}
