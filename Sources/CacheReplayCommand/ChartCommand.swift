import ArgumentParser
import CacheReports
import Foundation
import Runs

/// `cachereplay chart`: draws the charts of a results folder again.
public struct ChartCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Draw the charts of a results folder.",
        discussion: """
            Writes DIR/charts: for each trace and chart the pictures, the gnuplot script
            and its data. To change a chart, edit the script and run `gnuplot NAME.gp`
            in that folder, or this command, which keeps edited scripts.

            CHARTS OF A REPLAY
            \(replayCharts)

            CHARTS OF A SIMULATION
              \(SimulationChart.allCases.map(\.rawValue).joined(separator: ", "))

            EXAMPLE
              cachereplay chart Results/photo-feed --pictures png --size 1920x1080 --dark
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

    @Option(help: ArgumentHelp("The size of the pictures in pixels: 1920x1080.", valueName: "width x height"))
    var size: String?

    @Option(help: "The height of the font in pixels.")
    var font: Int?

    @Option(help: "A title for all pictures.")
    var title: String?

    @Option(help: ArgumentHelp("The caches to draw, by name, separated by commas or repeated.", valueName: "names"))
    var cache: [String] = []

    @Option(help: ArgumentHelp("The traces to draw, by name, separated by commas or repeated.", valueName: "names"))
    var trace: [String] = []

    @Flag(help: "Draw on dark paper.")
    var dark = false

    @OptionGroup var printing: QuietOption

    public init() {}

    public mutating func validate() throws {
        _ = try options()
    }

    public mutating func run() throws {
        let options = try options()
        let drawn: DrawnCharts
        if SimulationStore.holdsResults(folder), !ReplayStore.holdsResults(folder) {
            guard options.isStandard else {
                throw CommandFailure(
                    .usage,
                    """
                    \(folder): holds the results of a simulation, for which chart has only --pictures; edit the \
                    scripts for another size or look.
                    """)
            }
            drawn = try SimulationStore.open(folder).drawCharts(options.formats)
        } else {
            drawn = try ReplayStore.open(folder).drawCharts(options)
        }
        let pictures = drawn.reported(quiet: printing.quiet)
        if !printing.quiet { pictures.forEach { CommandOutput.print($0) } }
    }

    private static var replayCharts: String {
        ChartKind.allCases.map { "  \($0.rawValue): \($0.meaning)" }.joined(separator: "\n")
    }

    private func options() throws -> ChartOptions {
        var options = ChartOptions()
        options.formats = try formats()
        if let size {
            guard let size = PictureSize(size) else {
                throw ValidationError(
                    """
                    --size is WIDTHxHEIGHT in pixels, from \(PictureSize.leastWidth)x\(PictureSize.leastHeight) to \
                    \(PictureSize.most)x\(PictureSize.most), such as 1920x1080; not '\(size)'.
                    """)
            }
            options.size = size
        }
        if let font {
            guard (8...96).contains(font) else { throw ValidationError("--font is from 8 to 96 pixels, not \(font).") }
            options.font = font
        }
        options.title = title
        options.isDark = dark
        options.caches = cache
        options.traces = trace
        return options
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
