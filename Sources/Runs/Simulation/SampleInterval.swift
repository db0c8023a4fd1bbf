import ResultColumns
import Statistics

/// The variation of the estimates of several samples of one trace.
public struct SampleInterval: Sendable, Equatable {
    /// The number of samples, whose objects are chosen by different salts of the hash.
    public var samples: Int
    /// The interval that contains the mean of all possible samples with a probability of 95 %; nil if the samples do
    /// not differ.
    public var missRatio: ClosedRange<Double>?
    public var byteMissRatio: ClosedRange<Double>?

    init(missRatios: [Double], byteMissRatios: [Double?]) {
        samples = missRatios.count
        missRatio = Self.interval(missRatios)
        byteMissRatio = Self.interval(byteMissRatios.compactMap { $0 })
    }

    /// Reads the columns of a row; nil without them.
    ///
    /// - Throws: ``ResultsError`` of kind `badData` for a field that is no number, and for ends in the wrong order.
    init?(_ record: CSVTable.Row) throws {
        guard !record["samples"].isEmpty else { return nil }
        samples = try record.integer("samples")
        func interval(_ name: String) throws -> ClosedRange<Double>? {
            guard !record["\(name)_low"].isEmpty else { return nil }
            let (low, high) = (try record.real("\(name)_low"), try record.real("\(name)_high"))
            guard low <= high else { throw record.problem("\(name)_low", "at most \(name)_high") }
            return low...high
        }
        missRatio = try interval("miss_ratio")
        byteMissRatio = try interval("byte_miss_ratio")
    }

    /// A miss ratio is from 0 to 1, and so is its interval.
    private static func interval(_ values: [Double]) -> ClosedRange<Double>? {
        MeanInterval.of(values).interval.map { min(max($0.low, 0), 1)...min(max($0.high, 0), 1) }
    }

    private static func end(_ value: Double?) -> ColumnValue { value.map { .real($0) } ?? .absent }

    static func columns<Row>(_ interval: @escaping @Sendable (Row) -> SampleInterval?) -> [Column<Row>] {
        [
            .metric("samples", .count, .neutral, "number of samples, whose mean the figures are") {
                interval($0).map { .integer($0.samples) } ?? .absent
            },
            .metric("miss_ratio_low", .ratio, .neutral, "lower end of the 95 % interval of the miss ratio") {
                Self.end(interval($0)?.missRatio?.lowerBound)
            },
            .metric("miss_ratio_high", .ratio, .neutral, "upper end of the 95 % interval of the miss ratio") {
                Self.end(interval($0)?.missRatio?.upperBound)
            },
            .metric("byte_miss_ratio_low", .ratio, .neutral, "lower end of the 95 % interval of the byte miss ratio") {
                Self.end(interval($0)?.byteMissRatio?.lowerBound)
            },
            .metric("byte_miss_ratio_high", .ratio, .neutral, "upper end of the 95 % interval of the byte miss ratio") {
                Self.end(interval($0)?.byteMissRatio?.upperBound)
            },
        ]
    }
}

extension MissRatioRow {
    /// Creates the mean of rows from several samples, at least one, with its interval.
    public init(meanOf rows: [MissRatioRow]) {
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        self = rows[0]
        misses = Int(mean(rows.map { Double($0.misses) }).rounded())
        missBytes = missBytes.map { _ in Int(mean(rows.compactMap(\.missBytes).map(Double.init)).rounded()) }
        hasModel = hasModel.map { _ in rows.allSatisfy { $0.hasModel == true } }
        requestsPerSecond = mean(rows.map(\.requestsPerSecond))
        sampleRate = mean(rows.compactMap(\.sampleRate))
        interval = SampleInterval(missRatios: rows.map(\.missRatio), byteMissRatios: rows.map(\.byteMissRatio))
    }
}

extension CurvePoint {
    /// Creates the mean of points from several samples, at least one, with its interval.
    public init(meanOf points: [CurvePoint]) {
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        self = points[0]
        missRatio = mean(points.map(\.missRatio))
        byteMissRatio = byteMissRatio.map { _ in mean(points.compactMap(\.byteMissRatio)) }
        sampleRate = mean(points.compactMap(\.sampleRate))
        interval = SampleInterval(missRatios: points.map(\.missRatio), byteMissRatios: points.map(\.byteMissRatio))
    }
}
