import Foundation
import ReplayEngine
import TestSupport
import Testing

@testable import CacheReports

@Suite("Comparing measured results")
struct MeasuredComparisonTests {
    /// Repeats with these 99th percentiles of the time to image, in milliseconds.
    private func set(_ milliseconds: [Double], cache: String = "lru", change: (inout RunResult) -> Void = { _ in })
        -> ResultSet
    {
        ResultSet(
            milliseconds.enumerated().map { index, value in
                var result = Samples.ten(Samples.identity(cache: cache, repetition: index + 1, timing: "measured"))
                result.latencies[0].p99 = Int64(value * 1e6)
                change(&result)
                return result
            }, source: "results")
    }

    private func finding(_ comparison: Comparison, _ metric: String = "latency_p99_us") -> Comparison.Judgement? {
        comparison.judgements.first { $0.metric == metric }
    }

    private let steady = [10.0, 10.1, 10.2, 10.3, 10.4]

    @Test("five repeats that are all slower by more than 2 % are worse: one choice of 252")
    func worse() throws {
        let comparison = try Comparison(baseline: set(steady), candidate: set(steady.map { $0 + 1 }))
        let finding = try #require(self.finding(comparison))
        #expect(finding.verdict == .worse)
        // The only figure that varies, so nothing is corrected: 1 of the 252 choices of 5 of 10 values.
        #expect(abs((finding.chance?.p ?? 1) - 1.0 / 252) < 1e-9)
        #expect(finding.chance?.repeats == [5, 5])
        #expect(finding.allowed.map { abs($0 - 204) < 1e-6 } == true)
        let interval = try #require(finding.chance?.interval)
        #expect(interval.contains(1_000) && interval.lowerBound > 0)
        #expect(comparison.failures.map(\.metric) == ["latency_p99_us"])
        #expect(comparison.table.contains("the change is +700 µs to +1.3 ms (95%), p = 0.004"))
    }

    @Test("times that rise with the repeats of a side are a drift, which the verdict names with its remedy")
    func drift() throws {
        // All of the second six repeats are slower than the first six: 2 of 924 orders are as clear.
        let rising = set((0..<12).map { 10 + 0.1 * Double($0) })
        let still = set((0..<12).map { 10 + 0.1 * Double($0 % 3) })
        var comparison = try Comparison(baseline: still, candidate: rising)
        #expect(comparison.drift == nil)
        comparison.findDrift(baseline: still, candidate: rising)
        #expect(comparison.drift?.hasPrefix("A drift is visible: the times of the candidate rise") == true)
        #expect(comparison.verdict.contains("cachereplay gate"), "\(comparison.verdict)")
        comparison.drift = nil
        comparison.findDrift(baseline: still, candidate: still)
        // Eleven repeats are too few.
        let few = set((0..<11).map { 10 + 0.1 * Double($0) })
        comparison.findDrift(baseline: still, candidate: few)
        #expect(comparison.drift == nil)
    }

    @Test("a significant change within the allowance is not worse")
    func withinAllowance() throws {
        let slower = set(steady.map { $0 + 1 })
        let rules = Comparison.Rules(allowances: [try Allowance("latency_p99_us:20%")])
        let comparison = try Comparison(baseline: set(steady), candidate: slower, rules: rules)
        #expect(finding(comparison)?.verdict == .allowed)
        #expect(!comparison.hasWorsened)
    }

    @Test("equal repeats are the same, and faster ones better")
    func sameAndBetter() throws {
        let rules = Comparison.Rules(allowances: [try Allowance("latency_p99_us:5%")])
        let same = try Comparison(baseline: set(steady), candidate: set(steady.reversed()), rules: rules)
        #expect(finding(same)?.verdict == .same)
        let better = try Comparison(baseline: set(steady), candidate: set(steady.map { $0 - 1 }))
        #expect(finding(better)?.verdict == .better)
    }

    @Test("repeats that overlap are undecided, with the change that could be found and the repeats that would decide")
    func undecided() throws {
        let comparison = try Comparison(
            baseline: set([8, 9, 10, 11, 12]), candidate: set([8.5, 9.5, 10.5, 11.5, 12.5]))
        let finding = try #require(self.finding(comparison))
        #expect(finding.verdict == .undecided)
        #expect(!comparison.hasWorsened)
        // Both sides have a standard deviation of 1.58 ms; a change has to be some three times its error of 1 ms.
        let detectable = try #require(finding.chance?.detectable)
        #expect(detectable > 3_000 && detectable < 7_000)
        let needed = try #require(finding.chance?.repeatsNeeded)
        #expect(needed > 100)
        #expect(comparison.verdict.hasPrefix("UNDECIDED: nothing is known to be worse"))
        #expect(comparison.junit.contains("<skipped message="))
        #expect(comparison.github.contains("::warning title=latency_p99_us is undecided::feed, lru: the change is "))
    }

    @Test("undecided figures that fail are not accepted, and the text has the amount with which they are decided")
    func undecidedFails() throws {
        let (before, after) = (set([8, 9, 10, 11, 12]), set([8.5, 9.5, 10.5, 11.5, 12.5]))
        var comparison = try Comparison(baseline: before, candidate: after)
        let value = try Acceptance(
            figure: "latency_p99_us", cache: "lru", session: nil, value: "10500", reason: "less memory")
        comparison.accept([value], within: .standard)
        #expect(comparison.outdated.first?.hasSuffix("has no effect: the repeats do not decide the figure") == true)
        #expect(!comparison.table.contains("accept: cannot name them"))
        #expect(comparison.failureReasons.isEmpty)
        func members() throws -> [String: Any]? {
            try JSONSerialization.jsonObject(with: Data(comparison.json.utf8)) as? [String: Any]
        }
        let passing = try members()
        #expect(passing?["failed"] as? Bool == false && passing?["failed_because"] as? [String] == [])
        #expect(comparison.junit.contains("<skipped ") && !comparison.junit.contains("type=\"undecided\""))
        comparison.undecidedFails = true
        #expect(!comparison.junit.contains("<skipped ") && comparison.junit.contains("skipped=\"0\""))
        #expect(comparison.junit.contains("<failure type=\"undecided\""))
        // Nothing is worse, and the exit code is 1 all the same: the file says why.
        #expect(!comparison.hasWorsened && comparison.failureReasons == [.undecided])
        let failing = try members()
        #expect(failing?["failed"] as? Bool == true && failing?["failed_because"] as? [String] == ["undecided"])
        #expect(failing?["worse"] as? Bool == false && failing?["undecided"] as? Bool == true)
        let text = try #require(comparison.undecidedRemedy)
        #expect(comparison.table.contains("accept: cannot name them") && comparison.markdown.contains("allow"))
        let amounts = try #require(text.components(separatedBy: "allow: [\"").last)
        let entry = amounts.components(separatedBy: "\"]")[0]
        let rules = Comparison.Rules(allowances: [try Allowance(entry)])
        let decided = try Comparison(baseline: before, candidate: after, rules: rules)
        #expect(finding(decided)?.verdict == .same, "\(entry)")
    }

    @Test("one repeat decides nothing about a figure that varies, and says how many would")
    func oneRepeat() throws {
        let comparison = try Comparison(baseline: set([10]), candidate: set([20]))
        let finding = try #require(self.finding(comparison))
        #expect(finding.verdict == .undecided)
        #expect(finding.chance?.interval == nil && finding.chance?.p == nil && finding.chance?.detectable == nil)
        // Five a side have a smallest probability of 1 in 252, which is below 1 in 100.
        #expect(finding.chance?.repeatsNeeded == 5)
        #expect(comparison.table.contains("1 repeat finds no change; about 5 repeats would decide"))
    }

    @Test("figures without variation in three repeats gate exactly")
    func exact() throws {
        func candidate(_ count: Int) -> ResultSet {
            set(Array(repeating: 10, count: count)) { $0.tiers.originBytes += 21 }
        }
        // 2,021 instead of 2,000 bytes: more than 1 %.
        let three = try Comparison(baseline: set([10, 10, 10]), candidate: candidate(3))
        #expect(three.failures.map(\.metric) == ["origin_bytes"])
        #expect(finding(three, "origin_bytes")?.chance == nil)
        let two = try Comparison(baseline: set([10, 10]), candidate: candidate(2))
        #expect(finding(two, "origin_bytes")?.verdict == .undecided)
    }

    @Test("wrong pictures are a defect, also in one repeat")
    func defects() throws {
        let comparison = try Comparison(
            baseline: set([10]),
            candidate: set([10]) {
                $0.counts.failed -= 1
                $0.counts.wrong += 1
            })
        #expect(comparison.failures.map(\.metric) == ["wrong"])
    }

    @Test("the correction covers all figures that vary: 1 in 252 is not enough for three of them")
    func correction() throws {
        func varying(_ shift: Double) -> ResultSet {
            var all = set([])
            for cache in ["a", "b", "c"] { all.runs += set(steady.map { $0 + shift }, cache: cache).runs }
            return all
        }
        // 3 · 1/252 = 0.012, more than 0.01.
        let comparison = try Comparison(baseline: varying(0), candidate: varying(1))
        #expect(comparison.judgements.filter { $0.metric == "latency_p99_us" }.allSatisfy { $0.verdict == .undecided })
        let p = comparison.judgements.compactMap(\.chance?.p)
        #expect(p.count == 3 && p.allSatisfy { abs($0 - 3.0 / 252) < 1e-9 })
    }

    @Test("a gate raises only alarms that new repeats confirm")
    func confirmation() throws {
        let gate = SequentialGate(mostRepeats: 10)
        #expect(gate.looks == [5, 8, 10])
        let (fast, slow) = (set(steady), set(steady.map { $0 + 1 }))
        let first = try gate.look(baseline: fast, candidate: slow, rules: .init())
        #expect(SequentialGate.alarmed(first) == [.init(trace: "feed", cache: "lru")])
        let confirmed = try SequentialGate.confirm(first, baseline: fast, candidate: slow, rules: .init())
        #expect(confirmed.failures.map(\.metric) == ["latency_p99_us"])
        let refuted = try SequentialGate.confirm(first, baseline: fast, candidate: fast, rules: .init())
        #expect(!refuted.hasWorsened)
        #expect(refuted.undecided.map(\.metric) == ["latency_p99_us"])
        #expect(refuted.warnings == ["feed, lru: latency_p99_us raised an alarm, and new repeats did not confirm it"])
    }

    /// Counts the failing comparisons of simulated repeats with a coefficient of variation of 8 %.
    private func failures(of trials: Int, repeats: Int, change: Double) throws -> Int {
        var random = Noise(seed: UInt64(repeats))
        var count = 0
        for _ in 0..<trials {
            let before = set((0..<repeats).map { _ in 10 * random.factor(0.08) })
            let after = set((0..<repeats).map { _ in 10 * change * random.factor(0.08) })
            if try Comparison(baseline: before, candidate: after).hasWorsened { count += 1 }
        }
        return count
    }

    @Test("of 300 comparisons of equal sides, at most 9 raise an alarm; of 100 with +20 % in ten repeats, 95 do")
    func errorRates() throws {
        // Seeded. With an error of 1 %, more than 9 of 300 have a probability of 0.1 %.
        #expect(try failures(of: 300, repeats: 10, change: 1) <= 9)
        #expect(try failures(of: 100, repeats: 10, change: 1.2) >= 95)
        #expect(try failures(of: 100, repeats: 20, change: 1.1) >= failures(of: 100, repeats: 10, change: 1.1))
    }
}
