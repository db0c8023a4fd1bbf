import ArgumentParser
import Basics
import CacheReports

/// `cachereplay export`: results for services that keep benchmarks.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print results, or write a history, in the form of a service for benchmarks.",
        discussion: """
            FORMS
              bencher                    Bencher Metric Format
              github-smaller-is-better   customSmallerIsBetter of github-action-benchmark
              github-bigger-is-better    customBiggerIsBetter of github-action-benchmark
              otava                      CSV files of a history, and otava.yaml, for Apache
                                         Otava

            Examples:
              cachereplay export Results/main --as bencher > bencher.json
              cachereplay export history.csv --as otava --output Results/otava
              otava analyze --config-file Results/otava/otava.yaml feed--app
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case bencher
        case githubSmaller = "github-smaller-is-better"
        case githubBigger = "github-bigger-is-better"
        case otava
    }

    @Argument(help: "A results folder, or a summary.csv; with --as otava, the file of a history.")
    var results: String

    @Option(name: .customLong("as"), help: ArgumentHelp("The form of the output.", valueName: "form"))
    var form: Form

    @Option(help: "A metric of summary.csv; repeat for more. By default the gated ones.")
    var metric: [String] = []

    @Option(name: .shortAndLong, help: "With --as otava: the folder for the files.", completion: .directory)
    var output: String?

    func validate() throws {
        if form == .otava, output == nil {
            throw ValidationError("--as otava needs --output, the folder for the files.")
        }
        if form == .otava, !metric.isEmpty {
            throw ValidationError("--as otava writes the metrics of the history; leave --metric out.")
        }
        if form != .otava, output != nil {
            throw ValidationError("--output needs --as otava; other forms are printed, so that > FILE keeps them.")
        }
        let names = SummaryColumns.metrics.map(\.name)
        for name in metric where !names.contains(name) {
            let hint = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? "."
            throw ValidationError("--metric: unknown metric '\(name)'\(hint)")
        }
    }

    func run() throws {
        guard let form = BenchmarkExport(rawValue: form.rawValue) else {
            return try Self.writeOtavaFiles(of: results, to: output ?? ".", command: "export --as otava")
        }
        let json = try form.json(try ResultSet.read(results), metrics: metric)
        CommandOutput.printJSON(json, terminator: "")
    }

    /// Writes a history for Apache Otava, and prints the names of its tests.
    static func writeOtavaFiles(of file: String, to folder: String, command: String) throws {
        let history = try HistoryCommand.read(file)
        let names = try OtavaFiles.write(history, to: folder, command: command)
        for name in names { CommandOutput.print(name) }
    }
}
