import Testing

@testable import CacheReports
@testable import Runs

/// Users whose blank time a test works out by hand, in thousandths of the visible time, by cache.
struct FleetSituation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var users: [[Double]]
    /// The first sentences.
    var says: [String]

    init(_ name: String, _ users: [[Double]], _ says: String...) {
        (testDescription, self.users, self.says) = (name, users, says)
    }

    var statistics: FleetStatistics {
        let caches = Array(["one", "two", "three"].prefix(users[0].count))
        return .of(caches, users: users.count) { cache, user in
            let blank = users[user][caches.firstIndex(of: cache) ?? 0]
            return FleetSamples.run("s", cache, peak: 5_000_000, blank: blank, visible: 1_000)
        }
    }
}

@Suite("Conclusions on users")
struct FleetConclusionTests {
    /// Returns groups of so many users, each with these blank times.
    private static func users(_ groups: (count: Int, blanks: [Double])...) -> [[Double]] {
        groups.flatMap { Array(repeating: $0.blanks, count: $0.count) }
    }

    static let situations: [FleetSituation] = [
        FleetSituation(
            "one user", [[20, 30]],
            "one leaves the least blank time: 2.0% of the visible time. The next, two, leaves 1.0 points more.",
            "one holds up to 5 MB in memory.",
            """
            These figures rest on 1 session of 1 user, who says nothing about others. Sessions of 50 users give an \
            interval of the blank time.
            """),
        // Of three coins, all show heads with a probability of 1 in 8.
        FleetSituation(
            "three users cannot tell", users((3, [10, 20])),
            """
            These users cannot tell both caches apart. They leave 1.0% to 2.0% of the visible time blank in the mean \
            over 3 users.
            """, "3 of 3 users have less blank time with one than with two, and none has more."),
        // The mean of one is (22 · 10 + 2 · 30) / 24 = 11.7.
        FleetSituation(
            "22 of 24 users", users((22, [10, 20]), (2, [30, 20])),
            """
            one leaves the least blank time: 1.2% of the visible time in the mean over 24 users. The next, two, leaves \
            0.8 points more.
            """, "22 of 24 users have less blank time with one than with two, and 2 have more.",
            "one holds up to 5 MB in memory for half of the users."),
        // The mean of one is (22 · 10 + 2 · 200) / 24 = 25.8, that of two (22 · 20 + 2 · 10) / 24 = 19.2.
        FleetSituation(
            "22 of 24 users, against the mean", users((22, [10, 20]), (2, [200, 10])),
            """
            These users cannot tell both caches apart. They leave 1.9% to 2.6% of the visible time blank in the mean \
            over 24 users.
            """, "2 of 24 users have less blank time with two than with one, and 22 have more."),
        // The mean of two is (39 · 10 + 500) / 40 = 22.25.
        FleetSituation(
            "a heavy tail", users((39, [10, 10]), (1, [10, 500])),
            """
            These users cannot tell both caches apart. They leave 1.0% to 2.2% of the visible time blank in the mean \
            over 40 users.
            """, "1 of 40 users has less blank time with one than with two, and none has more."),
        FleetSituation(
            "a hundred users who agree", users((100, [10, 20])),
            """
            one leaves the least blank time: 1.0% of the visible time in the mean over 100 users. The next, two, \
            leaves 1.0 points more.
            """, "100.0% of 100 users have less blank time with one than with two, and none has more.",
            "For one user in 20, one leaves at least 1.0% of the visible time blank.",
            "one holds up to 5 MB in memory for half of the users, and for 19 in 20.",
            """
            These figures rest on 100 sessions of 100 users, one of each. That is too few for intervals of the means \
            of fetched and peak mem. How much the sessions of one user differ is unknown.
            """),
        FleetSituation(
            "nothing to tell", users((3, [0, 0])),
            "These sessions cannot tell caches apart: no cell is blank, and memory answers no request."),
        FleetSituation(
            "two tie, one does not", users((30, [10, 10.8, 40])),
            """
            2 of 3 caches tie within 0.1 points: one and two. They leave 1.0% to 1.1% of the visible time blank in the \
            mean over 30 users, so stay with the one you have. The first cache behind them, three, leaves 3.0 points \
            more.
            """,
            """
            With three, 30 of 30 users have more blank time than with one, whose mean is the best, and none has less.
            """, "Of these, both tie in memory within 1 %. They hold up to 5 MB for half of the users."),
        FleetSituation(
            "all tie, and so do their tails", users((100, [10, 10.8])),
            """
            Stay with what you have: both caches tie. They leave 1.0% to 1.1% of the visible time blank in the mean \
            over 100 users.
            """,
            """
            For one user in 20, both caches tie within 0.1 points. They leave at least 1.0% to 1.1% of the visible \
            time blank.
            """),
        // The mean of two is (90 · 10 + 10 · 113) / 100 = 20.3, and its 95th percentile 113.
        FleetSituation(
            "two tie, and their tails do not", users((90, [20, 10, 40]), (10, [20, 113, 40])),
            """
            2 of 3 caches tie within 0.1 points: one and two. They leave 2.0% of the visible time blank in the mean \
            over 100 users, so stay with the one you have. The first cache behind them, three, leaves 2.0 points more.
            """,
            """
            With three, 100.0% of 100 users have more blank time than with one, whose mean is the best, and none has \
            less.
            """,
            """
            For one user in 20, one leaves the least blank time: at least 2.0% of the visible time. The next, three, \
            leaves at least 4.0% of the visible time blank.
            """),
    ]

    @Test("sentences follow from figures that were worked out by hand", arguments: situations)
    func sentences(_ situation: FleetSituation) {
        let texts = situation.statistics.conclusions.map(\.text)
        #expect(Array(texts.prefix(situation.says.count)) == situation.says)
    }

    @Test("the amounts of sentences on users are those of their evidence")
    func amounts() {
        for situation in Self.situations {
            for finding in situation.statistics.conclusions where ![.basis, .users].contains(finding.subject) {
                #expect(ReadAmounts(finding.text).strangers(to: finding.evidence) == [], "\(finding.text)")
            }
        }
        for finding in FleetStatistics(FleetSamples.table(FleetSamples.fleet(users: 220)), seed: 5, threads: 1)
            .conclusions where ![.basis, .users].contains(finding.subject)
        {
            #expect(ReadAmounts(finding.text).strangers(to: finding.evidence) == [], "\(finding.text)")
        }
    }

    @Test("caches that tie are not called equal if they differ in memory or hitches, or do not fit into the device")
    func unlike() {
        /// 60 users. With `big`, user 0 has 7 GB of images on a device with 6 GB, and the others 100 MB. With `slow`,
        /// frames are late by 9 ms in each second.
        func statistics(slow: Int64, big: Int64, users: Int) -> FleetStatistics {
            .of(["plain", "slow", "big"], users: users) { cache, user in
                let peak = cache == "big" && user == 0 ? big : 100_000_000
                var run = FleetSamples.run("s", cache, peak: peak, blank: 10, visible: 1_000)
                run.mainLane = FleetSamples.hitches(cache == "slow" ? slow : 0, of: 2)
                run.deviceMemory = 6_000_000_000
                return run
            }
        }
        // The mean of big is (59 · 0.1 + 7) / 60 = 0.215 GB.
        let findings = statistics(slow: 9, big: 7_000_000_000, users: 60).conclusions
        #expect(
            findings.prefix(3).map(\.text) == [
                """
                All 3 caches tie in blank time. They leave 1.0% of the visible time blank in the mean over 60 users, \
                and differ in peak memory (100 MB to 215 MB) and in hitches (0 ms/s to 9 ms/s).
                """,
                """
                slow (9 ms) delays frames by so much in each second of scrolling: from 5 ms on people notice, and 10 \
                ms are critical. The others delay none.
                """,
                """
                With big, images take up more than the 6 GB of the device for 1 of 60 users, up to 7 GB: the system \
                ends the app before.
                """,
            ])
        // 72 users are enough for an interval of what one in 20 has, and 60 are not.
        #expect(!findings.contains { $0.subject == .tail })
        let alike = statistics(slow: 4, big: 140_000_000, users: 72).conclusions
        #expect(alike[0].text.hasPrefix("Stay with what you have: all 3 caches tie."))
        #expect(!alike.contains { $0.subject == .hitches || $0.subject == .deviceMemory })
        #expect(alike.contains { $0.subject == .tail })
    }

    @Test("the models of an NSCache are one cache, unless some of them tie and some do not")
    func models() throws {
        func answer(_ caches: [String], _ blanks: [Double]) -> String? {
            let figures = Dictionary(uniqueKeysWithValues: zip(caches, blanks))
            let statistics = FleetStatistics.of(caches, users: 30) { cache, _ in
                FleetSamples.run("s", cache, blank: figures[cache] ?? 0, visible: 1_000)
            }
            return statistics.conclusions.first?.headline
        }
        let caches = ["ns", "plain", "ns [fifo]", "far"]
        #expect(answer(caches, [10, 10, 10, 40]) == "2 of 3 caches tie within 0.1 points: ns and plain.")
        #expect(answer(caches, [10, 10, 30, 40]) == "2 of 4 caches tie within 0.1 points: ns and plain.")
        let alone = answer(caches, [10, 50, 10, 40])
        #expect(alone?.hasPrefix("ns leaves the least blank time: 1.0%") == true, "\(alone ?? "")")
    }

    @Test("of caches that tie, the sentence on memory names those that hold the least, and the first behind them")
    func memory() {
        func sentence(_ peaks: [Int64]) -> String? {
            let figures = Dictionary(uniqueKeysWithValues: zip(["one", "two", "three"], peaks))
            let findings = FleetStatistics.of(["one", "two", "three"], users: 30) { cache, _ in
                FleetSamples.run("s", cache, peak: figures[cache] ?? 0, blank: 10, visible: 1_000)
            }.conclusions
            for finding in findings where finding.subject == .memory {
                #expect(ReadAmounts(finding.text).strangers(to: finding.evidence) == [])
            }
            return findings.first { $0.subject == .memory }?.text
        }
        #expect(
            sentence([5_000_000, 5_040_000, 8_000_000]) == """
                Of these, 2 of 3 caches tie in memory within 1 %: one and two. They hold up to 5.04 MB for half of \
                the users. The first cache behind them, three, holds up to 8 MB for half of the users.
                """)
        #expect(
            sentence([9_000_000, 5_000_000, 8_000_000]) == """
                Of these, two holds the least: up to 5 MB in memory for half of the users. The next, three, holds up \
                to 8 MB for half of the users.
                """)
    }

    @Test("tables count few users, and have shares of many")
    func counts() throws {
        let statistics = FleetSituation("", Self.users((22, [10, 20]), (2, [30, 20]))).statistics
        let ranking = try #require(statistics.rankings.first)
        #expect(statistics.grid(ranking, { $0 }).rows.map { $0.suffix(3) } == [["2", "22", "0"]])
        let many = FleetSituation("", Self.users((60, [10, 20]))).statistics
        let first = try #require(many.rankings.first)
        #expect(many.grid(first, { $0 }).rows.map { $0.suffix(3) } == [["0.0%", "100.0%", "0.0%"]])
    }
}
