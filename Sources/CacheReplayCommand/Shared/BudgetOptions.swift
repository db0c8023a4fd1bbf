import ArgumentParser
import CacheReports
import Yams

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
        name: .customLong("budgets"), help: "A YAML file with the key budgets: limits, or limits by trace.",
        completion: .file(extensions: ["yaml", "yml"]))
    private var file: String?

    var isEmpty: Bool { texts.isEmpty && file == nil }

    func validate() throws {
        for text in texts { _ = try Self.budget(text) }
    }

    /// Returns the limits of the command line and of the file.
    /// - Throws: ``CommandFailure``, with the line of the file.
    func all() throws -> [FigureBudget] {
        var budgets = try texts.map { try Self.budget($0) }
        guard let file else { return budgets }
        let yaml = try YAMLFile(contentsOf: file, expected: "the key budgets")
        let value = try yaml.pairs(yaml.root, "the file").first { $0.0.string == "budgets" }?.1
        guard let value else {
            throw CommandFailure(.badData, "\(file): has no key 'budgets'; list limits such as 'blank_ratio<2%' there.")
        }
        budgets += try yaml.budgets(value)
        return budgets
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
