import ReplayEngine
import Runs

/// The keys and the seconds with the most blank time.
extension RunExplanation {
    /// A key whose cells were blank for long.
    public struct WorstKey: Sendable, Encodable, Equatable {
        public var key: String
        public var requests: Int
        public var misses: Int
        public var blankMilliseconds: Double
        /// The most frequent cause of its misses in memory.
        public var cause: String

        enum CodingKeys: String, CodingKey {
            case key, requests, misses, cause
            case blankMilliseconds = "blank_ms"
        }
    }

    /// A second of the session.
    public struct WorstMoment: Sendable, Encodable, Equatable {
        public var second: Int
        /// The blank time of the requests that appeared in it.
        public var blankMilliseconds: Double
        public var requests: Int
        /// What these requests waited for most.
        public var wait: String
        /// The most frequent cause of their misses in memory.
        public var cause: String

        enum CodingKeys: String, CodingKey {
            case second, requests, wait, cause
            case blankMilliseconds = "blank_ms"
        }
    }

    private struct Group {
        /// The number of the first request.
        var first = 0
        var requests = 0
        var misses = 0
        var blank = 0.0
        var waits = [Int64](repeating: 0, count: Wait.allCases.count)
        var causes = [Int](repeating: 0, count: MissCause.allCases.count)

        mutating func add(_ explanation: RequestExplanation) {
            requests += 1
            blank += Double(explanation.blank) / 1e6
            for (index, wait) in explanation.waits.enumerated() { waits[index] += wait }
            guard let cause = explanation.memoryCause else { return }
            misses += 1
            causes[cause.rawValue] += 1
        }

        var cause: String {
            guard misses > 0, let most = causes.max(), let index = causes.firstIndex(of: most) else { return "" }
            return MissCause.allCases[index].name
        }

        var wait: String {
            guard let most = waits.max(), most > 0, let index = waits.firstIndex(of: most) else { return "" }
            return Wait.allCases[index].name
        }
    }

    static func worstKeys(
        _ rows: [RequestRow], _ explanations: [RequestExplanation], _ top: Int
    ) -> [WorstKey] {
        var groups: [String: Group] = [:]
        for (row, explanation) in zip(rows, explanations) {
            groups[row.key, default: Group(first: row.index)].add(explanation)
        }
        // Equal ones in order of appearance: an order of the texts would change if a trace is anonymized.
        return groups.filter { $0.value.blank > 0 }
            .sorted { ($1.value.blank, $0.value.first) < ($0.value.blank, $1.value.first) }
            .prefix(top).map { key, group in
                WorstKey(
                    key: key, requests: group.requests, misses: group.misses, blankMilliseconds: group.blank,
                    cause: group.cause)
            }
    }

    static func worstMoments(
        _ rows: [RequestRow], _ explanations: [RequestExplanation], _ top: Int
    ) -> [WorstMoment] {
        var groups: [Int: Group] = [:]
        for (row, explanation) in zip(rows, explanations) {
            groups[Int(row.time / 1_000_000_000), default: Group()].add(explanation)
        }
        return groups.filter { $0.value.blank > 0 }
            .sorted { ($1.value.blank, $0.key) < ($0.value.blank, $1.key) }.prefix(top).map { second, group in
                WorstMoment(
                    second: second, blankMilliseconds: group.blank, requests: group.requests, wait: group.wait,
                    cause: group.cause)
            }
    }
}
