import CachePolicies
import SessionModel
import Statistics

/// A replay beside the app's own record: for each request, the source of its image in the replay, and in the app.
public struct ServedComparison: Sendable, Equatable {
    /// The source of a request's image in a replay.
    public enum Prediction: Int, Sendable, CaseIterable {
        case memory, disk, network
        /// The request was deferred or cancelled, it failed, or the cache delivered the picture of another key.
        case nothing

        /// The word of tables and JSON.
        public var name: String {
            switch self {
            case .memory: "memory"
            case .disk: "disk"
            case .network: "network"
            case .nothing: "not shown"
            }
        }

        /// An image that arrives after its cell has left counts as one from its source: the tier had it.
        init(_ row: RequestRow) {
            switch row.source {
            case "memory_hit": self = .memory
            case "disk_hit": self = .disk
            case "origin", "coalesced": self = .network
            default: self = .nothing
            }
        }

        fileprivate var source: ServedSource? { ServedSource(rawValue: UInt8(rawValue)) }
    }

    /// A request for which the replay and the app differ.
    public struct Disagreement: Sendable, Equatable {
        public var row: RequestRow
        public var predicted: Prediction
        public var observed: ServedSource
        /// The last request of the image before this one, in the same variant; nil if there is none.
        public var previous: Previous?

        public struct Previous: Sendable, Equatable {
            /// The number of the request, from 0.
            public var index: Int
            /// Its time, in nanoseconds of trace time.
            public var time: Int64
        }
    }

    public let requests: Int
    /// The number of `served` events that belong to no request.
    public let unmatched: Int
    /// The first disagreements, in order of requests.
    public let disagreements: [Disagreement]
    /// The recorded costs; nil for a trace without.
    public fileprivate(set) var costs: CostComparison?
    /// By prediction, then by source; the last number of a prediction counts requests without a recorded source.
    private let counts: [[Int]]

    /// Compares a replay with the recorded sources of its trace.
    ///
    /// - Parameters:
    ///   - rows: The requests of a replay of the trace, in order.
    ///   - served: The recorded sources of the same trace.
    ///   - top: The number of disagreements that are kept.
    public init(_ rows: [RequestRow], _ served: ServedRequests, top: Int = 10) {
        var counts = Prediction.allCases.map { _ in [Int](repeating: 0, count: ServedSource.allCases.count + 1) }
        var disagreements: [Disagreement] = []
        var previous: [Image: Disagreement.Previous] = [:]
        for (row, observed) in zip(rows, served.sources) {
            let predicted = Prediction(row)
            counts[predicted.rawValue][observed.map { Int($0.rawValue) } ?? ServedSource.allCases.count] += 1
            if disagreements.count < top {
                let image = Image(key: row.key, variant: row.variant)
                if let observed, predicted.source != observed {
                    disagreements.append(
                        Disagreement(row: row, predicted: predicted, observed: observed, previous: previous[image]))
                }
                previous[image] = Disagreement.Previous(index: row.index, time: row.time)
            }
        }
        self.counts = counts
        self.disagreements = disagreements
        requests = rows.count
        unmatched = served.unmatched
    }

    private struct Image: Hashable {
        var key: String
        package var variant: Variant
    }

    /// The number of requests that a replay predicts so, and that the app had from a source; nil for requests without a
    /// recorded source.
    public func count(_ predicted: Prediction, _ observed: ServedSource?) -> Int {
        counts[predicted.rawValue][observed.map { Int($0.rawValue) } ?? ServedSource.allCases.count]
    }

    /// The number of requests with a recorded source.
    public var compared: Int { counts.reduce(0) { $0 + $1.dropLast().reduce(0, +) } }

    /// The number of requests with a recorded source that is the predicted one.
    public var agreeing: Int { ServedSource.allCases.reduce(0) { $0 + counts[Int($1.rawValue)][Int($1.rawValue)] } }

    /// The share of the compared requests for which replay and app agree; nil if no request is compared.
    public var agreement: Double? { compared == 0 ? nil : Double(agreeing) / Double(compared) }

    /// The 95 % confidence interval of the agreement, after Wilson; from 0 to 1 if no request is compared.
    ///
    /// It assumes independent requests. Requests of one session depend on each other, so it is rather too narrow.
    public var interval: ClosedRange<Double> { WilsonInterval.ofShare(Double(agreeing), of: compared) }

    /// Cohen's kappa (1960): the agreement beyond chance, as a share of the largest possible one. 0 is the
    /// agreement of independent predictions with the same frequencies. nil if chance alone agrees always, as when all
    /// images come from one source.
    public var kappa: Double? {
        guard let agreement else { return nil }
        let total = Double(compared)
        let chance = ServedSource.allCases.reduce(0.0) { sum, source in
            let place = Int(source.rawValue)
            let predicted = counts[place].dropLast().reduce(0, +)
            let observed = counts.reduce(0) { $0 + $1[place] }
            return sum + Double(predicted) / total * (Double(observed) / total)
        }
        return chance < 1 ? (agreement - chance) / (1 - chance) : nil
    }
}

extension ReplayJob {
    /// Replays a trace, and compares its requests with the recorded sources, and its costs with the recorded ones.
    ///
    /// - Throws: As ``run(_:registry:measured:progress:)-(Trace,_,_,_)``.
    public func compareServed(
        _ trace: PreparedTrace, measured parts: MeasuredParts? = nil, top: Int = 10
    ) throws -> ServedComparison {
        var comparison = ServedComparison(
            try explain(trace, measured: parts).requests, ServedRequests(trace.trace), top: top)
        let objects = try ReplayObjects(trace, cache, tellsSizes: tellsViewSizes(ReplaySetup()))
        comparison.costs = CostComparison(trace.trace, objects)
        return comparison
    }
}
