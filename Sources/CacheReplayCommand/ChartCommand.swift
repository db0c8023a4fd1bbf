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
            in that folder.

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
                return try SimulationFolder.open(folder).drawCharts(formats)
            }
            return try ResultsFolder.open(folder).drawCharts(formats)
        }
        if !quiet { drawn.forEach { CommandOutput.print($0) } }
    }

    private static var replayCharts: String {
        ChartKind.allCases.map { "  \($0.rawValue): \($0.meaning)" }.joined(separator: "\n")
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
