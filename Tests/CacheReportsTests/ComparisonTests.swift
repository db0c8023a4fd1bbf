import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Comparing two results")
struct ComparisonTests {
    private func set(_ results: RunResult...) throws -> ResultSet { ResultSet(results, source: "results") }

    /// Ten requests with one memory hit turned into a fetch of 500 bytes.
    private func worse(_ identity: RunIdentity = Samples.identity()) -> RunResult {
        var result = Samples.ten(identity)
        result.counts.memoryHits -= 1
        result.counts.originFetches += 1
        result.tiers.originBytes += 500
        return result
    }

    private func failures(_ comparison: Comparison) -> [String] { comparison.failures.map(\.metric) }

    @Test("equal results pass")
    func equal() throws {
        let comparison = try Comparison(baseline: set(Samples.ten()), candidate: set(Samples.ten()))
        #expect(!comparison.hasWorsened)
        #expect(comparison.changes.isEmpty)
        #expect(comparison.warnings.isEmpty)
        #expect(
            comparison.verdict
                == "Nothing got worse than allowed: 1 pair of trace and cache, 12 gated figures, 0 better.")
    }

    @Test("a lost hit fails each gated metric that it changes, and improvements do not fail")
    func lostHit() throws {
        let comparison = try Comparison(baseline: set(Samples.ten()), candidate: set(worse()))
        #expect(failures(comparison) == ["hit_ratio", "memory_hit_ratio", "origin_bytes"])
        // Another fetch is shown, but not gated.
        #expect(comparison.judgements.first { $0.metric == "origin_fetches" }?.verdict == .noted)

        let reverse = try Comparison(baseline: set(worse()), candidate: set(Samples.ten()))
        #expect(!reverse.hasWorsened)
        #expect(reverse.judgements.first { $0.metric == "hit_ratio" }?.verdict == .better)
    }

    @Test("an allowance is inclusive in spite of binary fractions, and the next step exceeds it")
    func allowances() throws {
        // 0.7 to 0.6 is 0.1 worse, 2000 to 2500 bytes 25 %.
        let enough = try ["hit_ratio:10pt", "memory_hit_ratio:10pt", "origin_bytes:25%"].map { try Allowance($0) }
        #expect(
            try !Comparison(baseline: set(Samples.ten()), candidate: set(worse()), rules: .init(allowances: enough))
                .hasWorsened)
        let texts = ["hit_ratio:9.9999pt", "memory_hit_ratio:10pt", "origin_bytes:499"]
        let tooLittle = try texts.map { try Allowance($0) }
        let comparison = try Comparison(
            baseline: set(Samples.ten()), candidate: set(worse()), rules: .init(allowances: tooLittle))
        #expect(failures(comparison) == ["hit_ratio", "origin_bytes"])
    }

    @Test("a percentage is a part of the baseline, and points are a part of the whole")
    func percentAndPoints() throws {
        // From 70 % to 60 % are 10 points, and 14.3 % of the baseline.
        #expect(try Allowance("hit_ratio:2%").worsening == .relative(0.02))
        #expect(try Allowance("hit_ratio:2pt").worsening == .absolute(0.02))
        #expect(try Allowance("hit_ratio:0").worsening == .absolute(0))
        for (amount, isWorse) in [("10pt", false), ("10%", true), ("15%", false), ("9pt", true)] {
            let rules = Comparison.Rules(allowances: [try Allowance("hit_ratio:\(amount)")])
            let comparison = try Comparison(baseline: set(Samples.ten()), candidate: set(worse()), rules: rules)
            #expect(failures(comparison).contains("hit_ratio") == isWorse, "\(amount)")
        }
    }

    @Test("an allowance gates a metric that is not gated by default")
    func gatedByName() throws {
        let allowance = try Allowance("origin_fetches:0")
        let comparison = try Comparison(
            baseline: set(Samples.ten()), candidate: set(worse()), rules: .init(allowances: [allowance]))
        #expect(failures(comparison).contains("origin_fetches"))
    }

    @Test("repeats count as their median")
    func medians() throws {
        let good = (1...2).map { Samples.ten(Samples.identity(repetition: $0)) }
        let outlier = worse(Samples.identity(repetition: 3))
        let comparison = try Comparison(
            baseline: ResultSet(good, source: "a"), candidate: ResultSet(good + [outlier], source: "b"))
        #expect(!comparison.hasWorsened)
    }

    @Test("modelled and instant timing allow the relevance threshold, or nothing if the comparison is exact")
    func exactTimings() throws {
        for timing in ["modelled", "instant", "modelled+decode", "instant+decode"] {
            let identity = Samples.identity(timing: timing)
            // The baseline has 1 ms.
            var slower = Samples.ten(identity)
            slower.latencies[0].p99 += 10_001
            let baseline = try set(Samples.ten(identity))
            #expect(failures(try Comparison(baseline: baseline, candidate: set(slower))) == ["latency_p99_us"])
            slower.latencies[0].p99 -= 1
            let within = try Comparison(baseline: baseline, candidate: set(slower))
            #expect(failures(within).isEmpty, "\(timing)")
            #expect(within.judgements.allSatisfy { $0.verdict == .same })
            slower.latencies[0].p99 -= 9_999
            let exact = try Comparison(baseline: baseline, candidate: set(slower), rules: .init(isExact: true))
            #expect(failures(exact) == ["latency_p99_us"], "\(timing)")
        }
    }

    @Test("other injected events are other inputs, also in summary.csv, and equal ones are named")
    func injectedEvents() throws {
        var identity = Samples.identity()
        identity.injected = "relaunch at 90s"
        let injected = Samples.ten(identity)
        let plain = ResultFiles.summary([Samples.ten()])
        for baseline in [try set(Samples.ten()), try ResultSet(csv: plain, file: "summary.csv")] {
            let error = #expect(throws: ResultsError.self) {
                try Comparison(baseline: baseline, candidate: set(injected))
            }
            #expect(error?.message.contains("the injected events differ: none before, relaunch at 90s now") == true)
        }
        let equal = try Comparison(baseline: set(injected), candidate: set(injected))
        #expect(equal.warnings == ["both sides have these injected events: relaunch at 90s"])
    }

    @Test("a trace and cache that the candidate lacks fails, a new one is only reported")
    func pairs() throws {
        let both = try set(Samples.ten(), Samples.ten(Samples.identity(cache: "fifo")))
        let lost = try Comparison(baseline: both, candidate: set(Samples.ten()))
        #expect(lost.hasWorsened)
        #expect(lost.missingPairs == [.init(trace: "feed", cache: "fifo")])
        #expect(
            lost.table.hasPrefix(
                """
                WORSE: 1 pair of trace and cache missing in the candidate (1 pair of trace and cache, 12 gated \
                figures).

                MISSING in the candidate: feed, fifo

                """))
        let gained = try Comparison(baseline: set(Samples.ten()), candidate: both)
        #expect(!gained.hasWorsened)
        #expect(gained.newPairs == [.init(trace: "feed", cache: "fifo")])
    }

    @Test("a run compared with its own summary.csv is the same, although the file rounds")
    func roundedBaseline() throws {
        var run = Samples.ten()
        run.counts.memoryHits = 2  // Ratios of 7 requests have no finite decimal form.
        let csv = try ResultSet(csv: ResultFiles.summary([run]), file: "summary.csv")
        for (baseline, candidate) in [(csv, try set(run)), (try set(run), csv), (csv, csv)] {
            #expect(try Comparison(baseline: baseline, candidate: candidate).changes.isEmpty)
        }
        let lost = try Comparison(baseline: csv, candidate: set(worse()), rules: .init(acceptsDifferences: true))
        #expect(lost.hasWorsened)
    }

    @Test("results without a common trace and cache are bad data")
    func nothingInCommon() throws {
        let error = #expect(throws: ResultsError.self) {
            try Comparison(baseline: set(Samples.ten()), candidate: set(Samples.ten(Samples.identity(cache: "fifo"))))
        }
        #expect(error?.kind == .badData)
    }

    @Test("a missing figure fails if its metric is gated")
    func lostFigure() throws {
        var silent = Samples.ten()
        silent.latencies = []
        let comparison = try Comparison(baseline: set(Samples.ten()), candidate: set(silent))
        #expect(failures(comparison) == ["latency_p99_us"])
        #expect(comparison.failures.allSatisfy { $0.verdict == .missing })
    }

    @Test("another trace, timing or seed under the same name is not comparable, unless that is accepted")
    func differences() throws {
        var other = Samples.ten(Samples.identity(seed: 2, timing: "measured"))
        other.traceDuration += 1_000_000
        let (baseline, candidate) = (try set(Samples.ten()), try set(other))
        let error = #expect(throws: ResultsError.self) { try Comparison(baseline: baseline, candidate: candidate) }
        #expect(error?.kind == .badData)
        let differences = [
            "trace feed does not seem to be the same: its requests or its length differ",
            "the timing differs: modelled before, measured now", "the seed differs: 1 before, 2 now",
        ]
        for difference in differences { #expect(error?.message.contains(difference) == true) }
        #expect(error?.message.contains("--different-inputs") == true)
        let rules = Comparison.Rules(allowances: [try Allowance("wall_s:1")], acceptsDifferences: true)
        let comparison = try Comparison(baseline: baseline, candidate: candidate, rules: rules)
        #expect(
            comparison.warnings == differences + ["wall_s has no figure on either side, so its --allow has no effect"])
    }

    @Test("other costs and another version are not comparable")
    func costsAndVersions() throws {
        var (old, new) = (try set(Samples.ten()), try set(Samples.ten()))
        (old.costs, new.costs, old.version, new.version) = ("standard", "abc", "1.0", "1.1")
        let error = #expect(throws: ResultsError.self) { try Comparison(baseline: old, candidate: new) }
        #expect(error?.message.contains("the costs of modelled timing differ") == true)
        #expect(error?.message.contains("the version of cachereplay differs: 1.0 before, 1.1 now") == true)
    }

    @Test("a gated metric that the whole baseline lacks causes a warning")
    func lostColumn() throws {
        var silent = Samples.ten()
        silent.latencies = []
        let comparison = try Comparison(baseline: set(silent), candidate: set(Samples.ten()))
        #expect(comparison.warnings == ["the baseline has no latency_p99_us, so it is not compared"])
    }

    @Test(
        "the message of a wrong allowance names the mistake",
        arguments: [
            ("hit_ration:1", "unknown metric \"hit_ration\"; did you mean hit_ratio?"),
            ("hit_ratio", "expected is METRIC:WORSENING"), ("hit_ratio:", "not a worsening"),
            ("hit_ratio:-1", "not a worsening"), ("hit_ratio:nan", "not a worsening"), ("origin_bytes:5MB", "in bytes"),
            ("hit_ratio:0.02", "write 2pt for percentage points"), ("origin_bytes:5pt", "points are for shares"),
            ("memory_evictions:5", "neither better nor worse"), ("trace:1", "unknown metric"),
        ])
    func wrongAllowances(text: String, reason: String) {
        let error = #expect(throws: AllowanceError.self) { try Allowance(text) }
        #expect(error?.description.contains(reason) == true)
    }
}
