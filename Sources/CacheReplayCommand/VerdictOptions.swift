import ArgumentParser
import CacheReports
import Runs

/// The options of commands that end with a verdict: what may get worse, how the verdict is printed, and its exit code.
struct VerdictOptions: ParsableArguments {
    /// The effect on the exit code of a figure that the repeats do not decide.
    enum Undecided: String, ExpressibleByArgument, CaseIterable {
        case pass, fail
    }

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            """
            The amount by which a metric may get worse: 2% is relative to the baseline, 2pt is percentage points of a \
            share, and a number is in the metric's own unit. Repeatable.
            """,
            valueName: "metric:worsening"),
        transform: allowance)
    var allowances: [Allowance] = []

    @Option(
        help: """
            What fails: budgets (limits and --allow alone), practical (changes above --relevance-threshold too, the \
            default), or exact (each change for the worse of a figure that does not vary by chance).
            """)
    var strictness: Comparison.Strictness?

    @OptionGroup private var relevance: RelevanceOption

    @OptionGroup var budgets: BudgetOptions

    @Option(help: "Whether a figure that the repeats do not decide is accepted, or sets the exit code 1.")
    var undecided = Undecided.pass

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The form of the output; by default table. With --quiet and no form, only what fails is printed.",
            valueName: "form"))
    var form: ComparisonFormat?

    @OptionGroup private var printing: PrintOptions
    var quiet: Bool { printing.quiet }
    var relevanceThreshold: Tolerance { relevance.relevanceThreshold }

    func validate() throws {
        let metrics = allowances.map(\.metric)
        if let twice = metrics.first(where: { metric in metrics.count { $0 == metric } > 1 }) {
            throw ValidationError("--allow names \(twice) more than once; give it one amount")
        }
    }

    /// Throws if only limits can fail, and no limit is given.
    /// - Throws: ``CommandFailure``.
    func checkStrictness(_ limits: [FigureBudget], _ allowances: [Allowance]) throws {
        guard strictness == .budgets, limits.isEmpty, allowances.isEmpty else { return }
        throw CommandFailure(
            .usage, "--strictness budgets: there is no limit; give --budget, --allow or the key budgets of a file.")
    }

    /// Prints the verdict. With ``quiet``, prints the form that was asked for, or else what sets the exit code.
    /// - Throws: The exit code 1 if the comparison has ``Comparison/failureReasons``.
    func finish(_ comparison: Comparison) throws {
        if printing.json || form == .json {
            CommandOutput.printJSON(comparison.rendered(as: .json), terminator: "")
        } else if let form, form != .table {
            CommandOutput.print(comparison.rendered(as: form), terminator: "")
        } else if quiet, form == nil {
            comparison.failureLines(includingUndecided: comparison.undecidedFails).forEach(printToStandardError)
        } else {
            CommandOutput.print(comparison.terminalDocument)
        }
        if !comparison.failureReasons.isEmpty { throw ExitCode(ExitStatus.worse.rawValue) }
    }

    private static func allowance(_ text: String) throws -> Allowance {
        do { return try Allowance(text) } catch let error as AllowanceError {
            throw ValidationError(error.description)
        }
    }
}

extension ComparisonFormat: ExpressibleByArgument {}
extension Comparison.Strictness: ExpressibleByArgument {}
