import Foundation
import ReplayEngine
import Testing

@testable import CacheReports

@Suite("The output formats of a comparison")
struct ComparisonRenderingTests {
    private func comparison() throws -> Comparison {
        let identity = Samples.identity(cache: "a<b>|\"c\"")
        var after = Samples.ten(identity)
        after.counts.memoryHits -= 1
        after.counts.originFetches += 1
        after.tiers.memoryPeakBytes = 1_000
        return try Comparison(
            baseline: ResultSet([Samples.ten(identity)], source: "before"),
            candidate: ResultSet([after], source: "after"),
            rules: .init(allowances: [try Allowance("memory_hit_ratio:20%")], isExact: true))
    }

    @Test("figures that differ have as many digits as they need to read differently")
    func digits() {
        func texts(_ baseline: Double, _ candidate: Double, _ unit: CacheReports.Unit) -> [String] {
            let finding = Comparison.Judgement(
                trace: "t", cache: "c", metric: "m", unit: unit, isGated: true, baseline: baseline,
                candidate: candidate, verdict: .worse)
            return [finding.baselineText, finding.candidateText]
        }
        #expect(texts(0.12, 0.1199, .ratio) == ["12.00%", "11.99%"])
        #expect(texts(0.12, 0.119999, .ratio) == ["12.0000%", "11.9999%"])
        #expect(texts(1_234_567, 1_234_568, .bytes) == ["1234567 B", "1234568 B"])
        #expect(texts(278_237.767, 278_237.768, .microseconds) == ["278237.767 µs", "278237.768 µs"])
        #expect(texts(5, 5, .count) == ["5", "5"])
    }

    @Test("as valid JSON, with figures as numbers")
    func json() throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(comparison().json.utf8)) as? [String: Any]
        #expect(parsed?["worse"] as? Bool == true)
        let findings = parsed?["findings"] as? [[String: Any]] ?? []
        let failed = findings.filter { $0["failed"] as? Bool == true }
        #expect(failed.map { $0["metric"] as? String } == ["hit_ratio"])
        #expect(failed.first?["cache"] as? String == "a<b>|\"c\"")
        #expect(failed.first?["candidate"] as? Double == 0.6)
    }
}
