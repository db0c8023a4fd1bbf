import CachePolicies
import ResultColumns

/// The miss ratio of LRU at one capacity, as one point of a curve from one pass over a trace.
public struct CurvePoint: Sendable, Equatable {
    public var trace: String
    /// `lru`, the only policy whose whole curve one pass can compute.
    public var policy = "lru"
    public var capacity: Capacity
    public var missRatio: Double
    /// Nil if the objects have no sizes.
    public var byteMissRatio: Double?
    /// The share of the objects that was read, or nil for all of them.
    public var sampleRate: Double?
    /// The intervals of the figures, which are means of several samples; nil for one sample, and for all objects.
    public var interval: SampleInterval?
    /// Whether a simulation of LRU gives exactly this miss ratio.
    public var isExact: Bool

    public init(
        trace: String, capacity: Capacity, missRatio: Double, byteMissRatio: Double?, sampleRate: Double? = nil,
        isExact: Bool
    ) {
        self.trace = trace
        self.capacity = capacity
        self.missRatio = missRatio
        self.byteMissRatio = byteMissRatio
        self.sampleRate = sampleRate
        self.isExact = isExact
    }
}

/// The points of curves as `curve.csv` and as a table.
public enum CurveFile: RowFile {
    static let name = "curve.csv"

    public static let columns: [Column<CurvePoint>] = [
        .identity("trace", "name of the trace") { .text($0.trace) },
        .identity("policy", "policy of the curve") { .text($0.policy) },
        .identity("capacity", "capacity of the policy", unit: .count) { .integer($0.capacity.value) },
        .identity("unit", "unit of the capacity: bytes or objects") { .text($0.capacity.unit.rawValue) },
        .metric("miss_ratio", .ratio, .lowerIsBetter, "misses per request") { .real($0.missRatio) },
        .metric("byte_miss_ratio", .ratio, .lowerIsBetter, "missed bytes per requested byte") {
            .real($0.byteMissRatio)
        },
        .metric("sample_rate", .ratio, .neutral, "share of the objects that is read; empty for all of them") {
            $0.sampleRate.map { .real($0) } ?? .absent
        },
        .identity("exact", "yes if a simulation gives exactly this miss ratio") {
            .text($0.isExact ? "yes" : "no")
        },
    ]

    /// The last columns when there are several samples.
    public static let intervals = SampleInterval.columns { (point: CurvePoint) in point.interval }

    static func columns(of points: [CurvePoint]) -> [Column<CurvePoint>] {
        points.contains { $0.interval != nil } ? columns + intervals : columns
    }

    /// The curve of a trace is replaced as a whole.
    static func key(_ point: CurvePoint) -> String { point.trace }

    static func row(_ record: CSVTable.Row) throws -> CurvePoint {
        var point = CurvePoint(
            trace: record["trace"],
            capacity: Capacity(try record.integer("capacity"), try record.unit("unit")),
            missRatio: try record.real("miss_ratio"),
            byteMissRatio: record["byte_miss_ratio"].isEmpty ? nil : try record.real("byte_miss_ratio"),
            sampleRate: record["sample_rate"].isEmpty ? nil : try record.real("sample_rate"),
            isExact: record["exact"] == "yes")
        point.policy = record["policy"]
        point.interval = try SampleInterval(record)
        return point
    }
}
