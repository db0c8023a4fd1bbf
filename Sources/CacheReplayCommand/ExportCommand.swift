import ArgumentParser
import Basics
import CacheReports

/// `cachereplay export`: results for services that keep benchmarks.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print results in the form of a service for benchmarks.",
        discussion: """
            FORMS
              bencher                    Bencher Metric Format
              github-smaller-is-better   customSmallerIsBetter of github-action-benchmark
              github-bigger-is-better    customBiggerIsBetter of github-action-benchmark

            Example: cachereplay export Results/main --as bencher > bencher.json
            """)

    @Argument(help: "The results: a results folder, or a summary.csv.")
    var results: String

    @Option(name: .customLong("as"), help: ArgumentHelp("The form of the output.", valueName: "form"))
    var form: BenchmarkExport

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
        let json = try CommandFailure.translating { try form.json(try ResultSet.read(results), metrics: metric) }
        CommandOutput.printJSON(json, terminator: "")
    }
}

extension BenchmarkExport: ExpressibleByArgument {}
