import ReplayEngine
import Testing

@testable import CacheReports

@Suite("Conclusions")
struct ConclusionTests {
    /// A run with the figures that conclusions read. Blank time is in thousandths of the visible time.
    private func run(
        _ cache: String, trace: String = "feed", blank: Double, peak: Int64 = 1_000_000, evictions: Int = 5,
        wrong: Int = 0, repetition: Int = 1, timing: String = "modelled", hits: Int = 50,
        swept: SweptValue? = nil, base: String? = nil
    ) -> RunResult {
        var run = RunResult(
            identity: RunIdentity(
                trace: trace, cache: cache, specification: "", repetition: repetition, seed: 1, timing: timing))
        (run.identity.base, run.identity.swept) = (base, swept.map { [$0] })
        run.blank.visibleTime = 1_000_000
        run.blank.blankTime = blank * 1_000
        run.tiers.memoryPeakBytes = peak
        run.tiers.memoryEvictions = evictions
        run.counts.memoryHits = hits
        run.counts.originFetches = 100 - hits - wrong
        run.counts.wrong = wrong
        return run
    }

    private func texts(_ runs: [RunResult]) -> [Finding.Subject: String] {
        let conclusions = ResultSet(runs, source: "x").conclusions
        #expect(conclusions.count <= 5)
        return Dictionary(uniqueKeysWithValues: conclusions.map { ($0.subject, $0.text) })
    }

    @Test("the cache with the least blank time, the next one, and the closest with less memory")
    func single() {
        let texts = texts([
            run("a", blank: 30, peak: 1_000_000), run("b", blank: 20, peak: 3_000_000),
            run("c", blank: 90, peak: 500_000),
        ])
        #expect(texts[.best] == "Least blank time on feed: b, with 2.0% of the visible time. The next, a, has 3.0%.")
        #expect(
            texts[.memory] == """
                b needs 3 MB of memory at its peak. With less, a comes closest: 1.0 points more blank time, with 1 MB.
                """)
        #expect(texts[.wrongPictures] == nil && texts[.limits] == nil)
    }

    @Test("exact figures tie up to 0.1 points, and no winner is named within them")
    func ties() {
        #expect(
            texts([run("a", blank: 21.4), run("b", blank: 20.6), run("c", blank: 30)])[.best]
                == "Least blank time on feed: a and b, which tie, with 2.1% of the visible time. The next, c, has 3.0%."
        )
        // 201 differs from 200 by 0.1 points, 201.1 by more.
        #expect(
            texts([run("a", blank: 200), run("b", blank: 201), run("c", blank: 201.1)])[.best]?
                .hasPrefix("Least blank time on feed: a and b, which tie, with 20.0%") == true)
        #expect(
            texts([run("a", blank: 1.0), run("b", blank: 1.4)])[.best]?.hasPrefix("Both caches tie on feed") == true)
    }

    @Test("memory ties within 1 %")
    func memoryTies() {
        func memory(_ peak: Int64) -> String? {
            texts([run("a", blank: 20, peak: 1_000_000), run("b", blank: 20, peak: peak)])[.memory]
        }
        #expect(memory(1_010_000) == "Each needs 1 MB of memory at its peak.")
        #expect(memory(1_011_000)?.hasPrefix("The least memory for that: a, with a peak of 1 MB; b needs") == true)
    }

    @Test("several traces: a cache that ties with the best one on most of them is named, with the largest difference")
    func rival() {
        let conclusions = ResultSet(
            ["one", "two", "three"].flatMap { trace in
                [
                    run("a", trace: trace, blank: 10), run("b", trace: trace, blank: trace == "three" ? 20 : 10.5),
                    run("c", trace: trace, blank: 90),
                ]
            }, source: "x"
        ).conclusions
        #expect(
            conclusions.first?.text == """
                Least blank time on all 3 traces: a. b ties with it on 2; on three, it has 2.0% of the visible time, \
                and a 1.0%.
                """)
        #expect(conclusions.first?.caches == ["a", "b"])
    }

    @Test("measured figures tie within the spread of their repeats; those of single runs within 5 %")
    func measuredTies() {
        func runs(_ cache: String, _ blanks: [Double]) -> [RunResult] {
            blanks.enumerated().map {
                run(cache, blank: $0.element, repetition: $0.offset + 1, timing: "measured")
            }
        }
        // The medians are 102 and 110, and the repeats of a are 10 apart.
        #expect(texts(runs("a", [100, 102, 110]) + runs("b", [110, 110, 110]))[.best]?.hasPrefix("Both") == true)
        #expect(
            texts(runs("a", [101, 102, 103]) + runs("b", [110, 110, 110]))[.best]?.contains("on feed: a,") == true)
        #expect(texts(runs("a", [100]) + runs("b", [104]))[.best]?.hasPrefix("Both") == true)
        #expect(texts(runs("a", [100]) + runs("b", [106]))[.best]?.contains("on feed: a,") == true)
    }

    @Test("several traces: how often a cache is best, and where it is most behind")
    func traces() {
        let texts = texts([
            run("a", trace: "one", blank: 10), run("b", trace: "one", blank: 20),
            run("a", trace: "two", blank: 10), run("b", trace: "two", blank: 20),
            run("a", trace: "three", blank: 50), run("b", trace: "three", blank: 20),
        ])
        #expect(
            texts[.best] == """
                Least blank time on 2 of 3 traces: a. On three, b has 2.0% of the visible time, and a 5.0%.
                """)
    }

    @Test("several networks: each is ranked by itself, and named")
    func networks() {
        func runs(_ trace: String, _ blank: [String: [Double]]) -> [RunResult] {
            blank.sorted { $0.key < $1.key }.flatMap { network, blanks in
                zip(["a", "b"], blanks).map { cache, blank in
                    var run = run(cache, trace: trace, blank: blank)
                    run.identity.network = network
                    return run
                }
            }
        }
        // In the mean of all networks, b would be best.
        let one = texts(runs("feed", ["3g": [10, 20], "lte": [10, 20], "wifi": [90, 20]]))
        #expect(
            one[.best] == """
                Least blank time on 2 of 3 networks: a. On feed over wifi, b has 2.0% of the visible time, and a 9.0%.
                """)
        #expect(one[.basis]?.contains("the 3g, lte and wifi network") == true)
        let two = texts(runs("feed", ["3g": [10, 20], "lte": [10, 20]]) + runs("grid", ["lte": [10, 20]]))
        #expect(two[.best] == "Least blank time on all 3 pairs of trace and network: a.")
    }

    @Test("instant timing has no waits, so hits decide")
    func instant() {
        let texts = texts([
            run("a", blank: 0, timing: "instant", hits: 40), run("b", blank: 0, timing: "instant", hits: 60),
        ])
        #expect(texts[.best] == "Most hits on feed: b, with 60.0% of the requests. The next, a, has 40.0%.")
        #expect(texts[.basis]?.contains("no durations at all") == true)
    }

    @Test("wrong pictures, limits that were not reached, and scripted sessions have sentences")
    func caveats() {
        var bad = run("bad", blank: 10, evictions: 0, wrong: 7)
        bad.notes = [.sessionScripted]
        var good = run("good", blank: 20)
        good.notes = [.sessionScripted]
        let texts = texts([bad, good])
        #expect(
            texts[.wrongPictures] == """
                bad shows wrong pictures: 7 of 100 requests on feed got the picture of another key.
                """)
        #expect(
            texts[.limits] == """
                No limit of bad was reached on this trace: nothing was evicted, so the figures say nothing about \
                smaller limits.
                """)
        #expect(
            texts[.basis] == """
                These figures rest on modelled durations and the recorded network, and on one run of each cache. The \
                session comes from a scripted browser, not from a person.
                """)
    }

    @Test("a sweep: the smallest value within 0.1 points of the least blank time; the worst model of an NSCache counts")
    func sweep() {
        func swept(_ base: String, _ value: String, _ blank: Double, model: String = "") -> RunResult {
            run(
                "\(base) memory=\(value)\(model)", blank: blank, swept: SweptValue(parameter: "memory", value: value),
                base: base)
        }
        let texts = texts([
            swept("a", "16MB", 120), swept("a", "unlimited", 100), swept("a", "32MB", 101), swept("a", "64MB", 100),
            swept("b", "16MB", 100.5), swept("b", "16MB", 105, model: " [fifo]"), swept("b", "32MB", 100),
        ])
        #expect(
            texts[.memory] == """
                The smallest values whose blank time is within 0.1 points of the lowest in each sweep: a memory=32MB \
                (10.1%), \
                b memory=32MB (10.0%).
                """)
    }
}
