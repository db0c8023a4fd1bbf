/// One simulated policy at one capacity.
public struct MissRatioRow: Sendable, Equatable {
    public var trace: String
    public var policy: String
    /// nil where the policy carries a size of its own.
    public var capacity: Int?
    /// `bytes` or `objects`.
    public var unit: String
    public var requests: Int
    public var misses: Int
    public var requestBytes: Int
    public var missBytes: Int
    public var requestsPerSecond: Double

    public init(
        trace: String, policy: String, capacity: Int?, unit: String, requests: Int, misses: Int, requestBytes: Int,
        missBytes: Int, requestsPerSecond: Double
    ) {
        self.trace = trace
        self.policy = policy
        self.capacity = capacity
        self.unit = unit
        self.requests = requests
        self.misses = misses
        self.requestBytes = requestBytes
        self.missBytes = missBytes
        self.requestsPerSecond = requestsPerSecond
    }
}

/// `miss_ratio.csv`, and the same as a table.
public enum MissRatioFile {
    static let columns: [Column<MissRatioRow>] = [
        .identity("trace", "The trace's name.") { .text($0.trace) },
        .identity("policy", "The policy as it was written.") { .text($0.policy) },
        .identity("capacity", "What the policy may hold; empty where its own text says.", unit: .count) {
            $0.capacity.map { .integer($0) } ?? .absent
        },
        .identity("unit", "Of the capacity: bytes or objects.") { .text($0.unit) },
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

    public static func csv(_ rows: [MissRatioRow]) -> String { CSVText.render(columns, rows) }

    /// Writes `miss_ratio.csv` into a folder, which is made if need be. Throws ``ResultsError``.
    public static func write(_ rows: [MissRatioRow], to folder: String) throws {
        try ResultsFolder.makeFolder(folder)
        try AtomicFile.write(csv(rows), to: "\(folder)/miss_ratio.csv")
    }

    public static func table(_ rows: [MissRatioRow]) -> String {
        var grid = TextGrid(headings: [
            .init(title: "trace", alignment: .left), .init(title: "policy", alignment: .left), .init(title: "capacity"),
            .init(title: "requests"), .init(title: "miss ratio"), .init(title: "byte miss ratio"), .init(title: "requests/s"),
        ])
        grid.rows = rows.map { row in
            let capacity = row.capacity.map { row.unit == "bytes" ? HumanText.bytes(Double($0)) : "\($0) objects" } ?? "–"
            return [
                row.trace, row.policy, capacity, HumanText.count(Double(row.requests)),
                HumanText.share(Double(row.misses) / Double(max(row.requests, 1))),
                HumanText.share(Double(row.missBytes) / Double(max(row.requestBytes, 1))),
                HumanText.count(row.requestsPerSecond.rounded()),
            ]
        }
        return grid.plain()
    }
}
