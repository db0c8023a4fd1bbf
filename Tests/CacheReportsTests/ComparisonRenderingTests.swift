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

    @Test("as a table, worst first, behind the verdict")
    func table() throws {
        #expect(
            try comparison().table == """
                WORSE: 1 figure got worse than allowed (1 pair of trace and cache, 12 gated figures).

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

                """)
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

    @Test("as Markdown, with the verdict first and names escaped")
    func markdown() throws {
        let text = try comparison().markdown
        #expect(text.hasPrefix("**WORSE: 1 figure got worse than allowed"))
        #expect(text.contains("| WORSE | feed | a&lt;b&gt;\\|\"c\" | hit\\_ratio | 70.00% | 60.00% | -10 points | 0 |"))
    }

    @Test("as a page, with the verdict as its title, and blank times side by side")
    func html() throws {
        let page = try comparison().html
        #expect(page.contains("<h1>WORSE: 1 figure got worse than allowed"))
        // Both sides leave 25 % blank: the square root is a half, and 94 % of it is 47 %.
        let cell = "<td class=\"share\" style=\"--colour:47%\" data-value=\"0.25\">25.0%</td>"
        #expect(page.contains("<tr><th scope=\"row\">feed, a&lt;b&gt;|&quot;c&quot;</th>\(cell)\(cell)</tr>"))
        #expect(page.contains("<h2 id=\"s1-title\">Gated figures that changed</h2>"))
        #expect(page.contains("<h2 id=\"s2-title\">Other figures that changed</h2>"))
        #expect(!page.contains("a<b>") && !page.contains("<script"))
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
        #expect(
            text.contains(
                "<testsuite name=\"cachereplay compare\" tests=\"12\" failures=\"1\" errors=\"0\" skipped=\"0\" "
                    + "time=\"0\">"))
        #expect(
            text.contains(
                """
                    <testcase classname="feed / a&lt;b&gt;|&quot;c&quot;" name="hit_ratio" time="0">
                      <failure type="worse" message="70.00% before, 60.00% now: -10 points, may worsen by 0"/>
                    </testcase>
                """))
    }
}
