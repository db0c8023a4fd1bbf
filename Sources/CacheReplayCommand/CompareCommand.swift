import ArgumentParser
import CacheReports

/// `cachereplay compare`: the gate of a build pipeline.
public struct CompareCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two results; exit with 1 if a figure is worse than allowed.",
        usage: "cachereplay compare <baseline> <candidate> [<options>]",
        discussion: """
            Runs are grouped by trace and cache. Each figure is the median of the repeats.

            EXAMPLE
              cachereplay compare Results/main Results/branch \\
                --allow latency_p99_us:500 --allow origin_bytes:5%

            GATED METRICS
            \(gated)
              --allow gates any other metric that has a direction. Without it, such a
              metric is only shown.

            ALLOWED WORSENING of a gated metric without --allow
              Modelled or instant timing: 0.1% of the baseline; none with --exact,
              because equal inputs give equal figures.
              Measured timing: 5% of the baseline, or the distance between the repeats
              if that is more.

            A trace and cache that only the baseline has counts as worse, and so does a
            gated figure that only the baseline has. New ones are only reported.

            EXIT CODES
              0   no figure is worse than allowed
              1   a figure is worse than allowed
              64  wrong usage
              65  results cannot be read, or have no trace and cache in common
              66  there are no such results
            """)

    @Argument(help: "The earlier results: a results folder, or a summary.csv.")
    var baseline: String

    @Argument(help: "The new results: a results folder, or a summary.csv.")
    var candidate: String

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "The amount by which a metric may get worse, in its own unit or in per cent of the baseline. Repeatable.",
            valueName: "metric:worsening"),
        transform: allowance)
    var allowances: [Allowance] = []

    @Flag(help: "Allow figures of modelled or instant timing no worsening at all, unless --allow does.")
    var exact = false

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The form of the output.", valueName: "form"))
    var form: ComparisonFormat = .table

    @Flag(help: "The same as --as json.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing, and only set the exit code.")
    var quiet = false

    public init() {}

    public mutating func validate() throws {
        let metrics = allowances.map(\.metric)
        if let twice = metrics.first(where: { metric in metrics.count { $0 == metric } > 1 }) {
            throw ValidationError("--allow names \(twice) more than once; give it one amount")
        }
    }

    public mutating func run() throws {
        let comparison = try CommandFailure.translating {
            try Comparison(
                baseline: try ResultSet.read(baseline), candidate: try ResultSet.read(candidate), allowing: allowances,
                isExact: exact)
        }
        if !quiet { show(comparison) }
        if comparison.hasWorsened { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    private func show(_ comparison: Comparison) {
        guard !json, form != .json else {
            return CommandOutput.printJSON(comparison.rendered(as: .json), terminator: "")
        }
        CommandOutput.print(comparison.rendered(as: form), terminator: "")
    }

    private static func allowance(_ text: String) throws -> Allowance {
        do {
            return try Allowance(text)
        } catch let error as AllowanceError {
            throw ValidationError(error.description)
        }
    }

    private static var gated: String {
        SummaryColumns.metrics.filter(\.isGated).map { "  \($0.name): \($0.meaning)" }.joined(separator: "\n")
    }
}

extension ComparisonFormat: ExpressibleByArgument {}
