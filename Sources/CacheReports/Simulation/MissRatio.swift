import CachePolicies

/// One simulated policy at one capacity.
public struct MissRatioRow: Sendable, Equatable {
    public var trace: String
    public var policy: String
    /// nil where the policy carries a size of its own.
    public var capacity: Capacity?
    public var requests: Int
    public var misses: Int
    public var requestBytes: Int
    public var missBytes: Int
    public var requestsPerSecond: Double
    /// The share of the objects that was simulated; nil where all were.
    public var sampleRate: Double?

    public init(
        trace: String, policy: String, capacity: Capacity?, requests: Int, misses: Int, requestBytes: Int,
        missBytes: Int, requestsPerSecond: Double, sampleRate: Double? = nil
    ) {
        self.trace = trace
        self.policy = policy
        self.capacity = capacity
        self.requests = requests
        self.misses = misses
        self.requestBytes = requestBytes
        self.missBytes = missBytes
        self.requestsPerSecond = requestsPerSecond
        self.sampleRate = sampleRate
    }

    public var missRatio: Double { Double(misses) / Double(max(requests, 1)) }
    public var byteMissRatio: Double { Double(missBytes) / Double(max(requestBytes, 1)) }

    /// Which cell of a sweep it is.
    public struct Identity: Sendable, Hashable {
        public var trace: String
        public var policy: String
        public var capacity: Capacity?

        public init(trace: String, policy: String, capacity: Capacity?) {
            self.trace = trace
            self.policy = policy
            self.capacity = capacity
        }
    }

    public var identity: Identity { Identity(trace: trace, policy: policy, capacity: capacity) }
}

/// `miss_ratio.csv`, and the same as a table.
public enum MissRatioFile {
    static let columns: [Column<MissRatioRow>] = [
        .identity("trace", "The trace's name.") { .text($0.trace) },
        .identity("policy", "The policy as it was written.") { .text($0.policy) },
        .identity("capacity", "What the policy may hold; empty where its own text says.", unit: .count) {
            $0.capacity.map { .integer($0.value) } ?? .absent
        },
        .identity("unit", "Of the capacity: bytes or objects.") { .text($0.capacity?.unit.rawValue ?? "") },
        .metric("requests", .count, .neutral, "Requests simulated.") { .integer($0.requests) },
        .metric("misses", .count, .lowerIsBetter, "Requests that missed.") { .integer($0.misses) },
        .metric("request_bytes", .bytes, .neutral, "Bytes of all requests.") { .integer($0.requestBytes) },
        .metric("miss_bytes", .bytes, .lowerIsBetter, "Bytes of the requests that missed.") { .integer($0.missBytes) },
        .metric("miss_ratio", .ratio, .lowerIsBetter, "Misses over requests.") {
            .share(Double($0.misses), of: Double($0.requests))
        },
        .metric("byte_miss_ratio", .ratio, .lowerIsBetter, "Missed bytes over requested bytes.") {
            .share(Double($0.missBytes), of: Double($0.requestBytes))
        },
        .metric("requests_per_s", .perSecond, .higherIsBetter, "Speed of the simulation, the trace being loaded.") {
            .real($0.requestsPerSecond)
        },
    ]

    /// Behind the others where a sample was simulated; misses are estimates then, scaled to the whole trace.
    static let sampleRate: Column<MissRatioRow> = .metric(
        "sample_rate", .ratio, .neutral, "The share of the objects that was simulated."
    ) { $0.sampleRate.map { .real($0) } ?? .absent }

    public static func csv(_ rows: [MissRatioRow]) -> String {
        CSVText.render(rows.contains { $0.sampleRate != nil } ? columns + [sampleRate] : columns, rows)
    }

    /// Throws ``ResultsError`` of kind `badData`, with the line.
    static func rows(_ text: String, file: String) throws -> [MissRatioRow] {
        try CSVTable(text, file: file, needs: columns.map(\.name)).map { record in
            MissRatioRow(
                trace: record["trace"], policy: record["policy"],
                capacity: record["capacity"].isEmpty
                    ? nil : Capacity(try record.integer("capacity"), try record.unit("unit")),
                requests: try record.integer("requests"), misses: try record.integer("misses"),
                requestBytes: try record.integer("request_bytes"), missBytes: try record.integer("miss_bytes"),
                requestsPerSecond: try record.real("requests_per_s"),
                sampleRate: record["sample_rate"].isEmpty ? nil : try record.real("sample_rate"))
        }
    }

    public static func table(_ rows: [MissRatioRow]) -> String { grid(rows).plain() }

    static func grid(_ rows: [MissRatioRow]) -> TextGrid {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "policy", alignment: .left), .init(title: "capacity"),
            .init(title: "requests"), .init(title: "miss ratio"), .init(title: "byte miss ratio"),
            .init(title: "requests/s"),
        ])
        grid.rows = rows.map { row in
            [
                row.trace, row.policy, row.capacity.map(text) ?? "–", HumanText.count(Double(row.requests)),
                HumanText.share(row.missRatio),
                HumanText.share(row.byteMissRatio), HumanText.count(row.requestsPerSecond.rounded()),
            ]
        }
        return grid
    }

    static func text(_ capacity: Capacity) -> String {
        switch capacity.unit {
        case .bytes: HumanText.bytes(Double(capacity.value))
        case .objects: "\(HumanText.count(Double(capacity.value))) objects"
        }
    }
}
