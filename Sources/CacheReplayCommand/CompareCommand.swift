import ArgumentParser
import CacheReports

/// `cachereplay compare`: the gate of a build pipeline.
public struct CompareCommand: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two results, or check one against budgets; exit with 1 if a figure is worse than allowed.",
        usage: """
            cachereplay compare <baseline> <candidate> [<options>]
            cachereplay compare <results> --budget <limit> [<options>]
            """,
        discussion: """
            Runs are grouped by trace and cache. Each figure is the median of the repeats.
            Of the file of --budgets, the keys budgets, allow and accept hold as in `gate`.
            The results are those of `replay`, `gate` or `simulate`. Of a folder of `gate`,
            the results of the candidate are compared.

            EXAMPLES
              cachereplay compare Results/main Results/branch \\
                --allow latency_p99_us:500 --allow origin_bytes:5%
              cachereplay compare Results/branch --budget "blank_ratio<2%"

            GATED METRICS
            \(gated)
              --allow gates any other metric that has a direction. Without it, such a
              metric is only shown.

            ALLOWED WORSENING of a gated metric without --allow
              Modelled or instant timing, and measured figures that do not vary:
              --relevance-threshold; none with --strictness exact, because equal inputs
              give equal figures.
              Measured timing: the same, and at least 2% of the baseline. A figure is
              worse if it is also significantly worse (Mann-Whitney, Holm): in 100
              comparisons of equal builds, at most one raises an alarm. It is undecided
              if its repeats neither show nor exclude a worsening beyond what is allowed.

            Two results that are measured one after the other differ if the speed of the
            machine drifts. The verdict names a drift if the times of a side rise or fall
            with its repeats.

            A trace and cache that only the baseline has counts as worse, and so does a
            gated figure that only the baseline has. New ones are only reported.

            EXIT CODES
              0   no figure is worse than allowed
              1   a figure is worse than allowed, or over budget
              64  wrong usage
              65  results cannot be read or compared, or a budget limits nothing
              66  there are no such results
            """)

    @Argument(help: "The earlier results: a results folder, or a summary.csv.")
    var baseline: String

    @Argument(help: "The new results: a results folder, or a summary.csv. Without them, --budget is needed.")
    var candidate: String?

    @Flag(help: "The same as --strictness exact.")
    var exact = false

    @Flag(help: "Compare results of different traces, clocks, timings, networks, seeds, costs or versions.")
    var differentInputs = false

    @OptionGroup var options: VerdictOptions

    public init() {}

    public mutating func validate() throws {
        if candidate == nil, options.budgets.isEmpty {
            throw ValidationError("Name the candidate's results after the baseline, or give a --budget.")
        }
        if exact, let strictness = options.strictness, strictness != .exact {
            throw ValidationError("--exact and --strictness \(strictness.rawValue) contradict each other; give one.")
        }
        if candidate == nil, options.strictness != nil {
            throw ValidationError("--strictness needs a baseline and a candidate.")
        }
        if candidate == nil, !options.allowances.isEmpty || exact || differentInputs || options.undecided == .fail {
            throw ValidationError(
                "--allow, --exact, --undecided and --different-inputs need a baseline and a candidate.")
        }
    }

    public mutating func run() throws {
        let (limits, remarks) = try options.budgets.all(compares: candidate != nil)
        if !options.quiet { remarks.forEach(printToStandardError) }
        let first = try ResultSet.read(baseline)
        guard let candidate else { return try options.finish(Comparison(budgets: limits.budgets, of: first)) }
        // The last allowance of a metric counts: the command line overrides the file.
        let allowances = limits.allowances + options.allowances
        try options.checkStrictness(limits.budgets, allowances)
        let second = try ResultSet.read(candidate)
        let rules = Comparison.Rules(
            allowances: allowances, relevanceThreshold: options.relevanceThreshold,
            strictness: options.strictness ?? .practical, isExact: exact, acceptsDifferences: differentInputs)
        var comparison = try Comparison(baseline: first, candidate: second, rules: rules)
        comparison.undecidedFails = options.undecided == .fail
        comparison.findDrift(baseline: first, candidate: second)
        try comparison.check(limits.budgets, of: second)
        comparison.accept(limits.acceptances, within: options.relevanceThreshold)
        try options.finish(comparison)
    }

    private static var gated: String {
        SummaryColumns.metrics.filter(\.isGated).map { "  \($0.name): \($0.meaning)" }.joined(separator: "\n")
    }
}
