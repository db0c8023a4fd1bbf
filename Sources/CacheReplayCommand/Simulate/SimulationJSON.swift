import Runs

/// The output of `simulate --json`: a list of rows or, with curves or the fewest misses, an object with all lists. With
/// `--every`, a row has the list of its parts.
struct SimulationJSON: Encodable {
    private let rows: [Row]
    private let curves: [Point]
    private let bounds: [Bounds]
    private let isPlain: Bool

    init(_ results: SimulationRunner.Results, isPlain: Bool) {
        let parts = Dictionary(grouping: results.parts, by: \.identity)
        rows = results.rows.map { Row($0, parts[$0.identity]) }
        curves = results.curves.map(Point.init)
        bounds = results.bounds.map(Bounds.init)
        self.isPlain = isPlain
    }

    private enum Key: String, CodingKey {
        case rows, curve
        case bounds = "least_misses"
    }

    func encode(to encoder: any Encoder) throws {
        if isPlain { return try rows.encode(to: encoder) }
        var all = encoder.container(keyedBy: Key.self)
        try all.encode(rows, forKey: .rows)
        try all.encode(curves, forKey: .curve)
        if !bounds.isEmpty { try all.encode(bounds, forKey: .bounds) }
    }

    /// A figure that is null where there is none, as of bytes without sizes, so that all rows have the same members.
    private struct OrNull<Value: Encodable>: Encodable {
        private let value: Value?

        init(_ value: Value?) { self.value = value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }

    private struct Row: Encodable {
        var trace, policy: String
        var capacity: Int?
        var unit: String
        var requests, misses: Int
        var request_bytes, miss_bytes: OrNull<Int>
        var miss_ratio: Double
        var byte_miss_ratio: OrNull<Double>
        var requests_per_s: Double
        var sample_rate: Double?
        var samples: Int?
        var miss_ratio_low, miss_ratio_high, byte_miss_ratio_low, byte_miss_ratio_high: Double?
        var warmup_requests: Int?
        var has_model: Bool?
        var over_time: [Part]?

        init(_ row: MissRatioRow, _ parts: [MissRatioPart]?) {
            trace = row.trace
            policy = row.policy
            capacity = row.capacity?.value
            unit = row.capacity?.unit.rawValue ?? ""
            requests = row.requests
            misses = row.misses
            request_bytes = OrNull(row.requestBytes)
            miss_bytes = OrNull(row.missBytes)
            miss_ratio = row.missRatio
            byte_miss_ratio = OrNull(row.byteMissRatio)
            requests_per_s = row.requestsPerSecond
            sample_rate = row.sampleRate
            samples = row.interval?.samples
            miss_ratio_low = row.interval?.missRatio?.lowerBound
            miss_ratio_high = row.interval?.missRatio?.upperBound
            byte_miss_ratio_low = row.interval?.byteMissRatio?.lowerBound
            byte_miss_ratio_high = row.interval?.byteMissRatio?.upperBound
            warmup_requests = row.warmupRequests
            has_model = row.hasModel
            over_time = parts?.map(Part.init)
        }
    }

    /// A part of a trace, with the members that are columns of `miss_ratio_over_time.csv`.
    private struct Part: Encodable {
        var first_request: Int
        var time_us: Int64
        var requests, misses: Int
        var request_bytes, miss_bytes: OrNull<Int>
        var miss_ratio: Double
        var byte_miss_ratio: OrNull<Double>

        init(_ part: MissRatioPart) {
            first_request = part.firstRequest
            time_us = part.time
            requests = part.requests
            misses = part.misses
            request_bytes = OrNull(part.requestBytes)
            miss_bytes = OrNull(part.missBytes)
            miss_ratio = part.missRatio
            byte_miss_ratio = OrNull(part.byteMissRatio)
        }
    }

    private struct Point: Encodable {
        var trace, policy: String
        var capacity: Int
        var unit: String
        var miss_ratio: Double
        var byte_miss_ratio: OrNull<Double>
        var sample_rate: Double?
        var exact: Bool
        var samples: Int?
        var miss_ratio_low, miss_ratio_high, byte_miss_ratio_low, byte_miss_ratio_high: Double?

        init(_ point: CurvePoint) {
            trace = point.trace
            policy = point.policy
            capacity = point.capacity.value
            unit = point.capacity.unit.rawValue
            miss_ratio = point.missRatio
            byte_miss_ratio = OrNull(point.byteMissRatio)
            sample_rate = point.sampleRate
            exact = point.isExact
            samples = point.interval?.samples
            miss_ratio_low = point.interval?.missRatio?.lowerBound
            miss_ratio_high = point.interval?.missRatio?.upperBound
            byte_miss_ratio_low = point.interval?.byteMissRatio?.lowerBound
            byte_miss_ratio_high = point.interval?.byteMissRatio?.upperBound
        }
    }

    private struct Bounds: Encodable {
        var trace: String
        var capacity: Int
        var unit: String
        var requests, least_misses, known_misses: Int
        var request_bytes, least_miss_bytes, known_miss_bytes: OrNull<Int>

        init(_ row: LeastMissesRow) {
            trace = row.trace
            capacity = row.capacity.value
            unit = row.capacity.unit.rawValue
            requests = row.requests
            least_misses = row.misses.lowerBound
            known_misses = row.misses.upperBound
            request_bytes = OrNull(row.requestBytes)
            least_miss_bytes = OrNull(row.missBytes?.lowerBound)
            known_miss_bytes = OrNull(row.missBytes?.upperBound)
        }
    }
}
