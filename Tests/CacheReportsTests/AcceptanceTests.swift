import ReplayEngine
import Testing

@testable import CacheReports
@testable import Runs

@Suite("Accepted changes, first runs and trade-offs")
struct AcceptanceTests {
    /// Ten requests of which 7 hit, 5 in memory, and 250 ms of 1 s are blank.
    private func set(_ results: RunResult...) -> ResultSet { ResultSet(results, source: "results") }

    /// One memory hit turned into a fetch of 500 bytes: 60 % hits, 40 % in memory, 2500 bytes.
    private func worse(_ identity: RunIdentity = Samples.identity()) -> RunResult {
        var result = Samples.ten(identity)
        result.counts.memoryHits -= 1
        result.counts.originFetches += 1
        result.tiers.originBytes += 500
        return result
    }

    private func compared(_ rules: Comparison.Rules = .init()) throws -> Comparison {
        try Comparison(baseline: set(Samples.ten()), candidate: set(worse()), rules: rules)
    }

    private func entry(_ figure: String, _ value: String, cache: String = "lru", session: String? = "feed") throws
        -> Acceptance
    {
        try Acceptance(figure: figure, cache: cache, session: session, value: value, reason: "less memory")
    }

    @Test("entries with the new values accept what is red, with their reason")
    func accepted() throws {
        var comparison = try compared()
        // 2,510 bytes are within 1 % of 2,500; 60.1 % is within 0.1 points of 60 %.
        let entries = [
            try entry("hit_ratio", "60.1%"), try entry("memory_hit_ratio", "0.4", session: nil),
            try entry("origin_bytes", "2.51kB"),
        ]
        comparison.accept(entries, within: .standard)
        #expect(!comparison.hasWorsened && comparison.outdated.isEmpty)
        #expect(comparison.accepted.map(\.metric) == ["hit_ratio", "memory_hit_ratio", "origin_bytes"])
        #expect(comparison.acceptedTexts[0] == "feed, lru, hit_ratio 70.00% → 60.00%: accepted: less memory")
        #expect(comparison.verdict.contains("3 accepted"), "\(comparison.verdict)")
        #expect(comparison.acceptableEntries == nil)
    }

    @Test("an entry for another value, an unchanged figure or an unknown cache is outdated and does not fail")
    func outdated() throws {
        var comparison = try compared()
        let entries = [
            try entry("hit_ratio", "65%"), try entry("byte_hit_ratio", "10%", cache: "lruu"), try entry("failed", "1"),
            try entry("hit_ratio", "60%", session: "fed"),
        ]
        comparison.accept(entries, within: .standard)
        #expect(comparison.failures.map(\.metric) == ["hit_ratio", "memory_hit_ratio", "origin_bytes"])
        let reasons = [
            "it is 60.0000% now, and the entry accepts 65.0000%",
            "no cache of this name is compared; did you mean lru?",
            "the figure is not worse than allowed", "no session of this name is compared; did you mean feed?",
        ]
        #expect(comparison.outdated.count == 4)
        for (text, reason) in zip(comparison.outdated, reasons) { #expect(text.hasSuffix(reason), "\(text)") }
    }

    @Test("with strictness budgets only limits fail, and with exact each change")
    func strictness() throws {
        #expect(try !compared(.init(strictness: .budgets)).hasWorsened)
        #expect(try compared(.init(strictness: .exact)).hasWorsened)
        let allowance = try Allowance("hit_ratio:1pt")
        let named = try compared(.init(allowances: [allowance], strictness: .budgets))
        #expect(named.failures.map(\.metric) == ["hit_ratio"])

        var other = Samples.ten()
        other.identity.cache = "other"
        let both = set(Samples.ten(), other)
        let missing = try Comparison(baseline: both, candidate: set(Samples.ten()), rules: .init(strictness: .budgets))
        #expect(!missing.hasWorsened && missing.warnings == ["feed, other is missing in the candidate"])
    }

    @Test("a renamed cache is a first run, and a removed cache without a new one in its place fails")
    func renamed() throws {
        var other = Samples.ten()
        other.identity.cache = "other"
        let rules = Comparison.Rules(acceptsFirstRun: true)
        let first = try Comparison(baseline: set(Samples.ten()), candidate: set(other), rules: rules)
        #expect(first.isFirstRun && !first.hasWorsened && first.replacedPairs.count == 1)
        #expect(first.verdict == "First run, no baseline: there is no budget to judge.")

        var third = Samples.ten()
        third.identity.cache = "third"
        let some = try Comparison(
            baseline: set(Samples.ten(), other), candidate: set(Samples.ten(), third), rules: rules)
        #expect(!some.hasWorsened && !some.isFirstRun)
        #expect(some.replacedPairs.map(\.new.cache) == ["third"])
        let gone = try Comparison(baseline: set(Samples.ten(), other), candidate: set(Samples.ten()), rules: rules)
        #expect(gone.hasWorsened && gone.missingPairs.map(\.cache) == ["other"])
    }

    @Test("more hits for a little blank time within the tolerance are a trade-off, and pass")
    func tradeOff() throws {
        var after = Samples.ten()
        after.counts.memoryHits += 1
        after.counts.originFetches -= 1
        // From 25 % to 25.05 %.
        after.blank.blankTime += 0.0005 * after.blank.visibleTime
        let comparison = try Comparison(baseline: set(Samples.ten()), candidate: set(after))
        #expect(!comparison.hasWorsened)
        #expect(comparison.tradeOffs.count == 1)
        let text = comparison.tradeOffs.first ?? ""
        #expect(
            text.hasPrefix("Trade-off: feed, lru: hit_ratio 70.00% → 80.00%, and blank time 25.00% → 25.05%"), "\(text)"
        )
        let exact = try Comparison(
            baseline: set(Samples.ten()), candidate: set(after), rules: .init(strictness: .exact))
        #expect(exact.failures.map(\.metric) == ["blank_ratio"] && exact.tradeOffs.isEmpty)
    }

    @Test("the other models of NSCache stand in the sentence of their cache, and the page begins with blank time")
    func models() throws {
        func runs(_ grown: [Double]) -> ResultSet {
            let results = zip(["lru", "lru [fifo]", "lru [frequency]"], grown).map { cache, share in
                var result = Samples.ten(Samples.identity(cache: cache))
                result.blank.blankTime += share * result.blank.visibleTime
                return result
            }
            return ResultSet(results, source: "results")
        }
        let before = runs([0, 0, 0])
        let worse = try Comparison(baseline: before, candidate: runs([0.02, 0.03, 0.01]))
        #expect(
            worse.impacts == [
                "feed, lru: blank time 25.00% → 27.00% of the visible time, 20 ms more in the session (with other "
                    + "models of NSCache 10 ms to 30 ms more)"
            ])
        #expect(worse.answer?.hasPrefix("Blank time of lru [fifo] on feed grew from 25.00% to 28.00%") == true)
        #expect(worse.html.contains("<h1>Blank time of lru [fifo] on feed grew from 25.00% to 28.00%, 30 ms more"))
        // A model with less blank time has a sentence of its own.
        let mixed = try Comparison(baseline: before, candidate: runs([0.02, 0.03, -0.01]))
        #expect(
            mixed.impacts.map { String($0.prefix { $0 != ":" }) } == ["feed, lru", "feed, lru [fifo]"]
                && !mixed.impacts.contains { $0.contains("models") })
        let same = try Comparison(baseline: before, candidate: before)
        #expect(same.impacts.isEmpty && same.answer == nil)
    }
}
