import Basics
import ResultColumns

/// The result of one limit for one trace and cache.
public struct BudgetFinding: Sendable, Equatable {
    public var trace: String
    public var cache: String
    public var budget: FigureBudget
    public var unit: Unit
    /// The median of the repeats; nil without a figure.
    public var value: Double?

    /// Whether the figure is within the limit. Without a figure, it is not.
    public var isKept: Bool { value.map(budget.isKept) ?? false }

    /// The figure beside its limit.
    var text: String {
        let figure = value.map { HumanText.figure($0, unit) } ?? "no figure"
        return "\(budget): \(figure)\(isKept ? "" : ", over budget")"
    }
}

extension Comparison {
    /// Checks limits of the results' figures. Each figure is the median of the repeats.
    /// - Throws: ``ResultsError`` of kind `badData` for a limit that is for none of the traces.
    public mutating func check(_ limits: [FigureBudget], of results: ResultSet) throws {
        let groups = results.groups
        for budget in limits {
            let matching = groups.filter { budget.trace == nil || budget.trace == $0.key.trace }
            guard !matching.isEmpty else {
                let names = Set(groups.map(\.key.trace)).sorted().prefix(10).joined(separator: ", ")
                throw ResultsError(
                    .badData, file: results.source,
                    """
                    the budget \(budget) is for the trace \(budget.trace ?? "?"), which has no results; traces: \
                    \(names)
                    """
                )
            }
            let unit = SummaryColumns.metrics.first { $0.name == budget.metric }?.unit ?? .count
            guard matching.contains(where: { $0.median(budget.metric) != nil }) else {
                throw ResultsError(
                    .badData, file: results.source,
                    "the budget \(budget) limits nothing: no result has a figure for \(budget.metric)")
            }
            budgets += matching.map {
                BudgetFinding(
                    trace: $0.key.trace, cache: $0.key.cache, budget: budget, unit: unit,
                    value: $0.median(budget.metric)
                )
            }
        }
    }
}
