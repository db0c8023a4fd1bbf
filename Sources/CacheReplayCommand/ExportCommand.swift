import ArgumentParser
import Basics
import CacheReports

/// `cachereplay export`: results for a service that keeps benchmarks.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print results in the form of a service for benchmarks.",
        discussion: """
            The form bencher is Bencher Metric Format: the median of each metric, with the
            least and the largest repeat.

            Example: cachereplay export Results/main --as bencher > bencher.json
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case bencher
    }

    @Argument(help: "A results folder, or a summary.csv.")
    var results: String

    @Option(name: .customLong("as"), help: ArgumentHelp("The form of the output.", valueName: "form"))
    var form: Form

    @Option(help: "A metric of summary.csv; repeat for more. By default the gated ones.")
    var metric: [String] = []

    func validate() throws {
        let names = SummaryColumns.metrics.map(\.name)
        for name in metric where !names.contains(name) {
            let hint = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? "."
            throw ValidationError("--metric: unknown metric '\(name)'\(hint)")
        }
    }

    func run() throws {
        CommandOutput.printJSON(try ResultSet.read(results).bencherMetrics(metric), terminator: "")
    }
}
