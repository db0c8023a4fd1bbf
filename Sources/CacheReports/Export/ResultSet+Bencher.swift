import Basics
import Runs
import Statistics

extension ResultSet {
    /// Returns the results in Bencher Metric Format: by trace and cache, the median of each metric, with the least and
    /// the largest figure of the repeats.
    ///
    /// Source: Bencher documentation, "Bencher Metric Format (BMF)".
    /// - Parameter metrics: The names of the metrics; without any, the gated ones.
    /// - Throws: `ResultsError` of kind `badData` if no result has a figure.
    package func bencherMetrics(_ metrics: [String]) throws -> String {
        let columns = SummaryColumns.metrics.filter { metrics.isEmpty ? $0.isGated : metrics.contains($0.name) }
        var hasFigures = false
        let all = groups.map { group -> (String, JSONValue) in
            let figures = columns.compactMap { metric -> (String, JSONValue)? in
                let values = group.values(metric.name).sorted()
                guard let low = values.first, let high = values.last else { return nil }
                let named = [("value", Median.ofSorted(values)), ("lower_value", low), ("upper_value", high)]
                return (metric.name, .object(named.map { ($0.0, .figure($0.1, metric.unit)) }))
            }
            hasFigures = hasFigures || !figures.isEmpty
            return (VisibleText.printable("\(group.key.place) / \(group.key.cache)"), .object(figures))
        }
        guard hasFigures else {
            throw ResultsError(.badData, file: source, "no figure of these metrics, so there is nothing to export")
        }
        return JSONValue.object(all).text(.indented) + "\n"
    }
}
