import ArgumentParser
import CacheReports

/// `cachereplay compare`: the gate of a pipeline.
public struct CompareCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Say what became better or worse between two results; exit 1 when something got worse than allowed.",
        discussion: """
            Runs are matched by trace and cache; repeats are folded into their median.

            EXAMPLE
              cachereplay compare Results/main Results/branch \\
                --allow latency_p99_us:500 --allow origin_bytes:5%

            GATED METRICS
            \(gated)
              Any other metric that can get worse is gated when --allow names it;
              until then it is only shown.

            HOW MUCH WORSE A GATED METRIC MAY GET, unless --allow says it
              With modelled timing: not at all. With measured timing: 5% of the
              baseline, or what the repeats lie apart, whichever is more.

            A trace and cache that the candidate no longer has counts as worse; a new
            one is only reported. A gated figure that the candidate lacks is worse.

            EXIT CODES
              0   nothing got worse than allowed
              1   something did
              64  wrong usage
              65  results that cannot be read, or have nothing in common
              66  no such results
            """)

    @Argument(help: "The results to hold against: a results folder, or a summary.csv.")
    var baseline: String

    @Argument(help: "The results to judge: a results folder, or a summary.csv.")
    var candidate: String

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "How much worse a metric may get, in its own unit or in per cent of the baseline. Repeatable.",
            valueName: "metric:worsening"),
        transform: allowance)
    var allowances: [Allowance] = []

    @Option(help: "How to tell it.")
    var format: ComparisonFormat = .table

    @Flag(help: "The same as --format json.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing; the exit code tells.")
    var quiet = false

    public init() {}

    public mutating func validate() throws {
        let metrics = allowances.map(\.metric)
        if let twice = metrics.first(where: { metric in metrics.count { $0 == metric } > 1 }) {
            throw ValidationError("--allow names \(twice) more than once; say which worsening is meant")
        }
    }

    public mutating func run() throws {
        let comparison = try CommandFailure.translating {
            try Comparison(
                baseline: try ResultSet.read(baseline), candidate: try ResultSet.read(candidate), allowing: allowances)
        }
        if !quiet { print(comparison.rendered(as: json ? .json : format), terminator: "") }
        if comparison.hasWorsened { throw ExitCode(ExitStatus.worse.rawValue) }
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
