import CachePolicies

/// The miss ratio of LRU at one capacity, of a curve that one pass over a trace gave.
public struct CurvePoint: Sendable, Equatable {
    public var trace: String
    /// `lru`: the only policy whose whole curve one pass gives.
    public var policy: String
    public var capacity: Capacity
    public var missRatio: Double
    public var byteMissRatio: Double
    /// The share of the objects that was looked at; nil where all were.
    public var sampleRate: Double?
    /// Whether LRU has this miss ratio to the last miss.
    public var isExact: Bool

    public init(
        trace: String, policy: String = "lru", capacity: Capacity, missRatio: Double, byteMissRatio: Double,
        sampleRate: Double? = nil,
        isExact: Bool
    ) {
        self.trace = trace
        self.policy = policy
        self.capacity = capacity
        self.missRatio = missRatio
        self.byteMissRatio = byteMissRatio
        self.sampleRate = sampleRate
        self.isExact = isExact
    }
}

/// `curve.csv`, and the same as a table.
public enum CurveFile {
    static let columns: [Column<CurvePoint>] = [
        .identity("trace", "The trace's name.") { .text($0.trace) },
        .identity("policy", "Whose curve it is.") { .text($0.policy) },
        .identity("capacity", "What the policy may hold.", unit: .count) { .integer($0.capacity.value) },
        .identity("unit", "Of the capacity: bytes or objects.") { .text($0.capacity.unit.rawValue) },
        .metric("miss_ratio", .ratio, .lowerIsBetter, "Misses over requests.") { .real($0.missRatio) },
        .metric("byte_miss_ratio", .ratio, .lowerIsBetter, "Missed bytes over requested bytes.") {
            .real($0.byteMissRatio)
        },
        .metric("sample_rate", .ratio, .neutral, "The share of the objects that was looked at; empty where all were.") {
            $0.sampleRate.map { .real($0) } ?? .absent
        },
        .identity("exact", "Whether a simulation would give the same to the last miss.") {
            .text($0.isExact ? "yes" : "no")
        },
    ]

    public static func csv(_ points: [CurvePoint]) -> String { CSVText.render(columns, points) }

    static func points(_ text: String, file: String) throws -> [CurvePoint] {
        try CSVTable(text, file: file, needs: columns.map(\.name)).map { record in
            CurvePoint(
                trace: record["trace"], policy: record["policy"],
                capacity: Capacity(try record.integer("capacity"), try record.unit("unit")),
                missRatio: try record.real("miss_ratio"), byteMissRatio: try record.real("byte_miss_ratio"),
                sampleRate: record["sample_rate"].isEmpty ? nil : try record.real("sample_rate"),
                isExact: record["exact"] == "yes")
        }
    }

    public static func table(_ points: [CurvePoint]) -> String {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "curve", alignment: .left), .init(title: "capacity"),
            .init(title: "miss ratio"), .init(title: "byte miss ratio"), .init(title: "", alignment: .left),
        ])
        grid.rows = points.map { point in
            let rate = point.sampleRate.map { "estimated from \(HumanText.share($0)) of the objects" }
            return [
                point.trace, point.policy, MissRatioFile.text(point.capacity),
                HumanText.share(point.missRatio),
                HumanText.share(point.byteMissRatio),
                rate ?? (point.isExact ? "exact" : "at most: some objects are larger than the cache"),
            ]
        }
        return grid.plain()
    }
}
