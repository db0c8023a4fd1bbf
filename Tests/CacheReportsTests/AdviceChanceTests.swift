import Basics
import ReplayEngine
import Testing

@testable import Advising
@testable import CacheReports
@testable import Runs

@Suite("Advice of few people")
struct AdviceChanceTests {
    private func advice(_ users: [[Double]], _ change: (inout Advice.Question) -> Void = { _ in }) -> Advice {
        let candidates = ["a", "b"].map { Advice.Candidate(cache: $0, limit: 100, name: $0) }
        var question = Advice.Question(budget: 100)
        change(&question)
        return Advice(.blank(["a", "b"], users), candidates, question, seed: 1, threads: 1)
    }

    private func answer(_ advice: Advice) -> String? { advice.findings.first?.text }

    private func repeated(_ count: Int, _ blanks: [Double]) -> [[Double]] { Array(repeating: blanks, count: count) }

    @Test("Of three people who all have less with a cache, the answer is that cache")
    func unanimous() {
        #expect(
            answer(advice(repeated(3, [10, 20]))) == """
                Use a with memory: 100 B: cells are blank for 1.0% of the visible time. The next, b, has 1.0 points \
                more; 3 of 3 sessions have less with a.
                """)
    }

    @Test("A smaller mean is no answer if the people do not agree on it")
    func disagreement() {
        // The means are (2 · 10 + 20) / 3 = 13.3 and (2 · 30 + 10) / 3 = 23.3.
        let three = repeated(2, [10, 30]) + [[20, 10]]
        let advice = advice(three)
        #expect(advice.ties == 2 && advice.runnerUp == nil)
        #expect(
            answer(advice) == """
                These sessions cannot tell a and b apart with memory: 100 B: cells are blank for 1.3% to 2.3% of the \
                visible time. Stay with the one that you have.
                """)
        let kept = self.advice(three) { $0.keep = "b" }
        #expect(
            answer(kept) == """
                Stay with b: these sessions cannot tell a from it at memory: 100 B, where cells are blank for 1.3% to \
                2.3% of the visible time.
                """)
        #expect(kept.switchGain == nil)
        // A person for whom both tie does not agree either.
        #expect(self.advice(repeated(2, [10, 30]) + [[10, 10]]).ties == 2)
    }

    @Test("What a switch gains is counted from the least figure, not from a cache that ties with the kept one too")
    func switching() throws {
        // b has 0.08 points more than a, and c 0.17 more than a, but only 0.09 more than b.
        let names = ["b", "a", "c"]
        let candidates = names.map { Advice.Candidate(cache: $0, limit: 100, name: $0) }
        var question = Advice.Question(budget: 100)
        question.keep = "c"
        let advice = Advice(.blank(names, [[100.8, 100, 101.7]]), candidates, question, seed: 1, threads: 1)
        #expect(advice.rows.map(\.cache) == names && advice.ties == 2)
        #expect(abs(try #require(advice.switchGain).difference - 0.0017) < 1e-9)
        #expect(
            answer(advice) == """
                a (b ties with it) in place of c would gain 0.2 points, with memory: 100 B: cells are blank for 10.0% \
                of the visible time, and with c 10.2%.
                """)
    }

    @Test("From six people on, the sign test decides, for the cache with the smaller mean only")
    func signTest() {
        // Six of six coins show heads with a probability of 1 in 64, five or more with 7 in 64.
        #expect(advice(repeated(6, [10, 20])).ties == 1)
        #expect(advice(repeated(5, [10, 20]) + [[40, 10]]).ties == 2)
        // Eight or more of nine: 10 in 512.
        #expect(advice(repeated(8, [10, 20]) + [[20, 10]]).ties == 1)
        // 22 of 24 have less with a, but its mean is 25.8, and that of b 19.2.
        #expect(advice(repeated(22, [10, 20]) + repeated(2, [200, 10])).ties == 2)
        // Bytes have no interval of 60 people: 30 fetch less with a, and 30 more.
        let halves = repeated(30, [100, 50]) + repeated(30, [100, 200])
        #expect(advice(halves) { $0.objective = .bytes }.ties == 2)
    }

    @Test("A lever that gains in the mean, but not for each of few people, is one that the sessions cannot tell")
    func levers() throws {
        let known = try CacheConfiguration("lru(100MB)").levers(for: Lever.Sessions())
        /// The gain of a lever of a cache with 10 % of blank time.
        func gain(_ setting: String, _ blanks: [Double]) throws -> LeverGain {
            let lever = try #require(known.first { $0.setting.text == setting })
            return try #require(
                LeverGain(
                    lever, .init(cache: "a", limit: 100, name: "a"), .init(cache: "a", limit: 100, name: setting),
                    Advice.Question(), .blank(["a", setting], blanks.map { [100, $0] }), seed: 1))
        }
        var advice = advice(repeated(3, [100, 200]))
        // Of a gain of 40 for one of three, the mean is 13.3. The last one loses 10.3.
        advice.levers = [
            try gain("prefetch=rows(2)", [68, 68, 68]), try gain("order=lifo", [60, 100, 100]),
            try gain("cancelOnDisappear=true", [100, 100, 100]), try gain("connectionsPerHost=12", [130, 100, 101]),
        ]
        #expect(advice.levers.map(\.isRelevant) == [true, false, false, false])
        #expect(
            advice.findings.map(\.text)[1...3] == [
                "What gains most with a: two rows prefetched (3.2 points).",
                "These sessions cannot tell about the newest cell first (1.3 points).",
                "No difference that counts: downloads cancelled.",
            ])
        let open = try #require(advice.findings[2].evidence.first)
        #expect(open.cache == "a order=lifo" && abs(open.value - 0.26 / 3) < 1e-9)
        #expect(!advice.document(details: false).plain().contains("the newest cell first  cache"))
        advice.levers = [advice.levers[1]]
        #expect(
            advice.findings.map(\.text)[1...2] == [
                "No single change of a or of its app gains more than 0.1 points beyond chance.",
                "These sessions cannot tell about the newest cell first (1.3 points).",
            ])
    }

    @Test("Rules that are better in the mean are those of the answer only if the people agree on it")
    func rules() {
        let lifo = [SweptValue(parameter: "order", value: "lifo")]
        let candidates = [
            Advice.Candidate(cache: "a", limit: 100, name: "a"),
            Advice.Candidate(cache: "a", limit: 100, changes: lifo, name: "a lifo"),
        ]
        for (blanks, isBetter) in [([60.0, 98, 98], true), ([60, 100, 100], false)] {
            let advice = Advice(
                .blank(["a", "a lifo"], blanks.map { [100, $0] }), candidates, .init(budget: 100), seed: 1, threads: 1)
            #expect(advice.rows.map(\.changes) == [isBetter ? lifo : []])
            #expect((advice.changeGain != nil) == isBetter)
        }
    }
}
