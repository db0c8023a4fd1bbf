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
            allowing: [try Allowance("memory_hit_ratio:20%")])
    }

    @Test("as a table, worst first, with a verdict at the end")
    func table() throws {
        #expect(
            try comparison().table == """
                verdict           trace  cache     metric             baseline  candidate           change  may worsen \
                by
                ----------------  -----  --------  -----------------  --------  ---------  ---------------  \
                -------------
                WORSE             feed   a<b>|"c"  hit_ratio            70.00%     60.00%       -10 \
                points              0
                worse, allowed    feed   a<b>|"c"  memory_hit_ratio     50.00%     40.00%       -10 points      10 \
                points
                worse, not gated  feed   a<b>|"c"  origin_fetches            2          3      +1 \
                (+50.0%)              –
                better            feed   a<b>|"c"  memory_peak_bytes    1.5 kB       1 kB  -500 B \
                (-33.3%)              0

                WORSE: 1 figure got worse than allowed (1 pair of trace and cache, 12 gated figures).

                """)
    }

    @Test("as Markdown, with the verdict first and names escaped")
    func markdown() throws {
        let text = try comparison().markdown
        #expect(text.hasPrefix("**WORSE: 1 figure got worse than allowed"))
        #expect(text.contains("| WORSE | feed | a&lt;b&gt;\\|\"c\" | hit\\_ratio | 70.00% | 60.00% | -10 points | 0 |"))
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

    @Test("as JUnit: a case for each gated figure, a failure for each that got worse")
    func junit() throws {
        let text = try comparison().junit
        #expect(text.contains("<testsuite name=\"cachereplay compare\" tests=\"12\" failures=\"1\">"))
        #expect(
            text.contains(
                """
                    <testcase classname="feed / a&lt;b&gt;|&quot;c&quot;" name="hit_ratio">
                      <failure message="70.00% before, 60.00% now: -10 points, may worsen by 0"/>
                    </testcase>
                """))
    }
}
