import CachePolicies
import ResultColumns

/// The result of one policy at one capacity on one trace.
public struct MissRatioRow: Sendable, Equatable {
    public var identity: Identity
    public var requests: Int
    public var misses: Int
    /// Nil if the objects have no sizes.
    public var requestBytes: Int?
    /// Nil if the objects have no sizes.
    public var missBytes: Int?
    public var requestsPerSecond: Double
    /// The share of the objects that was simulated, or nil for all of them.
    public var sampleRate: Double?
    /// The intervals of the figures, which are means of several samples; nil for one sample, and for all objects.
    public var interval: SampleInterval?
    /// The number of requests before those that count, which are in no other figure than ``requestsPerSecond``; nil if
    /// all requests count.
    public var warmupRequests: Int?
    /// Whether the policy has learned a model by the end of the trace; nil for a policy that learns none.
    public var hasModel: Bool?

    public init(
        _ identity: Identity, requests: Int, misses: Int, requestBytes: Int?, missBytes: Int?, requestsPerSecond: Double
    ) {
        self.identity = identity
        self.requests = requests
        self.misses = misses
        self.requestBytes = requestBytes
        self.missBytes = missBytes
        self.requestsPerSecond = requestsPerSecond
    }

    public var trace: String { identity.trace }
    public var policy: String { identity.policy }
    public var capacity: Capacity? { identity.capacity }
    public var missRatio: Double { Double(misses) / Double(max(requests, 1)) }
    public var byteMissRatio: Double? { byteRatio(missBytes, of: requestBytes) }

    /// The item of a sweep to which a row belongs.
    public struct Identity: Sendable, Hashable {
        public var trace: String
        public var policy: String
        /// The capacity, or nil if the policy's own text has one.
        public var capacity: Capacity?

        public init(trace: String, policy: String, capacity: Capacity?) {
            self.trace = trace
            self.policy = policy
            self.capacity = capacity
        }
    }
}

/// Returns bytes as a share of the bytes of all requests; nil without any.
func byteRatio(_ bytes: Int?, of requestBytes: Int?) -> Double? {
    guard let bytes, let requestBytes, requestBytes > 0 else { return nil }
    return Double(bytes) / Double(requestBytes)
}

extension CSVTable.Row {
    /// Returns a whole number; nil if the field is empty, or if there is no such column.
    func integerIfAny(_ name: String) throws -> Int? { self[name].isEmpty ? nil : try integer(name) }
}

/// The rows of a simulation as `miss_ratio.csv` and as a table.
public enum MissRatioFile: RowFile {
    static let name = "miss_ratio.csv"

    public static let columns: [Column<MissRatioRow>] = [
        .identity("trace", "name of the trace") { .text($0.trace) },
        .identity("policy", "policy on the command line") { .text($0.policy) },
        .identity("capacity", "capacity of the policy; empty if the policy's own text has it", unit: .count) {
            $0.capacity.map { .integer($0.value) } ?? .absent
        },
        .identity("unit", "unit of the capacity: bytes or objects") { .text($0.capacity?.unit.rawValue ?? "") },
        .metric("requests", .count, .neutral, "counted requests") { .integer($0.requests) },
        .metric("misses", .count, .lowerIsBetter, "requests that miss") { .integer($0.misses) },
        .metric("request_bytes", .bytes, .neutral, "bytes of all requests") { .integer($0.requestBytes) },
        .metric("miss_bytes", .bytes, .lowerIsBetter, "bytes of the requests that miss") { .integer($0.missBytes) },
        .metric("miss_ratio", .ratio, .lowerIsBetter, "misses per request") {
            .share(Double($0.misses), of: Double($0.requests))
        },
        .metric("byte_miss_ratio", .ratio, .lowerIsBetter, "missed bytes per requested byte") {
            .real($0.byteMissRatio)
        },
        .metric(
            "requests_per_s", .perSecond, .higherIsBetter,
            "requests per second of the simulation, without loading the trace"
        ) {
            .real($0.requestsPerSecond)
        },
    ]

    /// The last column when a sample was simulated. The misses are then estimates, scaled to the whole trace.
    public static let sampleRate: Column<MissRatioRow> = .metric(
        "sample_rate", .ratio, .neutral, "share of the objects that is simulated"
    ) { $0.sampleRate.map { .real($0) } ?? .absent }

    /// The last column when there is a warm-up.
    public static let warmupRequests: Column<MissRatioRow> = .metric(
        "warmup_requests", .count, .neutral, "requests of the warm-up, which precede those that are counted"
    ) { $0.warmupRequests.map { .integer($0) } ?? .absent }

    /// The last column when a policy learns a model.
    public static let hasModel: Column<MissRatioRow> = .identity(
        "has_model", "yes if the policy learned a model, no if it did not; empty for a policy that learns none"
    ) { .text($0.hasModel.map { $0 ? "yes" : "no" } ?? "") }

    /// The columns behind the rate of a sample when there are several samples.
    public static let intervals = SampleInterval.columns { (row: MissRatioRow) in row.interval }

    /// Every column, with those that only some simulations have.
    public static var allColumns: [Column<MissRatioRow>] {
        columns + [sampleRate] + intervals + [warmupRequests, hasModel]
    }

    static func columns(of rows: [MissRatioRow]) -> [Column<MissRatioRow>] {
        var all = columns
        if rows.contains(where: { $0.sampleRate != nil }) { all.append(sampleRate) }
        if rows.contains(where: { $0.interval != nil }) { all += intervals }
        if rows.contains(where: { $0.warmupRequests != nil }) { all.append(warmupRequests) }
        if rows.contains(where: { $0.hasModel != nil }) { all.append(hasModel) }
        return all
    }

    static func key(_ row: MissRatioRow) -> MissRatioRow.Identity { row.identity }

    static var hasUniqueKeys: Bool { true }

    static func row(_ record: CSVTable.Row) throws -> MissRatioRow {
        let capacity =
            record["capacity"].isEmpty ? nil : Capacity(try record.integer("capacity"), try record.unit("unit"))
        var row = MissRatioRow(
            .init(trace: record["trace"], policy: record["policy"], capacity: capacity),
            requests: try record.integer("requests"), misses: try record.integer("misses"),
            requestBytes: try record.integerIfAny("request_bytes"), missBytes: try record.integerIfAny("miss_bytes"),
            requestsPerSecond: try record.real("requests_per_s"))
        if !record["sample_rate"].isEmpty { row.sampleRate = try record.real("sample_rate") }
        row.interval = try SampleInterval(record)
        row.warmupRequests = try record.integerIfAny("warmup_requests")
        row.hasModel = record["has_model"].isEmpty ? nil : record["has_model"] == "yes"
        return row
    }
}
