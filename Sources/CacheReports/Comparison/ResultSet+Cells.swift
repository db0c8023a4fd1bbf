/// One (trace, cache): the unit of comparison, its repeats folded into one figure per metric.
struct CellFigures: Sendable {
    struct Key: Hashable, Sendable {
        var trace: String
        var cache: String
    }

    var key: Key
    var runs: [ResultSet.Run]

    /// The median over the repeats that have a figure; of an even number, the mean of the middle two.
    func median(_ metric: String) -> Double? {
        let sorted = runs.compactMap { $0.metrics[metric] }.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// How far the repeats lie apart.
    func spread(_ metric: String) -> Double {
        let values = runs.compactMap { $0.metrics[metric] }
        guard let least = values.min(), let most = values.max() else { return 0 }
        return most - least
    }

    /// Whether the figures of every run are a function of the input alone: with `modelled` and `instant` timing, with or
    /// without `+decode`.
    var isExact: Bool {
        runs.allSatisfy { run in
            ["modelled", "instant"].contains { run.settings["timing"]?.hasPrefix($0) == true }
        }
    }

    func settings(_ name: String) -> Set<String> { Set(runs.compactMap { $0.settings[name] }) }
}

extension ResultSet {
    /// In the order in which they first occur.
    var cells: [CellFigures] {
        var cells: [CellFigures] = []
        var positions: [CellFigures.Key: Int] = [:]
        for run in runs {
            let key = CellFigures.Key(trace: run.trace, cache: run.cache)
            if let position = positions[key] {
                cells[position].runs.append(run)
            } else {
                positions[key] = cells.count
                cells.append(CellFigures(key: key, runs: [run]))
            }
        }
        return cells
    }
}
