import ArgumentParser
import CacheReports
import Yams

/// The limits of a verdict: limits of figures, amounts by which figures may get worse, and accepted changes.
struct VerdictLimits {
    var budgets: [FigureBudget] = []
    var allowances: [Allowance] = []
    var acceptances: [Acceptance] = []
}

/// The options for absolute limits of figures.
struct BudgetOptions: ParsableArguments {
    @Option(
        name: .customLong("budget"),
        help: ArgumentHelp(
            """
            A limit of a figure, which needs no baseline: blank_ratio<2%, memory_peak_bytes<64MB or hit_ratio>=80%. \
            A percentage is the share itself, 2 of 100. Repeatable.
            """,
            valueName: "metric<limit"))
    private var texts: [String] = []

    @Option(
        name: .customLong("budgets"),
        help: """
            A YAML file, such as that of --config, whose key budgets has limits, or limits by trace. `compare` and \
            `gate` apply its keys allow and accept too.
            """,
        completion: .file(extensions: ["yaml", "yml"]))
    private var file: String?

    var isEmpty: Bool { texts.isEmpty && file == nil }

    func validate() throws {
        for text in texts { _ = try Self.budget(text) }
    }

    /// Returns the limits of the command line and of the file.
    ///
    /// - Parameter compares: Whether the command has a baseline, which amounts and accepted changes refer to.
    /// - Returns: The limits, and sentences about keys of the files that have no effect here.
    /// - Throws: ``CommandFailure``, with the line of the file.
    func all(
        with config: (path: String, file: ConfigFile)? = nil, compares: Bool
    ) throws -> (limits: VerdictLimits, remarks: [String]) {
        var limits = VerdictLimits(budgets: try texts.map { try Self.budget($0) })
        var files = [config].compactMap(\.self)
        if let path = file {
            let own = try ConfigFile(contentsOf: path)
            let known = compares ? ConfigFile.keysOfVerdicts : Array(ConfigFile.keysOfVerdicts.prefix(1))
            guard own.keys.contains(where: known.contains) else {
                throw CommandFailure(
                    .badData, "\(path): has no key 'budgets'; list limits such as 'blank_ratio<2%' there.")
            }
            if path != config?.path { files.append((path, own)) }
        }
        for (_, file) in files {
            limits.budgets += file.limits.budgets
            limits.allowances += file.limits.allowances
            limits.acceptances += file.limits.acceptances
        }
        let remarks = compares ? [] : files.compactMap { $1.remark(on: ["allow", "accept"], "without a baseline", $0) }
        return (limits, remarks)
    }

    private static func budget(_ text: String) throws -> FigureBudget {
        do { return try FigureBudget(text) } catch let error as BudgetError { throw ValidationError(error.description) }
    }
}

extension YAMLFile {
    /// Reads limits: a text, a list of texts, or a mapping from the names of traces to these.
    func budgets(_ node: Node, of trace: String? = nil) throws -> [FigureBudget] {
        if node.mapping != nil, trace == nil {
            return try pairs(node, "budgets").flatMap { try budgets($1, of: text($0, "the name of a trace")) }
        }
        let limits = node.sequence.map(Array.init) ?? [node]
        return try limits.map { limit in
            do { return try FigureBudget(text(limit, "a limit such as blank_ratio<2%"), trace: trace) } catch let wrong
                as BudgetError
            {
                throw error(limit, wrong.description)
            }
        }
    }
}
