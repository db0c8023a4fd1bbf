import Basics
import ReplayEngine
import SessionModel

/// The output of `cachereplay validate --cache`: predictions beside observations.
public enum ServedTable {
    /// A trace, the name of a cache, and their comparison.
    public typealias Item = (trace: String, cache: String, comparison: ServedComparison)

    /// Returns the matrix of each comparison, its agreement and its first disagreements.
    public static func text(_ items: [Item]) -> String {
        items.map { item in
            "\(VisibleText.printable(item.trace)): \(VisibleText.printable(item.cache))\n\n" + matrix(item.comparison)
                + "\n" + summary(item.comparison) + costs(item.comparison) + disagreements(item.comparison)
        }.joined(separator: "\n")
    }

    private static func matrix(_ comparison: ServedComparison) -> String {
        let observed = ServedSource.allCases.map(\.description) + ["not recorded"]
        var grid = TextGrid(
            headings: [.text("predicted ↓ observed →")] + observed.map { .figure($0) })
        grid.rows = ServedComparison.Prediction.allCases.map { predicted in
            [predicted.name]
                + (ServedSource.allCases.map(Optional.some) + [nil]).map {
                    HumanText.count(Double(comparison.count(predicted, $0)))
                }
        }
        return grid.plain()
    }

    private static func summary(_ comparison: ServedComparison) -> String {
        func count(_ number: Int) -> String { HumanText.count(Double(number)) }
        var text =
            "\(count(comparison.agreeing)) of \(count(comparison.compared)) requests with a recorded source agree"
        if let agreement = comparison.agreement {
            let interval = comparison.interval
            text += ": \(HumanText.share(agreement)), 95 % interval \(HumanText.share(interval.lowerBound)) to "
            text += HumanText.share(interval.upperBound)
        }
        if let kappa = comparison.kappa { text += ", Cohen's kappa \(HumanText.decimals(kappa, 2))" }
        text += ".\n"
        if comparison.unmatched > 0 { text += "\(count(comparison.unmatched)) served events belong to no request.\n" }
        return text
    }

    private static func costs(_ comparison: ServedComparison) -> String {
        guard let costs = comparison.costs else { return "" }
        let worst = costs.worst
        func factor(_ ratio: Double) -> String { "\(HumanText.decimals(ratio, 2)) times" }
        func bytes(_ number: Int) -> String { "\(HumanText.count(Double(number))) B" }
        return """
            \(HumanText.count(Double(costs.count))) recorded costs: the median is \(factor(costs.median)) the modelled \
            cost. The farthest is \(factor(worst.ratio)): \(VisibleText.printable(worst.key)) (\(worst.variant)), \
            \(bytes(worst.recorded)) recorded and \(bytes(worst.modelled)) modelled.

            """
    }

    private static func disagreements(_ comparison: ServedComparison) -> String {
        guard !comparison.disagreements.isEmpty else { return "" }
        let titles = ["request", "time", "key", "variant", "predicted", "observed", "why predicted so"]
        let right: Set = ["request", "time"]
        var grid = TextGrid(headings: titles.map { .init(title: $0, alignment: right.contains($0) ? .right : .left) })
        grid.rows = comparison.disagreements.map { difference in
            [
                "\(difference.row.index)", "\(HumanText.decimals(Double(difference.row.time) / 1e9, 3)) s",
                difference.row.key, difference.row.variant.description, difference.predicted.name,
                difference.observed.description, difference.reason,
            ]
        }
        let rest = comparison.compared - comparison.agreeing - comparison.disagreements.count
        return "\n" + grid.plain() + (rest > 0 ? "and \(HumanText.count(Double(rest))) more.\n" : "")
    }

    /// Returns the comparisons as a JSON array, with a line break at the end.
    public static func json(_ items: [Item]) -> String {
        JSONValue.array(
            items.map { item in
                let comparison = item.comparison
                return JSONValue.object([
                    ("trace", .string(item.trace)), ("cache", .string(item.cache)),
                    ("requests", .number("\(comparison.requests)")), ("compared", .number("\(comparison.compared)")),
                    ("agreeing", .number("\(comparison.agreeing)")),
                    ("agreement", .figure(comparison.agreement, .ratio)),
                    ("agreement_low", .figure(comparison.interval.lowerBound, .ratio)),
                    ("agreement_high", .figure(comparison.interval.upperBound, .ratio)),
                    ("kappa", .figure(comparison.kappa, .ratio)), ("unmatched", .number("\(comparison.unmatched)")),
                    ("matrix", matrixJSON(comparison)), ("costs", comparison.costs.map(json) ?? .null),
                    ("disagreements", .array(comparison.disagreements.map(json))),
                ])
            }
        ).text(.indented) + "\n"
    }

    private static func matrixJSON(_ comparison: ServedComparison) -> JSONValue {
        .object(
            ServedComparison.Prediction.allCases.map { predicted in
                let counts = ServedSource.allCases.map { source in
                    (source.description, JSONValue.number("\(comparison.count(predicted, source))"))
                }
                return (
                    word(predicted),
                    .object(counts + [("not_recorded", .number("\(comparison.count(predicted, nil))"))])
                )
            })
    }

    private static func json(_ costs: CostComparison) -> JSONValue {
        .object([
            ("count", .number("\(costs.count)")), ("median_ratio", .figure(costs.median, .ratio)),
            ("worst_ratio", .figure(costs.worst.ratio, .ratio)), ("worst_key", .string(costs.worst.key)),
            ("worst_variant", .string(costs.worst.variant.description)),
            ("worst_recorded_bytes", .number("\(costs.worst.recorded)")),
            ("worst_modelled_bytes", .number("\(costs.worst.modelled)")),
        ])
    }

    private static func json(_ difference: ServedComparison.Disagreement) -> JSONValue {
        func cause(_ cause: MissCause?) -> JSONValue { cause.map { .string($0.name) } ?? .null }
        return .object([
            ("request", .number("\(difference.row.index)")),
            ("time_s", .figure(Double(difference.row.time) / 1e9, .seconds)), ("key", .string(difference.row.key)),
            ("variant", .string(difference.row.variant.description)),
            ("predicted", .string(word(difference.predicted))),
            ("observed", .string(difference.observed.description)),
            ("memory_cause", cause(difference.row.explanation?.memoryCause)),
            ("disk_cause", cause(difference.row.explanation?.diskCause)), ("reason", .string(difference.reason)),
        ])
    }

    /// Returns the word of a prediction in JSON.
    public static func word(_ predicted: ServedComparison.Prediction) -> String {
        predicted.name.replacing(" ", with: "_")
    }
}
