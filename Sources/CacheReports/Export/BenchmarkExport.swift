import Basics
import Runs
import Statistics

/// The forms of results that services for benchmarks read.
public enum BenchmarkExport: String, Sendable, CaseIterable {
    /// Bencher Metric Format: benchmark, measure, and its value with the range of the repeats.
    ///
    /// Source: Bencher documentation, "Bencher Metric Format (BMF)".
    case bencher
    /// `customSmallerIsBetter` of github-action-benchmark: the metrics of which less is better.
    ///
    /// Source: README of benchmark-action/github-action-benchmark, "Tools". A file has one direction.
    case githubSmaller = "github-smaller-is-better"
    /// `customBiggerIsBetter` of github-action-benchmark: the metrics of which more is better.
    case githubBigger = "github-bigger-is-better"

    /// Returns results as JSON: the median of the repeats of each metric. Without names of metrics, these are the gated
    /// ones.
    ///
    /// - Throws: `ResultsError` of kind `badData` if no result has a figure.
    public func json(_ results: ResultSet, metrics: [String]) throws -> String {
        let columns = SummaryColumns.metrics.filter { metric in
            let isWanted = metrics.isEmpty ? metric.isGated : metrics.contains(metric.name)
            switch self {
            case .bencher: return isWanted
            case .githubSmaller: return isWanted && metric.polarity == .lowerIsBetter
            case .githubBigger: return isWanted && metric.polarity == .higherIsBetter
            }
        }
        let figures = results.groups.map { group in
            (
                name: VisibleText.printable("\(group.key.place) / \(group.key.cache)"),
                figures: columns.compactMap { metric -> Figure? in
                    let values = group.values(metric.name).sorted()
                    guard let low = values.first, let high = values.last else { return nil }
                    return Figure(
                        metric: metric.name, unit: metric.unit, value: Median.ofSorted(values), low: low, high: high,
                        repeats: values.count)
                }
            )
        }
        guard figures.contains(where: { !$0.figures.isEmpty }) else {
            throw ResultsError(
                .badData, file: results.source, "no figure of these metrics, so there is nothing to export")
        }
        let whole: JSONValue =
            self == .bencher
            ? .object(figures.map { ($0.name, .object($0.figures.map { ($0.metric, $0.bencher) })) })
            : .array(figures.flatMap { group in group.figures.map { $0.github(group.name) } })
        return whole.text(.indented) + "\n"
    }

    private struct Figure {
        var metric: String
        var unit: Unit
        var value: Double
        var low: Double
        var high: Double
        var repeats: Int

        var bencher: JSONValue {
            .object([
                ("value", .figure(value, unit)), ("lower_value", .figure(low, unit)),
                ("upper_value", .figure(high, unit)),
            ])
        }

        func github(_ name: String) -> JSONValue {
            .object([
                ("name", .string("\(name) / \(metric)")), ("unit", .string(unit == .ratio ? "share" : unit.rawValue)),
                ("value", .figure(value, unit)),
                ("range", .string("± \(((high - low) / 2).fixed(max(unit.places, 1)))")),
                ("extra", .string("median of \(repeats) repeat\(repeats == 1 ? "" : "s")")),
            ])
        }
    }
}
