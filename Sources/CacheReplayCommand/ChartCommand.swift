import ArgumentParser
import CacheReports

/// `cachereplay chart`: draws the charts of a results folder again.
public struct ChartCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Draw the charts of a results folder.",
        discussion: """
            Writes DIR/charts: for each trace and chart the pictures, the gnuplot script
            and its data. To change a chart, edit the script and run `gnuplot NAME.gp`
            in that folder. An edited script is kept, and drawn as it is.

            CHARTS OF A REPLAY
            \(replayCharts)

            CHARTS OF A SIMULATION
              \(SimulationChart.allCases.map(\.rawValue).joined(separator: ", "))

            EXAMPLE
              cachereplay chart Results/photo-feed --pictures svg,png
            """)

    @Argument(help: ArgumentHelp("A folder that `replay` or `simulate` wrote.", valueName: "dir"))
    var folder: String

    @Option(
        help:
            """
            Formats of the pictures, separated by commas: \
            \(ChartFormat.allCases.map(\.rawValue).joined(separator: ", ")).
            """
    )
    var pictures = "svg,png"

    @Option(help: "Title of all charts, instead of one that names the chart and the trace.")
    var title: String?

    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp("Draw only this cache; repeatable, or several separated by commas.", valueName: "name"))
    var caches: [String] = []

    @Option(
        name: .customLong("trace"),
        help: ArgumentHelp("Draw only the charts of this trace; repeatable.", valueName: "name"))
    var traces: [String] = []

    @Flag(help: "Draw on a dark background.")
    var dark = false

    @Flag(name: .shortAndLong, help: "Print nothing instead of the paths of the pictures.")
    var quiet = false

    public init() {}

    public mutating func validate() throws {
        _ = try formats()
    }

    public mutating func run() throws {
        let formats = try formats()
        let drawn = try CommandFailure.translating {
            if SimulationFolder.holdsResults(folder), !ResultsFolder.holdsResults(folder) {
                guard title == nil, caches.isEmpty, traces.isEmpty, !dark else {
                    throw ValidationError(
                        "--title, --cache, --trace and --dark are for the charts of a replay; leave them out")
                }
                return try SimulationFolder.open(folder).drawCharts(formats, message: report)
            }
            let results = try ResultsFolder.open(folder)
            return try results.drawCharts(formats, options(results), message: report)
        }
        if !quiet { drawn.forEach { CommandOutput.print($0) } }
    }

    private static var replayCharts: String {
        ChartKind.allCases.map { "  \($0.rawValue): \($0.meaning)" }.joined(separator: "\n")
    }

    private func report(_ message: String) { CommandOutput.writeError("cachereplay: \(message)\n") }

    private func options(_ folder: ResultsFolder) throws -> ChartOptions {
        var options = ChartOptions()
        (options.title, options.isDark) = (title, dark)
        let names = folder.results.map(\.identity.cache)
        // A name can contain commas, so the whole text is tried first.
        options.caches = caches.flatMap { text in
            names.contains(text) ? [text] : text.split(separator: ",").map { $0.trimmingPrefix(" ") }.map(String.init)
        }
        options.traces = traces
        try Self.check(options.caches, "cache", among: names)
        try Self.check(options.traces, "trace", among: folder.results.map(\.identity.trace))
        return options
    }

    private static func check(_ names: [String], _ kind: String, among known: [String]) throws {
        for name in names where !known.contains(name) {
            var choices: [String] = []
            for choice in known where !choices.contains(choice) { choices.append(choice) }
            let shown = choices.prefix(12).joined(separator: ", ")
            throw ValidationError(
                "no \(kind) \"\(name)\" in these results; choose from \(shown)\(choices.count > 12 ? " …" : "")")
        }
    }

    private func formats() throws -> [ChartFormat] {
        var formats: [ChartFormat] = []
        for name in pictures.split(separator: ",", omittingEmptySubsequences: false) {
            guard let format = ChartFormat(rawValue: name.lowercased()) else {
                let choices = ChartFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("unknown format \"\(name)\"; choose from \(choices), separated by commas")
            }
            if !formats.contains(format) { formats.append(format) }
        }
        return formats
    }
}
