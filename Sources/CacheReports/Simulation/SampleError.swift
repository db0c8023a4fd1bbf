/// How far estimates from a sample are from the exact figures, over the capacities of one policy on one trace.
public struct SampleError: Sendable, Equatable {
    public var trace: String
    public var policy: String
    public var capacities: Int
    public var sampleRate: Double
    /// Of miss ratios.
    public var meanAbsoluteError: Double
    public var largestError: Double
    /// Of byte miss ratios.
    public var meanAbsoluteByteError: Double
    /// Seconds for all capacities together, the trace being loaded; sampling included.
    public var exactSeconds: Double
    public var sampleSeconds: Double

    /// `pairs`: of each capacity the miss ratio and the byte miss ratio, exact and estimated. Not empty.
    public init(
        trace: String, policy: String, sampleRate: Double,
        pairs: [(exact: (Double, Double), estimate: (Double, Double))], exactSeconds: Double,
        sampleSeconds: Double
    ) {
        self.trace = trace
        self.policy = policy
        self.sampleRate = sampleRate
        self.exactSeconds = exactSeconds
        self.sampleSeconds = sampleSeconds
        let errors = pairs.map { abs($0.exact.0 - $0.estimate.0) }
        capacities = pairs.count
        meanAbsoluteError = errors.reduce(0, +) / Double(max(1, errors.count))
        largestError = errors.max() ?? 0
        meanAbsoluteByteError = pairs.reduce(0) { $0 + abs($1.exact.1 - $1.estimate.1) } / Double(max(1, errors.count))
    }
}

/// `sample_error.csv`, and the same as a table.
public enum SampleErrorFile {
    static let columns: [Column<SampleError>] = [
        .identity("trace", "The trace's name.") { .text($0.trace) },
        .identity("policy", "The policy as it was written; `lru curve` for the curve of one pass.") {
            .text($0.policy)
        },
        .identity("capacities", "Over how many capacities the errors are taken.", unit: .count) {
            .integer($0.capacities)
        },
        .metric("sample_rate", .ratio, .neutral, "The share of the objects that was simulated.") {
            .real($0.sampleRate)
        },
        .metric("mean_absolute_error", .ratio, .lowerIsBetter, "Of the miss ratio.") { .real($0.meanAbsoluteError) },
        .metric("largest_error", .ratio, .lowerIsBetter, "Of the miss ratio.") { .real($0.largestError) },
        .metric("mean_absolute_byte_error", .ratio, .lowerIsBetter, "Of the byte miss ratio.") {
            .real($0.meanAbsoluteByteError)
        },
        .metric("exact_s", .seconds, .neutral, "Seconds of the exact runs.") { .real($0.exactSeconds) },
        .metric("sample_s", .seconds, .neutral, "Seconds of the sampled runs, with the sampling.") {
            .real($0.sampleSeconds)
        },
    ]

    public static func csv(_ rows: [SampleError]) -> String { CSVText.render(columns, rows) }

    public static func table(_ rows: [SampleError]) -> String {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "policy", alignment: .left),
            .init(title: "capacities"),
            .init(title: "sample"), .init(title: "mean error"), .init(title: "largest"),
            .init(title: "mean error, bytes"),
            .init(title: "exact"), .init(title: "sampled"), .init(title: "faster"),
        ])
        grid.rows = rows.map { row in
            [
                row.trace, row.policy, "\(row.capacities)", HumanText.share(row.sampleRate),
                HumanText.decimals(row.meanAbsoluteError, 4),
                HumanText.decimals(row.largestError, 4), HumanText.decimals(row.meanAbsoluteByteError, 4),
                HumanText.microseconds(row.exactSeconds * 1e6), HumanText.microseconds(row.sampleSeconds * 1e6),
                "\(HumanText.decimals(row.exactSeconds / max(row.sampleSeconds, 1e-9), 1)) x",
            ]
        }
        return grid.plain()
    }
}
