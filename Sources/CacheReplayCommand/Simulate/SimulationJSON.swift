import Runs

/// The output of `simulate --json`: a list of rows or, with curves or errors of samples, an object with all lists.
struct SimulationJSON: Encodable {
    private let rows: [Row]
    private let curves: [Point]
    private let errors: [Error]
    private let isPlain: Bool

    init(_ rows: [MissRatioRow], _ curves: [CurvePoint], _ errors: [SampleError], isPlain: Bool) {
        self.rows = rows.map(Row.init)
        self.curves = curves.map(Point.init)
        self.errors = errors.map(Error.init)
        self.isPlain = isPlain
    }

    private enum Key: String, CodingKey {
        case rows, curve
        case errors = "sample_errors"
    }

    func encode(to encoder: any Encoder) throws {
        if isPlain { return try rows.encode(to: encoder) }
        var all = encoder.container(keyedBy: Key.self)
        try all.encode(rows, forKey: .rows)
        try all.encode(curves, forKey: .curve)
        try all.encode(errors, forKey: .errors)
    }

    private struct Row: Encodable {
        var trace, policy: String
        var capacity: Int?
        var unit: String
        var requests, misses, request_bytes, miss_bytes: Int
        var miss_ratio, byte_miss_ratio, requests_per_s: Double
        var sample_rate: Double?

        init(_ row: MissRatioRow) {
            trace = row.trace
            policy = row.policy
            capacity = row.capacity?.value
            unit = row.capacity?.unit.rawValue ?? ""
            requests = row.requests
            misses = row.misses
            request_bytes = row.requestBytes
            miss_bytes = row.missBytes
            miss_ratio = row.missRatio
            byte_miss_ratio = row.byteMissRatio
            requests_per_s = row.requestsPerSecond
            sample_rate = row.sampleRate
        }
    }

    private struct Point: Encodable {
        var trace, policy: String
        var capacity: Int
        var unit: String
        var miss_ratio, byte_miss_ratio: Double
        var sample_rate: Double?
        var exact: Bool

        init(_ point: CurvePoint) {
            trace = point.trace
            policy = point.policy
            capacity = point.capacity.value
            unit = point.capacity.unit.rawValue
            miss_ratio = point.missRatio
            byte_miss_ratio = point.byteMissRatio
            sample_rate = point.sampleRate
            exact = point.isExact
        }
    }

    private struct Error: Encodable {
        var trace, policy: String
        var capacities: Int
        var sample_rate, mean_absolute_error, largest_error, mean_absolute_byte_error, exact_s, sample_s: Double

        init(_ error: SampleError) {
            trace = error.trace
            policy = error.policy
            capacities = error.capacities
            sample_rate = error.sampleRate
            mean_absolute_error = error.meanAbsoluteError
            largest_error = error.largestError
            mean_absolute_byte_error = error.meanAbsoluteByteError
            exact_s = error.exactSeconds
            sample_s = error.sampleSeconds
        }
    }
}
