import ArgumentParser
import CacheReports
import Foundation
import Runs

/// The output of `replay` and `merge` on results.
struct ResultDisplayOptions: ParsableArguments {
    @OptionGroup var printing: PrintOptions
    @OptionGroup var chartsOption: ChartsOption
    @OptionGroup private var relevance: RelevanceOption

    var json: Bool { printing.json }
    var quiet: Bool { printing.quiet }
    var charts: Bool { chartsOption.charts }
    /// The threshold in `run.json`; nil for the standard one.
    var relevanceThreshold: Tolerance? { relevance.given == Tolerance.standard ? nil : relevance.given }
    var isRelevanceThresholdGiven: Bool { relevance.given != nil }

    @Option(
        help: """
            Print the table of this trace only, or, of more than 20 sessions, of this figure, for example blank; \
            conclusions are about all traces.
            """)
    var table: String?

    @Option(
        name: .customLong("sort"),
        help: ArgumentHelp(
            """
            Sort the rows of tables by a column, such as fetched, or a metric of summary.csv, the best figure first; \
            by cache, its name; or given, as on the command line. By default, the least blank time comes first, and \
            the rows of a sweep stay in the order of its values. Ties are as on the command line.
            """, valueName: "column"),
        transform: { text in
            guard let order = ResultOrder(text) else {
                throw ValidationError(
                    """
                    there is no column '\(text)'. Columns are \(ResultOrder.names.joined(separator: ", ")), and the \
                    metrics of summary.csv, such as blank_ratio.
                    """)
            }
            return order
        })
    var order = ResultOrder.standard

    @Option(help: "The widest line; by default that of the terminal. Tables leave out columns that do not fit.")
    var width: Int?

    @Flag(inversion: .prefixedNo, help: "Print the notes below the tables.")
    var notes = true

    func validate() throws {
        if let width, width < 40 { throw ValidationError("--width is at least 40.") }
    }

    /// - Throws: ``CommandFailure`` for a table or a column that these traces do not have.
    func check(_ sources: TraceSources) throws {
        let isFleet = sources.files.count > ReplayStore.mostSingleSessions
        let isFigure = table.map { FleetFigure(title: $0) != nil } ?? true
        if isFleet, isFigure { try checkOrderOfFleet() }
        guard let table, !sources.files.contains(where: { $0.name == table }) else { return }
        guard !isFleet || !isFigure else { return }
        let names = sources.files.prefix(10).map(\.name).joined(separator: ", ")
        let figures = FleetFigure.titles.joined(separator: ", ")
        throw CommandFailure(
            .usage,
            """
            --table \(table): the traces are \(names)\(sources.files.count > 10 ? " …" : "")\
            \(isFleet ? ", and the figures \(figures)" : "").
            """)
    }

    /// - Throws: ``CommandFailure`` for `--sort`.
    func checkSimulation() throws {
        guard order != .standard else { return }
        throw CommandFailure(
            .usage, "--sort: the rows of a simulation are in the order of policies and capacities; leave --sort out.")
    }

    /// - Throws: ``CommandFailure`` for a column that the tables over users do not have.
    private func checkOrderOfFleet() throws {
        guard !order.isOfFleets else { return }
        throw CommandFailure(
            .usage,
            """
            --sort: the tables of more than \(ReplayStore.mostSingleSessions) sessions sort by \
            \(ResultOrder.fleetNames.joined(separator: ", ")).
            """)
    }

    /// Draws the charts, and prints the results of a folder.
    func show(_ folder: ReplayStore, requests: String? = nil) throws {
        let drawn = try chartsOption.draw(quiet: quiet) { try folder.drawCharts() }
        let width = width ?? CommandOutput.terminalWidth
        var files = ["summary.csv", "latency.csv", "timeline.csv"]
        let figure = table.flatMap { FleetFigure(title: $0) }
        if table == nil || figure != nil, try folder.isFleet, let fleet = try folder.fleet {
            if json { return CommandOutput.printJSON(fleet.json, terminator: "") }
            try checkOrderOfFleet()
            CommandOutput.print(
                fleet.document(of: figure, by: order, onlyTables: quiet, notes: notes), width: width ?? 120)
            files = ["fleet.csv", "fleet-pairs.csv", "fleet-latency.csv"] + files
        } else {
            let results = try ResultSet(folder)
            if json { return CommandOutput.printJSON(ResultsTable.json(results), terminator: "") }
            CommandOutput.print(
                ResultsTable.document(results, by: order, onlyTables: quiet, notes: notes, of: table), width: width)
        }
        guard !quiet, notes else { return }
        files += requests.map { [$0] } ?? []
        CommandOutput.print("\nCSVs: \(folder.path)/\(files.joined(separator: ", "))")
        if !drawn.isEmpty {
            CommandOutput.print(
                "Charts: \(drawn.count) pictures in \(folder.path)/charts, and all in \(folder.path)/report.html")
        }
    }
}

extension DrawnCharts {
    /// Says on standard error which scripts were kept unless `quiet`, and returns the paths of the pictures.
    func reported(quiet: Bool) -> [String] {
        for script in keptScripts where !quiet {
            printToStandardError("cachereplay: \(script) was edited, so it is kept; remove it to draw it anew.")
        }
        if !missing.isEmpty, !quiet {
            let shown = String(String.UnicodeScalarView(missing.sorted().prefix(10)))
            printToStandardError(
                """
                cachereplay: no font of this machine has \(shown)\(missing.count > 10 ? "…" : ""), so PNG and PDF \
                pictures show □ instead; SVG pictures and reports show the names. Install a font with them, such as \
                fonts-noto-cjk for Chinese and Japanese, and run `cachereplay chart`.
                """)
        }
        return pictures
    }
}
