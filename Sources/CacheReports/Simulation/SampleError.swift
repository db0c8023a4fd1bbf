import Basics

/// The error of the estimates from a sample, over the capacities of one policy on one trace.
public struct SampleError: Sendable, Equatable {
    public var trace: String
    public var policy: String
    public var capacities: Int
    public var sampleRate: Double
    /// The mean absolute error of the miss ratio.
    public var meanAbsoluteError: Double
    /// The largest absolute error of the miss ratio.
    public var largestError: Double
    /// The mean absolute error of the byte miss ratio.
    public var meanAbsoluteByteError: Double
    /// The seconds of the exact simulations of all capacities, without loading the trace.
    public var exactSeconds: Double
    /// The seconds of the sampled simulations of all capacities, with the sampling and without loading the trace.
    public var sampleSeconds: Double

    /// Creates the error from the figures at some capacities. `pairs` has, for each capacity, the miss ratio and the
    /// byte miss ratio, exact and estimated. It is not empty.
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

/// The errors of samples as `sample_error.csv` and as a table.
public enum SampleErrorFile: RowFile {
    static let name = "sample_error.csv"

    public static let columns: [Column<SampleError>] = [
        .identity("trace", "name of the trace") { .text($0.trace) },
        .identity("policy", "policy on the command line; lru curve for a curve") {
            .text($0.policy)
        },
        .identity("capacities", "number of capacities over which the errors are taken", unit: .count) {
            .integer($0.capacities)
        },
        .metric("sample_rate", .ratio, .neutral, "share of the objects that is simulated") {
            .real($0.sampleRate)
        },
        .metric("mean_absolute_error", .ratio, .lowerIsBetter, "mean absolute error of the miss ratio") {
            .real($0.meanAbsoluteError)
        },
        .metric("largest_error", .ratio, .lowerIsBetter, "largest absolute error of the miss ratio") {
            .real($0.largestError)
        },
        .metric("mean_absolute_byte_error", .ratio, .lowerIsBetter, "mean absolute error of the byte miss ratio") {
            .real($0.meanAbsoluteByteError)
        },
        .metric("exact_s", .seconds, .neutral, "time of the exact simulations") { .real($0.exactSeconds) },
        .metric("sample_s", .seconds, .neutral, "time of the sampled simulations, with the sampling") {
            .real($0.sampleSeconds)
        },
    ]

    static func key(_ error: SampleError) -> [String] { [error.trace, error.policy] }

    static func row(_ record: CSVTable.Row) throws -> SampleError {
        var error = SampleError(
            trace: record["trace"], policy: record["policy"], sampleRate: try record.real("sample_rate"), pairs: [],
            exactSeconds: try record.real("exact_s"), sampleSeconds: try record.real("sample_s"))
        error.capacities = try record.integer("capacities")
        error.meanAbsoluteError = try record.real("mean_absolute_error")
        error.largestError = try record.real("largest_error")
        error.meanAbsoluteByteError = try record.real("mean_absolute_byte_error")
        return error
    }

    public static func table(_ rows: [SampleError]) -> String {
        var grid = TextGrid(headings: [
            .text("trace"), .text("policy"), .figure("capacities"), .figure("sample"), .figure("mean error"),
            .figure("largest"), .figure("mean error, bytes"), .figure("exact"), .figure("sampled"), .figure("faster"),
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
