import ArgumentParser
import Basics
import CacheReports
import Foundation
import Runs

/// `cachereplay chart`: draws the charts of a folder of results again.
public struct ChartCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Draw the charts of a folder of results, in another size, look or order.",
        discussion: """
            Writes DIR/charts: for each trace and chart the pictures, the gnuplot script
            and its data. To change a chart, edit the script and run `gnuplot NAME.gp`
            in that folder, or this command, which keeps edited scripts.

            CHARTS OF A REPLAY, AND OF A GATE, WITH THE CACHES OF BOTH SIDES
            \(list(ChartKind.allCases) { $0.meaning })
            \(list(OverviewChart.allCases) { $0.meaning })

            CHARTS OF A REPLAY OF MORE THAN 20 SESSIONS
            \(list(FleetChart.allCases) { $0.meaning })

            CHARTS OF OTHER RESULTS
            \(otherCharts)

            EXAMPLE
              cachereplay chart Results/photo-feed --pictures png --size 1920x1080 --dark
            """)

    @Argument(
        help: ArgumentHelp(
            "A folder that \(ResultKind.allCases.map { "`\($0.command)`" }.joined(separator: ", ")) wrote.",
            valueName: "dir"),
        completion: .directory)
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

    @Option(
        help: ArgumentHelp(
            "The font, its height in pixels, or both: Georgia, 24, or Georgia,24.", valueName: "name,height"))
    var font: String?

    @Option(help: "A title for all pictures.")
    var title: String?

    @Option(
        help: ArgumentHelp(
            "The caches, or the policies, to draw: by name, separated by commas or repeated.", valueName: "names"))
    var cache: [String] = []

    @Option(help: ArgumentHelp("The traces to draw, by name, separated by commas or repeated.", valueName: "names"))
    var trace: [String] = []

    @Option(
        help: """
            The order of the caches: blank is by blank time, the least first; given is that of the command that made \
            the results; name is alphabetic, with numbers by value.
            """)
    var order = ChartOrder.blank

    @Flag(help: "Draw on dark paper.")
    var dark = false

    @OptionGroup var printing: QuietOption

    public init() {}

    public mutating func validate() throws {
        _ = try options()
    }

    public mutating func run() throws {
        let pictures = try ResultKind.drawCharts(of: folder, try options()).reported(quiet: printing.quiet)
        if !printing.quiet { pictures.forEach { CommandOutput.print($0) } }
    }

    private static func list<Kind: RawRepresentable<String>>(
        _ kinds: [Kind], _ meaning: (Kind) -> String
    ) -> String {
        kinds.map { "  \($0.rawValue): \(meaning($0))" }.joined(separator: "\n")
    }

    private static var otherCharts: String {
        [ResultKind.simulation, .explanation, .advice, .trace].map { kind in
            TextGrid.wrapped(
                "  \(kind.command): \(kind.charts.joined(separator: ", "))", width: 80, indent: "    ")
        }.joined(separator: "\n")
    }

    private func options() throws -> ChartOptions {
        var options = ChartOptions(formats: try formats())
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
        if let font { options.font = try chosen(font, options) }
        options.title = title
        options.isDark = dark
        options.order = order
        options.caches = cache
        options.traces = trace
        return options
    }

    private func chosen(_ text: String, _ options: ChartOptions) throws -> ChartFont {
        guard let font = ChartFont(text) else {
            throw ValidationError(
                """
                --font is a name, a height in pixels, or both, such as Georgia,24; not '\(text)'. A name has letters, \
                digits, spaces and -_.+:() only.
                """)
        }
        let heights = options.fontHeights
        if let height = font.height, !heights.contains(height) {
            throw ValidationError(
                """
                --font is from \(heights.lowerBound) to \(heights.upperBound) pixels high in pictures of this size, \
                not \(height).
                """)
        }
        return font
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

extension ChartOrder: ExpressibleByArgument {}
