import Basics
import Foundation
import ReplayEngine
import Testing

@testable import Advising
@testable import CacheReports
@testable import Runs

@Suite("Advice")
struct AdviceTests {
    private func point(_ cache: String, _ limit: Int?, _ blank: Double, _ peak: Double, _ bytes: Double = 10)
        -> AdvicePoint
    {
        AdvicePoint(cache: cache, limit: limit, blankRatio: blank, peakBytes: peak, originBytes: bytes)
    }

    @Test("The front has the points that none with less memory matches within 0.1 points and 1 %")
    func front() {
        let points = AdvicePoint.marked([
            point("a", 10, 0.5, 10), point("a", 20, 0.3, 20),
            // As good as the second in memory, and worse in blank time: matched, unless it fetches less.
            point("b", 20, 0.4, 20), point("c", 20, 0.4, 20, 9),
            // The limit does not bind, so that the figures are equal: the smallest limit stands.
            point("d", 50, 0.1, 40), point("d", 40, 0.1, 40), point("d", nil, 0.1, 40),
            // 0.05 points better in blank time, with more memory: matched. 0.2 points better: not.
            point("e", 41, 0.0995, 41), point("e", 42, 0.098, 42),
        ])
        // 1 % fewer bytes, with more memory: matched. 2 % fewer: not.
        let bytes = [point("a", 10, 0.1, 10, 100), point("b", 20, 0.1, 20, 99.1), point("c", 30, 0.1, 30, 98)]
        #expect(AdvicePoint.marked(bytes).map(\.isOnFront) == [true, false, true])
        #expect(points.map(\.isOnFront) == [true, true, false, true, false, true, false, false, true])
    }

    @Test("The knee is farthest below the line between the ends of the front of memory and blank time")
    func knee() {
        // Scaled, with x = memory / 90 - 1/9 and y = (blank - 0.1) / 0.8: (0, 1), (1/9, 0.5), (1/3, 0.25), (1, 0). The
        // depths 1 - x - y are 0, 0.389, 0.417 and 0.
        let points = AdvicePoint.marked([
            point("a", 100, 0.1, 100), point("a", 40, 0.3, 40), point("a", 20, 0.5, 20), point("a", 10, 0.9, 10),
            // Not on the front.
            point("b", 40, 0.35, 45),
        ])
        #expect(AdvicePoint.memoryFront(of: points) == [3, 2, 1, 0])
        #expect(points.map(\.isKnee) == [false, true, false, false, false])
        // Two points are a line, and a straight front or one above its line has no knee.
        for line in [
            [point("a", 100, 0.1, 100), point("a", 10, 0.9, 10)],
            [point("a", 1, 0.3, 1), point("a", 2, 0.2, 2), point("a", 3, 0.1, 3)],
            [point("a", 1, 0.3, 1), point("a", 2, 0.28, 2), point("a", 3, 0.1, 3)], [],
            // A flat curve: the line has 6.31 % at 40 bytes of memory, which is 0.06 points more than the point.
            [point("a", 10, 0.064, 10), point("a", 40, 0.0625, 40), point("a", 100, 0.0612, 100)],
        ] {
            #expect(AdvicePoint.marked(line).filter(\.isKnee).isEmpty)
        }
    }

    @Test("The sessions near the limit of an app are those of one cache")
    func near() throws {
        var table = FleetTable(caches: ["a", "b"])
        for (session, peak) in [50, 60, 70, 80].enumerated() {
            for (cache, factor) in [("a", 1), ("b", 2)] {
                var result = Samples.ten(Samples.identity(trace: "s\(session)", cache: cache))
                result.tiers.memoryPeakBytes = 10
                result.imageMemoryPeak = Int64(peak * factor)
                table.add(result, user: nil)
            }
        }
        // Nine tenths of 100 are 90: 70 + 20 and 80 + 20 reach them; the doubled peaks all do.
        let app = AppMemory(limit: 100, baseline: 20)
        let one = try #require(NearLimit(table, cache: "a", app))
        #expect(one.near == 2 && one.sessions == 4 && one.share == 0.5)
        #expect(NearLimit(table, cache: "b", app)?.near == 4)
        #expect(NearLimit(table, cache: "c", app) == nil)
        #expect(one.cacheOnly == 0)
        #expect(app.contents(one).count == 1)
        // Of a session without a peak of images, what the cache holds counts.
        for (session, peak) in [69, 70].enumerated() {
            var result = Samples.ten(Samples.identity(trace: "t\(session)", cache: "a"))
            result.tiers.memoryPeakBytes = Int64(peak)
            table.add(result, user: nil)
        }
        let more = try #require(NearLimit(table, cache: "a", app))
        #expect(more.near == 3 && more.sessions == 6 && more.cacheOnly == 2)
        #expect(
            app.contents(more).last
                == "Of 2 sessions without a record of when cells vanish, only what the cache holds counts.")
    }

    // MARK: Objectives and budgets

    /// One session with two caches at limits of 100, 50 and 25 bytes of memory. Of 1 s of visible time, blank are:
    ///
    /// | cache | 100 | 50 | 25 | fetched | peak |
    /// |---|---|---|---|---|---|
    /// | a | 100 ms | 100 ms | 200 ms | 1,000 | the limit |
    /// | b | 150 ms | 150 ms | 150 ms | 900 | the limit |
    private func advice(
        _ caches: [String] = ["a", "b"], fetchedByB: Int64 = 900, peaks: [String: Int64] = [:],
        _ change: (inout Advice.Question) -> Void
    ) -> Advice {
        let blank = ["a": [100: 100.0, 50: 100.0, 25: 200.0], "b": [100: 150.0, 50: 150.0, 25: 150.0]]
        var candidates: [Advice.Candidate] = []
        for cache in caches {
            for limit in [100, 50, 25] {
                candidates.append(.init(cache: cache, limit: limit, name: "\(cache) \(limit)"))
                candidates[candidates.count - 1].bytesPerDay = cache == "a" ? 1_000 : 900
            }
        }
        var table = FleetTable(caches: candidates.map(\.name))
        for candidate in candidates {
            var result = RunResult(identity: Samples.identity(trace: "s", cache: candidate.name))
            result.blank.blankTime = (blank[candidate.cache]?[candidate.limit ?? 0] ?? 0) * 1e6
            result.blank.visibleTime = 1e9
            result.tiers.originBytes = candidate.cache == "a" ? 1_000 : fetchedByB
            result.tiers.memoryPeakBytes = peaks[candidate.cache] ?? Int64(candidate.limit ?? 0)
            table.add(result, user: nil)
        }
        var question = Advice.Question(budget: 100)
        change(&question)
        return Advice(table, candidates, question, seed: 1, threads: 1)
    }

    private func texts(_ advice: Advice) -> [String] { advice.findings.map(\.text) }

    @Test("The objective decides the order: blank time, bytes, or memory at a blank time near the least")
    func objectives() throws {
        let blank = advice { _ in }
        #expect(blank.rows.map(\.cache) == ["a", "b"] && blank.rows.map(\.smallestSufficientLimit) == [50, 25])
        #expect(abs(try #require(blank.runnerUp).difference - 0.05) < 1e-9)
        let bytes = advice { $0.objective = .bytes }
        #expect(bytes.rows.map(\.cache) == ["b", "a"] && bytes.rows.map(\.smallestSufficientLimit) == [25, 25])
        #expect(bytes.runnerUp?.difference == 100)
        #expect(
            texts(bytes).first == """
                Use b with memory: 100 B: a session fetches 900 B. It fetches 900 B per day. The next, a, fetches \
                100 B more.
                """)
        #expect(texts(bytes)[1] == "No cache fills 100 B: these sessions cannot tell limits above 100 B apart.")
        // Only a has a blank time within 0.1 points of the least, down to 50 bytes.
        let near = advice { $0.objective = .memory }
        #expect(near.rows.map(\.cache) == ["a", "b"] && near.rows.map(\.qualifies) == [true, false])
        #expect(near.rows.map(\.smallestSufficientLimit) == [50, nil] && near.rows[0].neededBytes == 50)
        #expect(near.runnerUp == nil)
        // Within 6 points, 160 ms are enough: b has them at any limit, a down to 50.
        let far = advice {
            $0.objective = .memory
            $0.relevanceThreshold.points = 6
        }
        #expect(far.rows.map(\.cache) == ["b", "a"] && far.rows.map(\.smallestSufficientLimit) == [25, 50])
        #expect(far.runnerUp?.difference == 25)
    }

    @Test(
        "A limit is enough if 95 % of users stay within 0.1 points; a smaller one may be enough on average only")
    func users() throws {
        // Of 20 users, one has 2 % more blank time with 50 bytes, and two with 25. With 12, all have twice as much.
        let limits = [(100, 0, 100.0), (50, 1, 102), (25, 2, 102), (12, 20, 200)]
        let candidates = limits.map { Advice.Candidate(cache: "a", limit: $0.0, name: "a \($0.0)") }
        let blanks = (0..<20).map { user in limits.map { user < $0.1 ? $0.2 : 100 } }
        let table = FleetTable.blank(candidates.map(\.name), blanks)
        let advice = Advice(table, candidates, .init(budget: 100), seed: 1, threads: 1)
        let row = try #require(advice.rows.first)
        #expect(row.smallestSufficientLimit == 50 && row.enoughForUsers == 0.95)
        #expect(row.enoughOnAverage == 25 && row.averageForUsers == 0.9)
        // Wilson's interval of 19 of 20.
        #expect(abs((row.enoughForUsersLow ?? 0) - 0.763869) < 1e-5)
        #expect(abs((row.enoughForUsersHigh ?? 0) - 0.991119) < 1e-5)
        // Below 50 people, a share is a number of people.
        #expect(
            texts(advice).contains(
                """
                50 B is enough: the blank time stays within 0.1 points, for 19 of 20 sessions. With 25 B, the mean \
                does too, but that of only 18 of 20 sessions.
                """), "\(texts(advice))")
        #expect(texts(advice).last?.hasSuffix(": too few for intervals, which need 50 sessions.") == true)
    }

    @Test("Pairs of smaller limits of memory and disk: those for which no smaller pair is enough")
    func pairs() throws {
        var candidates: [Advice.Candidate] = []
        for memory in [100, 50, 25] {
            for disk in [1_000, 500, 250] {
                candidates.append(.init(cache: "a", limit: memory, disk: disk, name: "a \(memory) \(disk)"))
            }
        }
        // With 50, the least disk is enough; with 25, only 500.
        let blanks = candidates.map { $0.limit == 25 && $0.disk == 250 ? 200.0 : 100 }
        let table = FleetTable.blank(candidates.map(\.name), [blanks])
        let advice = Advice(table, candidates, .init(budget: 100, disk: 1_000), seed: 1, threads: 1)
        #expect(advice.rows.first?.enoughPairs == [.init(memory: 25, disk: 500), .init(memory: 50, disk: 250)])
        #expect(
            texts(advice).contains(
                "Smaller limits of both are enough too: 25 B with 500 B on disk; 50 B with 250 B on disk."))
    }

    @Test("A cache whose memory exceeds the limit never qualifies, whatever its blank time is")
    func tooLarge() {
        // The peaks are 100 bytes with a limit of 100, and 50 with 50.
        let small = advice { $0.budget = 50 }
        #expect(small.rows.map(\.fits) == [true, true])
        let some = advice(peaks: ["a": 101]) { _ in }
        #expect(some.rows.map(\.cache) == ["b", "a"] && some.rows.map(\.qualifies) == [true, false])
        #expect(some.rows.map(\.smallestSufficientLimit) == [25, nil])
        #expect(texts(some).contains("Left out, because more than 100 B is in memory at the peak: a (101 B)."))
        // With the objective of memory, its blank time is not the one to reach.
        let memory = advice(peaks: ["a": 101]) { $0.objective = .memory }
        #expect(memory.rows.map(\.cache) == ["b", "a"] && memory.rows.map(\.qualifies) == [true, false])
        let none = advice(peaks: ["a": 101, "b": 200]) { _ in }
        #expect(none.rows.allSatisfy { !$0.qualifies } && none.settings.isEmpty && none.ties == 0)
        #expect(
            texts(none).first?.hasPrefix(
                "No cache keeps within 100 B. More is in memory at the peak: a (101 B) and b (200 B).") == true)
        #expect(texts(none).allSatisfy { !$0.hasPrefix("Use ") })
    }

    @Test(
        "Caches whose blank time is within 0.1 points tie: none is recommended, and a smaller limit is enough")
    func ties() throws {
        // Blank, in thousandths: b and a tie with 64 bytes, and c does not. With 8 bytes, a has 0.09 points more.
        let blank = ["a": [64: 61.2, 8: 62.1], "b": [64: 61.3, 8: 70], "c": [64: 62.3, 8: 62.3]]
        let candidates = ["b", "a", "c"].flatMap { cache in
            [64, 8].map { limit in
                var candidate = Advice.Candidate(cache: cache, limit: limit, name: "\(cache) \(limit)")
                candidate.evictions = 1
                return candidate
            }
        }
        var table = FleetTable(caches: candidates.map(\.name))
        for candidate in candidates {
            var result = RunResult(identity: Samples.identity(trace: "s", cache: candidate.name))
            result.blank.blankTime = (blank[candidate.cache]?[candidate.limit ?? 0] ?? 0) * 1e6
            result.blank.visibleTime = 1e9
            result.tiers.memoryPeakBytes = Int64(candidate.limit ?? 0)
            table.add(result, user: nil)
        }
        let advice = Advice(table, candidates, .init(budget: 64), seed: 1, threads: 1)
        #expect(advice.ties == 2 && advice.rows.map(\.cache) == ["a", "b", "c"])
        #expect(
            texts(advice).first == """
                a and b tie with memory: 64 B: cells are blank for 6.1% of the visible time. Stay with the one that \
                you have.
                """)
        #expect(
            texts(advice)[1] == """
                With a, 8 B is enough: the blank time stays within 0.1 points. A smaller limit could not hold the \
                largest image.
                """, "\(texts(advice))")
        #expect(!texts(advice).contains { $0.contains("Use ") })
        // Nothing about users, because there is one.
        #expect(!texts(advice).contains { $0.contains("user") || $0.contains("interval") })
    }

    @Test("Of caches that tie in bytes, the one with the least blank time is first")
    func tiesInBytes() {
        let advice = advice(["b", "a"], fetchedByB: 1_000) { $0.objective = .bytes }
        #expect(advice.ties == 2 && advice.rows.map(\.cache) == ["a", "b"] && advice.runnerUp == nil)
    }

    @Test("A cache that fetches more per day than asked does not qualify; if none does, the answer says so")
    func dataPerDay() {
        let some = advice { $0.dataPerDay = 950 }
        #expect(some.rows.map(\.cache) == ["b", "a"] && some.rows.map(\.qualifies) == [true, false])
        #expect(texts(some).contains("With the given limits, these fetch more than 950 B per day: a."))
        let none = advice { $0.dataPerDay = 100 }
        #expect(none.settings.isEmpty && none.ties == 0 && none.rows.allSatisfy { $0.smallestSufficientLimit == nil })
        #expect(
            texts(none).first == """
                No cache fetches at most 100 B per day with the given limits: the least is 900 B, with b. A larger \
                disk, longer lifetimes or smaller images would help.
                """)
    }

    // MARK: Keeping a cache, and changing it

    @Test("A cache that the user has is kept if it is the best or ties; otherwise the answer says what another gains")
    func keep() throws {
        let best = advice { $0.keep = "a" }
        #expect(
            texts(best).first == """
                Stay with a with memory: 100 B: cells are blank for 10.0% of the visible time. The next, b, has 5.0 \
                points more.
                """)
        #expect(best.switchGain == nil)
        let other = advice { $0.keep = "b" }
        #expect(
            texts(other).first == """
                a in place of b would gain 5.0 points, with memory: 100 B: cells are blank for 10.0% of the visible \
                time, and with b 15.0%.
                """)
        let finding = try #require(other.findings.first)
        #expect(finding.caches == ["b", "a"] && finding.evidence.map(\.value) == [0.15, 0.1])
        #expect(abs(try #require(other.switchGain).difference - 0.05) < 1e-9)
        // What the answer is about has the limit that is enough: b needs 25 bytes.
        #expect(texts(other).contains { $0.hasPrefix("25 B is enough") })
        let tie = advice(["b", "a"], fetchedByB: 1_000) {
            $0.objective = .bytes
            $0.keep = "b"
        }
        #expect(texts(tie).first == "Stay with b: a ties with it at memory: 100 B, where a session fetches 1 kB.")
        let large = advice(peaks: ["a": 101]) { $0.keep = "a" }
        #expect(
            texts(large).first == """
                a does not answer the question: 101 B is in memory at its peak. b with memory: 100 B does: cells are \
                blank for 15.0% of the visible time.
                """)
    }

    @Test("Below 50 people, the answer counts for how many the best cache is better")
    func people() {
        // Of 24 people with two sessions each, 22 have 10 % blank with a and 20 % with b, and 2 the other way round.
        var table = FleetTable(caches: ["a", "b"])
        for session in 0..<48 {
            for (cache, isBetter) in [("a", session / 2 < 22), ("b", session / 2 >= 22)] {
                var result = RunResult(identity: Samples.identity(trace: "s\(session)", cache: cache))
                result.blank.blankTime = isBetter ? 1e8 : 2e8
                result.blank.visibleTime = 1e9
                table.add(result, user: "u\(session / 2)")
            }
        }
        let candidates = ["a", "b"].map { Advice.Candidate(cache: $0, limit: 100, name: $0) }
        let advice = Advice(table, candidates, .init(budget: 100), seed: 1, threads: 1)
        // (22 × 10 + 2 × 20) / 24 = 10.8, and (22 × 20 + 2 × 10) / 24 = 19.2.
        #expect(
            texts(advice).first == """
                Use a with memory: 100 B: cells are blank for 10.8% of the visible time. The next, b, has 8.3 points \
                more; 22 of 24 people have less with a.
                """)
        #expect(
            texts(advice).last == """
                This rests on 48 sessions of 24 people and 96 replays: too few for intervals, which need 50 people.
                """)
    }

    @Test("Caches whose difference may be chance cannot be told apart, however large it is")
    func chance() {
        // Of 60 people, half have 20 % blank with b and half 1 %: 10.5 % on average, and 10 % with a for all.
        let table = FleetTable.blank(["a", "b"], (0..<60).map { [100, $0 % 2 == 0 ? 200 : 10] })
        let candidates = ["a", "b"].map { Advice.Candidate(cache: $0, limit: 100, name: $0) }
        let advice = Advice(table, candidates, .init(budget: 100), seed: 1, threads: 1)
        #expect(advice.ties == 2 && advice.runnerUp == nil)
        let start = "These sessions cannot tell a and b apart with memory: 100 B: cells are blank for 10.0% to 10.5% of"
        #expect(texts(advice).first?.hasPrefix(start) == true, "\(texts(advice))")
    }

    /// The gains of four levers of a cache with 10 % of blank time, 1,000 bytes and a peak of 100 bytes: of 3.2, 1.3
    /// and 1.1 points, and of nothing.
    ///
    /// - Parameter more: Figures of further levers.
    private func gains(
        _ cache: String, _ question: Advice.Question = .init(),
        more: [(setting: String, blank: Double, bytes: Int64, peak: Int64)] = []
    ) throws -> [LeverGain] {
        let levers = try CacheConfiguration("lru(100MB)").levers(for: Lever.Sessions())
        let figures: [(setting: String, blank: Double, bytes: Int64, peak: Int64)] = [
            ("prefetch=rows(2)", 68, 1_200, 150), ("order=lifo", 87, 1_000, 100),
            ("cancelOnDisappear=true", 89, 900, 100), ("connectionsPerHost=12", 99.5, 1_000, 100),
        ]
        return try (figures + more).map { setting, blank, bytes, peak in
            var table = FleetTable(caches: [cache, setting])
            let runs: [(String, Double, Int64, Int64)] = [(cache, 100, 1_000, 100), (setting, blank, bytes, peak)]
            for (name, blank, bytes, peak) in runs {
                var result = RunResult(identity: Samples.identity(trace: "s", cache: name))
                result.blank.blankTime = blank * 1e6
                result.blank.visibleTime = 1e9
                result.tiers.originBytes = bytes
                result.tiers.memoryPeakBytes = peak
                table.add(result, user: nil)
            }
            let lever = try #require(levers.first { $0.setting.text == setting })
            return try #require(
                LeverGain(
                    lever, .init(cache: cache, limit: 100, name: cache),
                    .init(cache: cache, limit: 100, name: setting), question, table, seed: 1))
        }
    }

    @Test("The levers that gain most by amount, those without an effect, and a table of gains and costs")
    func levers() throws {
        var advice = advice { _ in }
        advice.levers = try gains("a")
        #expect(advice.levers.map(\.isRelevant) == [true, true, true, false])
        #expect(
            texts(advice)[1] == """
                What gains most with a: two rows prefetched (3.2 points), the newest cell first (1.3 points) and \
                downloads cancelled (1.1 points).
                """)
        #expect(texts(advice)[2] == "No difference that counts: 12 connections to a host.")
        #expect(advice.findings[1].evidence.map(\.cache).first == "a prefetch=rows(2)")
        #expect(abs(advice.findings[1].evidence[0].value - 0.068) < 1e-9)
        let text = advice.document(details: false).plain(width: 80)
        // The change of the app comes first. The one without an effect is left out.
        #expect(
            text.contains(
                """
                One change of a at a time: points of blank time gained, and costs
                change                 by     gain  fetched  memory
                ---------------------  -----  ----  -------  ------
                two rows prefetched    app    +3.2   +200 B   +50 B
                the newest cell first  cache  +1.3        0       0
                downloads cancelled    cache  +1.1   −100 B       0

                """), "\(text)")
        #expect(advice.document().plain().contains("12 connections to a host"))
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 25)
    }

    @Test("One tolerance decides about ties, limits that are enough, levers, the front and the sentences")
    func tolerance() throws {
        let five = try #require(Tolerance("5,20%"))
        let loose = advice { $0.relevanceThreshold = five }
        // b has 5 points more than a, at any limit; it is enough at 25 bytes, and a at 50.
        #expect(loose.ties == 2 && loose.rows.map(\.cache) == ["b", "a"])
        #expect(loose.rows.map(\.smallestSufficientLimit) == [25, 50])
        #expect(
            texts(loose)[0] == """
                b and a tie with memory: 100 B: cells are blank for 10.0% to 15.0% of the visible time. Stay with the \
                one that you have.
                """)
        #expect(
            texts(loose).contains { $0.hasPrefix("With b, 25 B is enough: the blank time stays within 5 points. ") })
        // With the least memory, b with 25 bytes matches a with 25 and b with 50. a with 50 has 5 points less: it is
        // matched too.
        #expect(loose.points.count { $0.isOnFront } == 1)
        #expect(advice { _ in }.points.count { $0.isOnFront } == 2)
        // Of gains of 3.2, 1.3 and 1.1 points, one is above 2.
        var question = Advice.Question(budget: 100)
        question.relevanceThreshold = try #require(Tolerance("2"))
        var changed = advice { $0 = question }
        changed.levers = try gains("a", question)
        #expect(changed.levers.map(\.isRelevant) == [true, false, false, false])
        changed.levers.removeFirst()
        #expect(texts(changed)[1] == "No single change of a or of its app gains more than 2 points.")
        let bytes = advice {
            $0.objective = .bytes
            $0.relevanceThreshold = five
        }
        // 1,000 bytes are within 20 % of 900.
        #expect(bytes.ties == 2 && texts(bytes).contains { $0.contains("is enough: the bytes stay within 20 %.") })
    }
}
