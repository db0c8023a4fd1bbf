import CachePolicies
import ResultColumns

/// The fewest misses that a cache of one capacity can have on one trace, and the fewest bytes of requests that miss.
///
/// Both are known as ranges. No policy that holds at most the capacity is below the lower bound. A schedule of what to
/// keep has the upper bound. Where both are equal, they are the optimum.
public struct LeastMissesRow: Sendable, Equatable {
    public var identity: Identity
    public var requests: Int
    public var misses: ClosedRange<Int>
    /// Nil if the objects have no sizes.
    public var requestBytes: Int?
    /// Its schedule can differ from the schedule of ``misses``. Nil if the objects have no sizes.
    public var missBytes: ClosedRange<Int>?

    public init(
        _ identity: Identity, requests: Int, misses: ClosedRange<Int>, requestBytes: Int?,
        missBytes: ClosedRange<Int>?
    ) {
        self.identity = identity
        self.requests = requests
        self.misses = misses
        self.requestBytes = requestBytes
        self.missBytes = missBytes
    }

    public var trace: String { identity.trace }
    public var capacity: Capacity { identity.capacity }
    public var leastMissRatio: Double { Double(misses.lowerBound) / Double(max(requests, 1)) }
    public var knownMissRatio: Double { Double(misses.upperBound) / Double(max(requests, 1)) }
    public var leastByteMissRatio: Double? { byteRatio(missBytes?.lowerBound, of: requestBytes) }
    public var knownByteMissRatio: Double? { byteRatio(missBytes?.upperBound, of: requestBytes) }

    /// Lowers the ranges to the figures of policies at this capacity. Estimates of samples, and counts behind a
    /// warm-up, are left out. A figure below the bound would belong to a policy that holds more than the capacity.
    public mutating func know(_ rows: [MissRatioRow]) {
        for row in rows
        where row.trace == trace && row.capacity == capacity && row.sampleRate == nil && row.warmupRequests ?? 0 == 0 {
            misses = Self.known(misses, row.misses)
            if let missed = row.missBytes { missBytes = missBytes.map { Self.known($0, missed) } }
        }
    }

    private static func known(_ range: ClosedRange<Int>, _ figure: Int) -> ClosedRange<Int> {
        range.contains(figure) ? range.lowerBound...figure : range
    }

    public struct Identity: Sendable, Hashable {
        public var trace: String
        public var capacity: Capacity

        public init(trace: String, capacity: Capacity) {
            self.trace = trace
            self.capacity = capacity
        }
    }
}

/// The fewest misses as `least_misses.csv` and as a table.
public enum LeastMissesFile: RowFile {
    static let name = "least_misses.csv"

    public static let columns: [Column<LeastMissesRow>] = [
        .identity("trace", "name of the trace") { .text($0.trace) },
        .identity("capacity", "what a policy holds at most", unit: .count) { .integer($0.capacity.value) },
        .identity("unit", "unit of the capacity: bytes or objects") { .text($0.capacity.unit.rawValue) },
        .metric("requests", .count, .neutral, "requests of the trace") { .integer($0.requests) },
        .metric("least_misses", .count, .neutral, "misses that no policy is below") {
            .integer($0.misses.lowerBound)
        },
        .metric("known_misses", .count, .neutral, "misses of the best known schedule of what to keep, or policy") {
            .integer($0.misses.upperBound)
        },
        .metric("request_bytes", .bytes, .neutral, "bytes of all requests") { .integer($0.requestBytes) },
        .metric("least_miss_bytes", .bytes, .neutral, "missed bytes that no policy is below") {
            .integer($0.missBytes?.lowerBound)
        },
        .metric(
            "known_miss_bytes", .bytes, .neutral, "missed bytes of the best known schedule of what to keep, or policy"
        ) {
            .integer($0.missBytes?.upperBound)
        },
    ]

    static func key(_ row: LeastMissesRow) -> LeastMissesRow.Identity { row.identity }

    static var hasUniqueKeys: Bool { true }

    static func row(_ record: CSVTable.Row) throws -> LeastMissesRow {
        func range(_ least: String, _ known: String) throws -> ClosedRange<Int> {
            let lower = try record.integer(least)
            let upper = try record.integer(known)
            guard lower <= upper else {
                throw ResultsError(
                    .badData, file: record.file, line: record.line,
                    "\(least) is \(lower), more than \(known), \(upper); run without --resume to start again")
            }
            return lower...upper
        }
        return LeastMissesRow(
            .init(
                trace: record["trace"],
                capacity: Capacity(try record.integer("capacity"), try record.unit("unit"))),
            requests: try record.integer("requests"), misses: try range("least_misses", "known_misses"),
            requestBytes: try record.integerIfAny("request_bytes"),
            missBytes: record["request_bytes"].isEmpty ? nil : try range("least_miss_bytes", "known_miss_bytes"))
    }
}
