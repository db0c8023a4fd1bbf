import Runs

/// The differences between the caches of rows, for the same users.
struct AdviceRowDifferences {
    let statistics: FleetStatistics
    let objective: Advice.Objective
    /// The names of the candidates, by cache.
    let names: [String: String]

    /// Returns by how much the figure of the objective is larger in another row; nil with the objective of memory,
    /// which compares caches at limits of their own.
    func interval(_ one: Advice.Row, _ other: Advice.Row) -> FleetDifference? {
        guard objective != .memory, let first = names[one.cache], let second = names[other.cache] else { return nil }
        return FleetDifference(statistics, objective.figure, from: first, to: second)
    }
}

struct AdviceRowOrder {
    private let objective: Advice.Objective
    /// The rows that qualify, and that tie with the best one.
    private(set) var tied: [Advice.Row] = []
    /// Of these, the one with the least figure. Another one can tie with one of ``others`` too.
    private(set) var least: Advice.Row?
    private(set) var others: [Advice.Row] = []
    /// The rows that do not qualify.
    private(set) var rest: [Advice.Row] = []

    /// - Parameters:
    ///   - tolerance: The smallest difference that counts.
    ///   - isUncertain: Whether the users do not tell which one of two rows is better.
    init(
        _ rows: [Advice.Row], by objective: Advice.Objective, within tolerance: Tolerance,
        isUncertain: (Advice.Row, Advice.Row) -> Bool
    ) {
        self.objective = objective
        let qualified = rows.filter(\.qualifies)
        guard let best = qualified.min(by: { merit($0) < merit($1) }) else {
            rest = ordered(rows)
            return
        }
        least = best
        let ties = qualified.filter { row in
            tolerance.ties(merit(row), merit(best), objective == .blank ? .ratio : .bytes) || isUncertain(best, row)
        }
        tied = ties.stableSorted { second($0) < second($1) }
        others = qualified.filter { !ties.contains($0) }.stableSorted { merit($0) < merit($1) }
        rest = ordered(rows.filter { !$0.qualifies })
    }

    /// Returns rows that do not qualify in order.
    private func ordered(_ rows: [Advice.Row]) -> [Advice.Row] {
        rows.stableSorted { one, other in
            objective == .memory ? one.blankRatio < other.blankRatio : merit(one) < merit(other)
        }
    }

    /// Returns the figure that the advice minimises.
    func merit(_ row: Advice.Row) -> Double {
        switch objective {
        case .blank: row.blankRatio
        case .bytes: row.originBytes
        case .memory: row.neededBytes
        }
    }

    /// Returns the figures that order rows with equal merit.
    private func second(_ row: Advice.Row) -> (Double, Double) {
        guard objective == .blank else { return (row.blankRatio, 0) }
        func bytes(_ limit: Int?) -> Double { limit.map(Double.init) ?? row.peakBytes }
        return (bytes(row.smallestSufficientLimit), bytes(row.enoughOnAverage))
    }
}
