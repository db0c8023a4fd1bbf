import Foundation
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Bencher Metric Format")
struct BencherTests {
    @Test("A metric has the median of its repeats, with the least and the largest one")
    func figures() throws {
        let results = ResultSet(
            [1, 2, 3].map { repetition in
                var result = Samples.ten(Samples.identity(repetition: repetition, timing: "measured"))
                result.latencies[0].p99 = Int64(repetition) * 1_000_000
                return result
            }, source: "results")
        func decoded(_ metrics: [String]) throws -> [String: [String: [String: Double]]] {
            try JSONDecoder().decode(
                [String: [String: [String: Double]]].self, from: Data(results.bencherMetrics(metrics).utf8))
        }
        #expect(
            try decoded(["latency_p99_us"]) == [
                "feed / lru": ["latency_p99_us": ["value": 2_000, "lower_value": 1_000, "upper_value": 3_000]]
            ])
        // By default, the gated metrics that the results have.
        let gated = Set(SummaryColumns.metrics.filter(\.isGated).map(\.name))
        let given = try Set(decoded([])["feed / lru", default: [:]].keys)
        #expect(given.isSubset(of: gated) && given.count == 12)
        #expect(throws: ResultsError.self) { try results.bencherMetrics(["wall_s"]) }
    }
}
