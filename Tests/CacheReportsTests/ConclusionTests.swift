import Basics
import ReplayEngine
import Runs
import Testing

@testable import CacheReports

/// Sentences that follow from figures worked out by hand. The suite on fleets has more.
@Suite("Conclusions")
struct ConclusionTests {
    static let noBlank =
        """
        These sessions cannot tell caches apart: no cell is blank with any cache. A slower network, such as \
        --network 3g, would tell more.
        """

    static let oneSession: [Situation] = [
        Situation(
            "one winner", "feed: a 30 1, b 20 3, c 90 0.5",
            """
            b leaves the least blank time on feed: 2.0% of the visible time. The next, a, is 1.0 points behind: 3.0% \
            against 2.0%.
            """,
            """
            b holds up to 3 MB in memory. With less, a comes closest: it holds up to 1 MB in memory, and is 1.0 points \
            behind.
            """),
        Situation(
            "two tie, one does not", "feed: a 21.4, b 20.6, c 30",
            """
            a and b tie on feed, so stay with the one you have. They leave 2.1% of the visible time blank. The next, \
            c, is 0.9 points behind: 3.0% against 2.1%.
            """, "Each holds up to 1 MB in memory."),
        // c has 0.17 points more than a, and 0.09 more than b, which is a tie.
        Situation(
            "less memory ties with a winner", "feed: a 20 10, b 20.8 5, c 21.7 1",
            """
            a and b tie on feed, and differ in peak memory (5 MB to 10 MB). They leave 2.0% to 2.1% of the visible \
            time blank. The next, c, is 0.2 points behind: 2.2% against 2.0%.
            """,
            """
            Of these, b holds up to 5 MB in memory; a holds up to 10 MB in memory. With less, c comes closest: it \
            holds up to 1 MB in memory, and ties with b.
            """),
        Situation(
            "the tolerance is inclusive", "feed: a 200, b 201, c 201.1",
            """
            a and b tie on feed, so stay with the one you have. They leave 20.0% to 20.1% of the visible time blank. \
            The next, c, is 0.1 points behind: 20.1% against 20.0%.
            """),
        Situation(
            "flat", "feed: a 1.0, b 1.4",
            "Stay with what you have: both caches tie on feed. They leave 0.1% of the visible time blank."),
        Situation("no blank time", "feed: a 0, b 0", noBlank),
        Situation(
            "one cache", "feed: a 42",
            "a leaves 4.2% of the visible time blank on feed. There is no other cache to compare it with."),
        Situation(
            "zero memory is as good", "feed: plain 20 287, disk-only 20 0",
            """
            By blank time, both caches tie on feed. They leave 2.0% of the visible time blank, and differ in peak \
            memory (0 B to 287 MB).
            """,
            "Of these, disk-only holds nothing in memory; plain holds up to 287 MB in memory."),
        Situation(
            "five tie: two names, and a number", "feed: a 20, b 20, c 20, d 20, e 20, f 50",
            """
            a, b and 3 more tie on feed, so stay with the one you have. They leave 2.0% of the visible time blank. The \
            next, f, is 3.0 points behind: 5.0% against 2.0%.
            """),
        Situation(
            "almost all of the time is blank", "feed: a 999.9, b 500",
            """
            b leaves the least blank time on feed: 50.0% of the visible time. The next, a, is 50.0 points behind: \
            >99.9% against 50.0%.
            """),
        Situation(
            "memory does not tie beyond 1 %", "feed: a 20 100, b 20 101.1",
            "Stay with what you have: both caches tie on feed. They leave 2.0% of the visible time blank.",
            "Of these, a holds up to 100 MB in memory; b holds up to 101 MB in memory."),
        Situation(
            "a larger tolerance", "feed: a 20, b 24", threshold: "0.5",
            "Stay with what you have: both caches tie on feed. They leave 2.0% to 2.4% of the visible time blank."),
        Situation(
            "no tolerance", "feed: a 20, b 20.4", threshold: "0,0%",
            """
            a leaves the least blank time on feed: 2.0% of the visible time. The next, b, is 0.04 points behind: 2.04% \
            against 2.00%.
            """),
    ]

    static let special: [Situation] = [
        Situation(
            "a cache with wrong pictures is no answer", "feed: bad 10 1 !7, good 20, other 30",
            """
            good leaves the least blank time on feed: 2.0% of the visible time. The next, other, is 1.0 points behind: \
            3.0% against 2.0%.
            """, "good holds up to 1 MB in memory.",
            """
            bad shows wrong pictures: 7 of 100 requests on feed got the picture of another key, so no answer names it.
            """),
        Situation(
            "wrong pictures leave one cache", "feed: bad 10 1 !7, good 20",
            "good leaves 2.0% of the visible time blank on feed. There is no other cache to compare it with."),
        Situation(
            "a cache above the budget is no answer", "feed: a 10 80, b 20 60, c 30 1",
            budgets: ["memory_peak_bytes<64MB"],
            """
            b leaves the least blank time on feed: 2.0% of the visible time. The next, c, is 1.0 points behind: 3.0% \
            against 2.0%.
            """,
            """
            b holds up to 60 MB in memory. With less, c comes closest: it holds up to 1 MB in memory, and is 1.0 \
            points behind.
            """),
        Situation(
            "nothing fits into the budget", "one: a 10 80, b 20 70; two: a 10 66, b 20 75",
            budgets: ["memory_peak_bytes<64MB"],
            "No cache keeps memory_peak_bytes<64MB. b comes closest: 75 MB on two."),
        Situation(
            "each cache breaks another budget", "feed: a 10 80, b 20 60",
            budgets: ["memory_peak_bytes<64MB", "blank_ratio<1.5%"],
            "No cache keeps memory_peak_bytes<64MB and blank_ratio<1.5% together."),
        Situation(
            "the worst model of an NSCache counts", "feed: ns 10, ns[fifo] 30, a 20",
            """
            a leaves the least blank time on feed: 2.0% of the visible time. The next, ns, is 1.0 points behind: 3.0% \
            against 2.0%.
            """),
        Situation(
            "instant: hits decide", "instant feed: a 40, b 60",
            """
            b has the most hits on feed: 60.0% of the requests. The next, a, is 20.0 points behind: 40.0% against 60.0%.
            """),
        Situation(
            "instant: nothing fits", "instant feed: a 0, b 0",
            """
            These sessions cannot tell caches apart: no cache answers a request. Nothing is asked for twice, or \
            nothing fits.
            """),
        // The medians are 102 and 110, and the repeats of a are 10 apart.
        Situation(
            "measured: within the spread of the repeats", "measured feed: a 100/102/110, b 110/110/110",
            """
            Stay with what you have: the repeats cannot tell both caches apart on feed. They leave 10.2% to 11.0% of \
            the visible time blank.
            """),
        Situation(
            "measured: single runs beyond 5 %", "measured feed: a 100, b 106",
            """
            a leaves the least blank time on feed: 10.0% of the visible time. The next, b, is 0.6 points behind: 10.6% \
            against 10.0%.
            """),
        // The spread of b is 9 points. Every median of drawn repeats of b is above every one of a.
        Situation(
            "measured: an outlier of five repeats", "measured feed: a 100/101/102/103/104, b 110/111/112/113/200",
            """
            a leaves the least blank time on feed: 10.2% of the visible time. The next, b, is 1.0 points behind: 11.2% \
            against 10.2%.
            """),
        Situation(
            "measured: an interval that contains 0", "measured feed: a 100/105/110/115/120, b 102/107/112/117/122",
            """
            Stay with what you have: the repeats cannot tell both caches apart on feed. They leave 11.0% to 11.2% of \
            the visible time blank.
            """),
    ]

    static let sessions: [Situation] = [
        Situation(
            "a winner, and a rival that ties on two",
            "one: a 10, b 10.5, c 90; two: a 10, b 10.5, c 90; three: a 10, b 20, c 90",
            """
            a leaves the least blank time on all 3 sessions. The next, b, ties on 2 of them, and is at most 1.0 points \
            behind, on three, where a is best: 2.0% against 1.0%.
            """),
        Situation(
            "no cache is best everywhere", "one: a 10, b 20; two: a 10, b 20; three: a 50, b 20",
            """
            No cache is best on all 3 sessions. b comes closest, at most 1.0 points behind, on one, where a is best: \
            2.0% against 1.0%.
            """),
        Situation(
            "two groups", "one: a 10, b 50; two: a 50, b 10",
            """
            No cache is best on both sessions. a and b come closest, each at most 4.0 points behind, on two, where b \
            is best: 5.0% against 1.0%.
            """),
        Situation(
            "sessions and networks", "feed@3g: a 10, b 20; feed@lte: a 10, b 20; grid@lte: a 10, b 20",
            """
            a leaves the least blank time on all 3 pairs of session and network. The next, b, is at most 1.0 points \
            behind, on feed over 3g, where a is best: 2.0% against 1.0%.
            """),
        Situation(
            "no cache has all sessions", "one: a 10, b 20; two: a 10; three: b 10",
            "These sessions cannot tell caches apart: no cache has figures on all 3 sessions."),
        Situation(
            "a cache without all sessions is no answer", "one: a 10, b 20, c 5; two: a 10, b 20",
            """
            No cache is best on both sessions. a comes closest, at most 0.5 points behind, on one, where c is best: \
            1.0% against 0.5%.
            """),
        Situation(
            "memory on several sessions", "one: a 10 3, b 20 1; two: a 10 5, b 20 1",
            """
            a leaves the least blank time on both sessions. The next, b, is at most 1.0 points behind, on one, where a \
            is best: 2.0% against 1.0%.
            """,
            """
            a holds up to 5 MB in memory on two. With less, b comes closest: it holds up to 1 MB in memory on one, and \
            is 1.0 points behind at most, on one.
            """),
    ]

    static let sweeps: [Situation] = [
        Situation(
            "a flat curve has no knee", "feed: a+memory=8MB 4, a+memory=16MB 4, a+memory=64MB 4",
            "a leaves 0.4% of the visible time blank on feed, whatever its memory.",
            "memory=8MB (0.4%) is enough for a, and the smallest tried: more gains nothing."),
        Situation(
            "a limit is enough",
            "feed: a+memory=64MB 100, a+memory=unlimited 100, a+memory=16MB 120, a+memory=32MB 101",
            "a leaves 10.0% to 12.0% of the visible time blank on feed, depending on its memory.",
            """
            memory=32MB (10.1%) is enough for a: memory=16MB costs 1.9 points of blank time, and more gains at most \
            0.1 points.
            """),
        // 16 MB has 0.09 points more than 32 MB, which is a tie, and 0.17 more than 64 MB.
        Situation(
            "a limit that is not enough costs more than the tolerance",
            "feed: a+memory=16MB 101.7, a+memory=32MB 100.8, a+memory=64MB 100",
            "a leaves 10.0% to 10.2% of the visible time blank on feed, depending on its memory.",
            """
            memory=32MB (10.1%) is enough for a: memory=16MB costs 0.2 points of blank time against memory=64MB, and \
            more gains at most 0.08 points.
            """),
        Situation(
            "the libraries and the limits tie",
            "feed: a+memory=8MB 61, a+memory=64MB 61.3, b+memory=8MB 62, b+memory=64MB 61.6",
            """
            Stay with what you have: both caches tie on feed, each with its best value. They leave 6.1% to 6.2% of the \
            visible time blank.
            """, "No difference that counts: the cache and memory, at most 0.1 points.",
            """
            memory=8MB (6.1%) is enough for a, and the smallest tried: more gains nothing. memory=8MB (6.2%) is enough \
            for b, and the smallest tried: more gains at most 0.04 points.
            """),
        Situation(
            "one parameter makes the difference",
            """
            feed: a+prefetch=0+connections=6 73, a+prefetch=0+connections=12 73, a+prefetch=2+connections=6 41, \
            a+prefetch=2+connections=12 41.5
            """,
            "a leaves 4.1% to 7.3% of the visible time blank on feed, depending on its prefetch and connections.",
            """
            What makes the difference: prefetch, up to 3.2 points (7.3% with a prefetch=0 connections=6, 4.1% with a \
            prefetch=2 connections=6).
            """, "No difference that counts: connections, at most 0.05 points."),
        Situation(
            "a parameter, and not the library",
            "feed: a+order=fifo 50, a+order=lifo 37, b+order=fifo 51, b+order=lifo 37.8",
            """
            Stay with what you have: both caches tie on feed, each with its best value. They leave 3.7% to 3.8% of the \
            visible time blank.
            """,
            """
            What makes the difference: order, up to 1.3 points (5.1% with b order=fifo, 3.8% with b order=lifo).
            """, "No difference that counts: the cache, at most 0.1 points."),
        Situation(
            "a limit on several sessions",
            "one: a+memory=8MB 30, a+memory=16MB 20; two: a+memory=8MB 10, a+memory=16MB 10",
            "a leaves 1.0% to 3.0% of the visible time blank on both sessions, depending on its memory.",
            "Nothing below memory=16MB is enough for a: memory=8MB costs 1.0 points of blank time on one."),
        Situation(
            "a sweep counts the worst model of an NSCache",
            "feed: b+memory=16MB 100.5, b+memory=16MB[fifo] 105, b+memory=32MB 100, b+memory=64MB 100",
            "b leaves 10.0% to 10.5% of the visible time blank on feed, depending on its memory.",
            """
            memory=32MB (10.0%) is enough for b: memory=16MB costs 0.5 points of blank time, and more gains nothing.
            """),
    ]

    @Test(
        "sentences follow from figures that were worked out by hand",
        arguments: oneSession + special + sessions + sweeps)
    func situations(_ situation: Situation) {
        let conclusions = situation.conclusions
        let texts = conclusions.filter { ![.limits, .basis].contains($0.subject) }.map(\.text)
        #expect(Array(texts.prefix(situation.says.count)) == situation.says)
        // One finding of each subject, in the order of the subjects.
        let subjects = conclusions.map(\.subject)
        #expect(Finding.Subject.ofReplays.filter { subjects.contains($0) } == subjects)
        #expect(conclusions.last?.subject == .basis)
    }

    @Test("what was not tried, and what cannot be said, has no sentence")
    func silence() {
        func subjects(_ text: String) -> [Finding.Subject] { Situation("", text).conclusions.map(\.subject) }
        #expect(subjects("feed: a 30, b 20") == [.best, .memory, .basis])
        #expect(subjects("feed: a+policy=lru 30, a+policy=sieve 20") == [.best, .basis])
        #expect(subjects("feed: a 30 1 idle, b 20") == [.best, .memory, .limits, .basis])
        #expect(Situation("", "feed: a 9", budgets: ["hit_ratio>90%"]).conclusions.map(\.subject) == [.best, .basis])
        #expect(ResultSet([], source: "x").conclusions.isEmpty)
    }

    @Test("limits that were not reached, scripted sessions, and what to record next have sentences")
    func caveats() {
        var runs = Situation.runs("feed: bad 10 1 idle, good 20")
        for place in runs.indices { runs[place].notes = [.sessionScripted] }
        func text(_ runs: [RunResult], _ subject: Finding.Subject) -> String? {
            ResultSet(runs, source: "x").conclusions.first { $0.subject == subject }?.text
        }
        #expect(
            text(runs, .limits) == """
                No limit of bad was reached on this session: nothing was evicted, so the figures say nothing about \
                smaller limits. Try some, such as --sweep memory=8MB..64MB.
                """)
        #expect(
            text(runs, .basis) == """
                These figures rest on modelled durations and recorded fetch times, and on one run of each cache. The \
                session comes from a scripted browser, not from a person. Sessions of people would tell what they see.
                """)
        #expect(
            text(Situation.runs("feed: a+memory=8MB 10 1 idle, a+memory=9MB 10 1 idle"), .limits) == """
                No limit of any cache was reached on this session: nothing was evicted, so the figures say nothing \
                about smaller limits.
                """)
        let recorded = text(Situation.runs("instant feed: a 10, b 20"), .basis)
        #expect(
            recorded == """
                These figures rest on no durations at all (instant timing), and on one run of each cache. Sessions of \
                more users would tell for how many of them this holds.
                """)
    }

    @Test("findings name the caches whose timelines a report keeps")
    func names() {
        let conclusions = Situation("", "feed: a 30 1, b 20 3, c 90 0.5").conclusions
        #expect(conclusions.map(\.caches) == [["b", "a"], ["b", "a"], []])
        let flat = Situation("", "feed: a 4, b 4, c 4, d 4, e 4").conclusions
        #expect(flat[0].caches == ["a", "b", "c"])
    }
}
