extension ResultsTable {
    /// The same cells with every metric of `summary.csv`, medians of the repeats; null where there is no figure.
    public static func json(_ results: ResultSet) -> String {
        let cells = results.cells.map { cell -> JSONText in
            let names: [(String, JSONText)] = [
                ("trace", .string(cell.key.trace)), ("cache", .string(cell.key.cache)),
                ("repeats", .number(String(cell.runs.count))),
            ]
            let metrics = SummaryColumns.metrics.map { ($0.name, JSONText.figure(cell.median($0.name), $0.unit)) }
            return .object(names + metrics)
        }
        let whole = JSONText.object([("results", .array(cells)), ("notes", .array(results.notes.map { .string($0) }))])
        return whole.rendered() + "\n"
    }
}
