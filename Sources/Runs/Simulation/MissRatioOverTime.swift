import CachePolicies
import ResultColumns

/// The misses of one policy at one capacity in one part of a trace. The parts of a trace follow each other.
public struct MissRatioPart: Sendable, Equatable {
    public var identity: MissRatioRow.Identity
    /// The number of requests of the trace before this part, with the requests of a warm-up.
    public var firstRequest: Int
    /// The time of its first request, in microseconds since the start of the trace.
    public var time: Int64
    public var requests: Int
    public var misses: Int
    /// Nil if the objects have no sizes.
    public var requestBytes: Int?
    /// Nil if the objects have no sizes.
    public var missBytes: Int?

    /// Creates a part without misses.
    public init(_ identity: MissRatioRow.Identity, firstRequest: Int, time: Int64, requests: Int, requestBytes: Int?) {
        self.identity = identity
        self.firstRequest = firstRequest
        self.time = time
        self.requests = requests
        self.requestBytes = requestBytes
        misses = 0
        missBytes = requestBytes.map { _ in 0 }
    }

    public var trace: String { identity.trace }
    public var policy: String { identity.policy }
    public var capacity: Capacity? { identity.capacity }
    public var missRatio: Double { Double(misses) / Double(max(requests, 1)) }
    public var byteMissRatio: Double? { byteRatio(missBytes, of: requestBytes) }
}

/// The parts of a simulation as `miss_ratio_over_time.csv`.
public enum MissRatioOverTimeFile: RowFile {
    static let name = "miss_ratio_over_time.csv"

    public static let columns: [Column<MissRatioPart>] = [
        .identity("trace", "name of the trace") { .text($0.trace) },
        .identity("policy", "policy on the command line") { .text($0.policy) },
        .identity("capacity", "capacity of the policy; empty if the policy's own text has it", unit: .count) {
            $0.capacity.map { .integer($0.value) } ?? .absent
        },
        .identity("unit", "unit of the capacity: bytes or objects") { .text($0.capacity?.unit.rawValue ?? "") },
        .identity("first_request", "number of the requests before this part", unit: .count) {
            .integer($0.firstRequest)
        },
        .identity("time_us", "time of the first request, since the start of the trace", unit: .microseconds) {
            .integer($0.time)
        },
        .metric("requests", .count, .neutral, "requests of this part") { .integer($0.requests) },
        .metric("misses", .count, .lowerIsBetter, "requests that miss") { .integer($0.misses) },
        .metric("request_bytes", .bytes, .neutral, "bytes of the requests") { .integer($0.requestBytes) },
        .metric("miss_bytes", .bytes, .lowerIsBetter, "bytes of the requests that miss") { .integer($0.missBytes) },
        .metric("miss_ratio", .ratio, .lowerIsBetter, "misses per request") {
            .share(Double($0.misses), of: Double($0.requests))
        },
        .metric("byte_miss_ratio", .ratio, .lowerIsBetter, "missed bytes per requested byte") {
            .real($0.byteMissRatio)
        },
    ]

    /// The parts of a row are replaced together.
    static func key(_ part: MissRatioPart) -> MissRatioRow.Identity { part.identity }

    static func row(_ record: CSVTable.Row) throws -> MissRatioPart {
        let capacity =
            record["capacity"].isEmpty ? nil : Capacity(try record.integer("capacity"), try record.unit("unit"))
        var part = MissRatioPart(
            .init(trace: record["trace"], policy: record["policy"], capacity: capacity),
            firstRequest: try record.integer("first_request"), time: Int64(try record.integer("time_us")),
            requests: try record.integer("requests"), requestBytes: try record.integerIfAny("request_bytes"))
        part.misses = try record.integer("misses")
        part.missBytes = try record.integerIfAny("miss_bytes")
        return part
    }
}
