import Basics
import CacheTraces
import Foundation
import ImageLibraries
import ReplayEngine
import Testing

@testable import Advising
@testable import CacheReports
@testable import Runs

@Suite("The search of advice")
struct AdviceSearchTests {
    /// Replays whose figures are made up, and which count what is asked of them.
    private final class MadeUp: AdviceReplaying {
        let sessionCount: Int
        private let value: (AdviceChoice, Int) -> Double
        private let most: Int
        private(set) var replayed: [AdviceChoice: Set<Int>] = [:]
        private(set) var simulated = 0
        var impossible: Set<AdviceChoice> = []

        /// - Parameters:
        ///   - most: The replays after which time is up.
        ///   - value: The figure of a choice on a session.
        init(sessions: Int, most: Int = .max, _ value: @escaping (AdviceChoice, Int) -> Double) {
            sessionCount = sessions
            self.most = most
            self.value = value
        }

        var count: Int { replayed.values.reduce(0) { $0 + $1.count } }

        func replay(_ choices: [AdviceChoice], _ sessions: Range<Int>) throws -> Bool {
            for choice in choices {
                for session in sessions where replayed[choice]?.contains(session) != true {
                    guard count < most else { return false }
                    replayed[choice, default: []].insert(session)
                }
            }
            return true
        }

        func mean(_ figure: FleetFigure, _ choice: AdviceChoice, _ sessions: Range<Int>) -> Double {
            let known = sessions.filter { replayed[choice]?.contains($0) == true }
            guard !known.isEmpty else { return .infinity }
            return known.reduce(0) { $0 + value(choice, $1) } / Double(known.count)
        }

        func users(
            _ figure: FleetFigure, _ choice: AdviceChoice, within tolerance: Tolerance, of other: AdviceChoice,
            _ sessions: Range<Int>
        ) -> Double {
            let enough = sessions.count { tolerance.accepts(value(choice, $0), for: value(other, $0), .ratio) }
            return Double(enough) / Double(sessions.count)
        }

        func isPossible(_ choice: AdviceChoice) -> Bool { !impossible.contains(choice) }

        func fewestMisses(_ choices: [AdviceChoice], keeping count: Int, _ sessions: Range<Int>) -> [AdviceChoice] {
            simulated += 1
            return Array(choices.suffix(count))
        }
    }

    private static func space(memory: Int, disk: Int = 1, rules: [(String, Int)] = []) throws -> AdviceSpace {
        AdviceSpace(
            try CacheConfiguration("lru(64MB); disk: lru(64MB)"), memory: (0..<memory).map { 64_000_000 >> $0 },
            disk: disk == 1 ? [nil] : (0..<disk).map { 64_000_000 >> $0 },
            rules: try rules.map { name, count in
                let values = name == "order" ? ["lifo", "visibleFirst"] : (1...count).map { "\($0)" }
                try #require(values.count == count)
                return TunableRule(parameter: name, values: values)
            })
    }

    @Test("The values of a rule are halved: all on a quarter of the sessions, half on half, a quarter on all")
    func halving() throws {
        // 16 sessions; value 3 of 8 is best. Its own value is 9.
        let replays = MadeUp(sessions: 16) { choice, _ in
            choice.rules[0] == 0 ? 9 : Double(abs(choice.rules[0] - 3) + 1)
        }
        var search = AdviceSearch([try Self.space(memory: 1, rules: [("diskLanes", 8)])], .blank, sample: 64, replays)
        let outcome = try search.run()
        #expect(outcome.best == [AdviceChoice(space: 0, rules: [3])] && outcome.isComplete)
        #expect(outcome.own == [AdviceChoice(space: 0, rules: [0])])
        // Its own on 16. First round: 8 values on 4, 4 of them on 8, 2 of them on 16. Values 3, 2, 4, 1 are the best
        // four, 3 and 2 the best two.
        #expect(replays.replayed[outcome.own[0]]?.count == 16)
        #expect(
            (1...8).map { replays.replayed[AdviceChoice(space: 0, rules: [$0])]?.count } == [8, 16, 16, 8, 4, 4, 4, 4])
        // With one rule there is no second round.
        #expect(outcome.choices.count == 3)
    }

    @Test("A value must be better by more than 0.1 %, and a cache that refuses a value is not asked")
    func smallest() throws {
        let spaces = [try Self.space(memory: 1, rules: [("order", 2)])]
        let tie = MadeUp(sessions: 1) { choice, _ in choice.rules[0] == 2 ? 0.9991 : 1 }
        var search = AdviceSearch(spaces, .blank, sample: 1, tie)
        #expect(try search.run().best == [AdviceChoice(space: 0, rules: [0])])
        let better = MadeUp(sessions: 1) { choice, _ in choice.rules[0] == 2 ? 0.998 : 1 }
        search = AdviceSearch(spaces, .blank, sample: 1, better)
        #expect(try search.run().best == [AdviceChoice(space: 0, rules: [2])])
        let refusing = MadeUp(sessions: 1) { choice, _ in choice.rules[0] == 2 ? 0.998 : 1 }
        refusing.impossible = [AdviceChoice(space: 0, rules: [2])]
        search = AdviceSearch(spaces, .blank, sample: 1, refusing)
        #expect(try search.run().best == [AdviceChoice(space: 0, rules: [0])])
        #expect(refusing.replayed[AdviceChoice(space: 0, rules: [2])] == nil)
    }

    @Test("Between two limits with the same figures, none is replayed")
    func refining() throws {
        // Limits 0 to 6 are the same, 7 and 8 are worse, as are 9 to 12 among themselves.
        let replays = MadeUp(sessions: 2) { choice, _ in
            [7: 0.2, 8: 0.3][choice.memory] ?? (choice.memory < 7 ? 0.1 : 0.4)
        }
        var search = AdviceSearch([try Self.space(memory: 13)], .blank, sample: 64, replays)
        let outcome = try search.run()
        // 0, 12; 6; 9 (0 and 6 are the same); 7 (9 and 12 are the same); 8.
        #expect(Set(outcome.choices.map(\.memory)) == [0, 12, 6, 9, 7, 8])
    }

    @Test("Around the answer, limits are bisected to 2 %, and no larger limit in steps of 2 % is left out")
    func exactness() throws {
        // From 64 MB on, in halves: 36 steps of 1.94 % each. Every figure differs a little. 22 steps are enough.
        func step(_ choice: AdviceChoice) -> Int { 36 * choice.memory + choice.memoryPart }
        let smooth = MadeUp(sessions: 1) { choice, _ in step(choice) <= 22 ? 1 + 1e-5 * Double(step(choice)) : 2 }
        let space = try Self.space(memory: 4)
        var search = AdviceSearch([space], .blank, sample: 1, smooth)
        let steps = Set(try search.run().choices.map(step))
        #expect(steps.isSuperset(of: 0...23))
        #expect(space.memoryLimit(AdviceChoice(space: 0, memory: 0, memoryPart: 18)) == 45_254_834)
        let ladder = space.memoryLadder(AdviceChoice(space: 0)).compactMap(space.memoryLimit)
        #expect(ladder.count == 3 * 36 + 1 && ladder.first == 64_000_000 && ladder.last == 8_000_000)
        for (larger, smaller) in zip(ladder, ladder.dropFirst()) {
            #expect(smaller < larger && Double(larger) / Double(smaller) <= 1.02)
        }
        // Between 64 and 32 MB, a larger limit is worse: at 5 steps. Both ends are enough, down to 100 steps.
        let dented = MadeUp(sessions: 1) { choice, _ in
            step(choice) == 5 || step(choice) > 100 ? 2 : 1 + 1e-5 * Double(step(choice))
        }
        search = AdviceSearch([space], .blank, sample: 1, dented)
        let replayed = Set(try search.run().choices.map(step))
        #expect(replayed.isSuperset(of: 0...100))
        // A cache that is clearly worse is bisected only.
        let two = MadeUp(sessions: 1) { choice, _ in
            Double(choice.space + 1) * (step(choice) <= 70 ? 1 + 5e-6 * Double(step(choice)) : 2)
        }
        search = AdviceSearch([space, space], .blank, sample: 1, two)
        let worse = try search.run().choices.filter { $0.space == 1 }.map(step)
        #expect(Set(worse).isSuperset(of: [0, 36, 70, 71, 72, 108]) && worse.count <= 4 + 6)
    }

    @Test("The limit of a bundled session is exact to 2 %, and every larger one is enough")
    func bundledSession() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Traces/stress-feed.jsonl").path
        let trace = try TraceReading(contentsOf: path).trace
        let network = try ReplayJob.Network.sharedLink(of: trace) ?? .recorded
        let prepared = try PreparedTrace(trace, network: network)
        let base = try CacheConfiguration(specification: "kingfisher-8")
        let limits = (0...12).map { Int(128e6 / pow(2, Double($0) / 2)) }
        let session = AdviceSession(name: "feed", user: nil, size: 0, fingerprint: { "" }) { .init(prepared, network) }
        let replays = AdviceReplays([AdviceSpace(base, memory: limits)], [session], .init())
        let advice = try Advice.search(replays, .init(budget: 128_000_000), .init())
        let enough = try #require(advice.rows.first?.smallestSufficientLimit)
        func blank(_ limit: Int) throws -> Double {
            var job = ReplayJob(
                trace: "feed", cache: try base.sweeping(SweptValue(parameter: "memory", value: "\(limit)B")))
            (job.timing, job.decode, job.network, job.timeline) = (.modelled(.standard), true, network, .none)
            let result = try job.run(prepared)
            return result.blank.blankTime / result.blank.visibleTime
        }
        // Enough is what is within the tolerance of 0.1 points.
        let most = try blank(128_000_000) + 0.001 + 1e-9
        // Limits of the answer's own steps and others.
        var limit = 128e6
        while Int(limit) >= enough {
            #expect(try blank(Int(limit)) <= most, "\(Int(limit))")
            limit /= 1.013
        }
        #expect(try blank(enough) <= most)
        #expect(try blank(Int(Double(enough) / 1.02)) > most)
        #expect(enough < 68_700_000)
        // The steps are not in the table of points.
        #expect(advice.points.compactMap(\.limit).allSatisfy { limits.contains($0) || $0 == enough })
        #expect(advice.points.contains { $0.limit == enough })
    }

    @Test("Limits of memory and disk are followed along the edge of those that are enough")
    func edge() throws {
        // A pair is enough if the places add up to 4 or less.
        let replays = MadeUp(sessions: 1) { choice, _ in choice.memory + choice.disk <= 4 ? 1 : 2 }
        var search = AdviceSearch([try Self.space(memory: 6, disk: 6)], .blank, sample: 1, replays)
        let outcome = try search.run()
        let pairs = Set(outcome.choices.map { [$0.memory, $0.disk] })
        // On the edge: (4, 0), (3, 1), (2, 2), (1, 3), (0, 4), and beside it the pairs that are not enough.
        for pair in [[4, 0], [3, 1], [2, 2], [1, 3], [0, 4], [4, 1], [3, 2], [2, 3], [1, 4], [0, 5]] {
            #expect(pairs.contains(pair), "\(pair)")
        }
        #expect(!pairs.contains([2, 1]) && pairs.count <= 6 + 6 + 10)
    }

    @Test("More sessions than in the sample: only what could be the answer is replayed on all")
    func finalists() throws {
        // The second cache is clearly worse. Limits up to 3 are enough.
        let replays = MadeUp(sessions: 100) { choice, _ in
            (choice.space == 0 ? 1 : 5) * (choice.memory <= 3 ? 1 : Double(choice.memory))
        }
        let spaces = [try Self.space(memory: 9), try Self.space(memory: 9)]
        var search = AdviceSearch(spaces, .blank, sample: 8, replays)
        let outcome = try search.run()
        #expect(outcome.isComplete)
        for (choice, sessions) in replays.replayed {
            #expect(sessions.count == (outcome.choices.contains(choice) ? 100 : 8), "\(choice)")
        }
        // Every limit that was replayed of the first; of the second, those around the smallest that is enough, and the
        // first.
        let second = Set(outcome.choices.filter { $0.space == 1 }.map(\.memory))
        #expect(second.isSuperset(of: [0, 3, 4]) && !second.contains(8), "\(second)")
        #expect(Set(outcome.choices.filter { $0.space == 0 }.map(\.memory)).contains(8))
    }

    @Test("With a tolerance of 2 points, a limit with 2 points more is enough")
    func tolerance() throws {
        // Each half of the limit has 2 points more, and the 36 steps before it have the figure of the whole.
        let replays = MadeUp(sessions: 1) { choice, _ in 1 + 0.02 * Double(choice.memory) }
        let space = try Self.space(memory: 4)
        var search = AdviceSearch([space], .blank, within: try #require(Tolerance("2")), sample: 1, replays)
        // The last step with 2 points is 71.
        let steps = Set(try search.run().choices.map { 36 * $0.memory + $0.memoryPart })
        #expect(steps.contains(71) && steps.contains(72))
        // With the standard one, it is 35.
        search = AdviceSearch([space], .blank, sample: 1, replays)
        let exact = Set(try search.run().choices.map { 36 * $0.memory + $0.memoryPart })
        #expect(exact.contains(35) && exact.contains(36) && !exact.contains(71))
    }

    @Test("After a limit of time, what was replayed on the whole sample counts, or at least each cache as it is")
    func timeIsUp() throws {
        let spaces = [try Self.space(memory: 9, rules: [("order", 2)])]
        for most in 0...40 {
            let replays = MadeUp(sessions: 3, most: most) { choice, _ in Double(choice.memory + 1) }
            var search = AdviceSearch(spaces, .blank, sample: 3, replays)
            let outcome = try search.run()
            #expect(outcome.choices.first == outcome.own[0])
            if most >= 3 { #expect(outcome.choices.allSatisfy { replays.replayed[$0]?.count == 3 }, "\(most)") }
            if outcome.isComplete { #expect(replays.count <= most) } else { #expect(replays.count == most) }
        }
    }

    @Test("Policies are simulated alone first, and the best six are replayed")
    func policies() throws {
        let replays = MadeUp(sessions: 1) { choice, _ in choice.rules[0] == 9 ? 1 : 2 }
        let space = AdviceSpace(
            try CacheConfiguration("lru(64MB)"), memory: [64_000_000],
            rules: [TunableRule(parameter: "policy", values: (1...10).map { "p\($0)" })])
        var search = AdviceSearch([space], .blank, sample: 1, replays)
        #expect(try search.run().best[0].rules == [9])
        #expect(replays.simulated >= 1 && replays.replayed[AdviceChoice(space: 0, rules: [1])] == nil)
    }

    @Test("The answer is within 1 % of the best of all settings, for figures in which rules add up", arguments: 1...20)
    func exhaustive(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        let rules = [("order", 2), ("diskLanes", 5), ("decodeLanes", 4)]
        let space = try Self.space(memory: 8, disk: 8, rules: rules)
        let weights = rules.map { _, count in (0...count).map { _ in Double.random(in: 0...1, using: &generator) } }
        let knees = (memory: Int.random(in: 0..<8, using: &generator), disk: Int.random(in: 0..<8, using: &generator))
        func value(_ choice: AdviceChoice, _ session: Int) -> Double {
            1 + zip(weights, choice.rules).reduce(0) { $0 + $1.0[$1.1] }
                + Double(max(0, choice.memory - knees.memory) + max(0, choice.disk - knees.disk)) / 4
                + 0.01 * Double(session % 3)
        }
        let replays = MadeUp(sessions: 12, value)
        var search = AdviceSearch([space], .blank, sample: 12, replays)
        let outcome = try search.run()
        var least = Double.infinity
        for first in 0...2 {
            for second in 0...5 {
                for third in 0...4 {
                    let choice = AdviceChoice(space: 0, rules: [first, second, third])
                    least = min(least, (0..<12).reduce(0) { $0 + value(choice, $1) } / 12)
                }
            }
        }
        #expect(replays.mean(.blank, outcome.best[0], 0..<12) <= least * 1.01)
        // The smallest limits of each that are enough were replayed.
        let limits = Set(outcome.choices.filter { $0.rules == outcome.best[0].rules }.map { [$0.memory, $0.disk] })
        #expect(limits.contains([knees.memory, knees.disk]), "\(knees)")
        #expect(Double(replays.count) < 0.02 * Double(space.settingCount * 12))
    }

    @Test("Sessions without a common host are of different groups; a session with two hosts joins them")
    func groups() {
        let groups = SessionHosts.groups([["a"], ["b"], ["a", "c"], ["c"], [], ["d"]])
        #expect(groups.map(\.sessions) == [3, 1, 1] && groups.map(\.host) == ["a", "b", "d"])
        #expect(SessionHosts.groups([["a"], ["a", "b"], ["b"]]).map(\.sessions) == [3])
        #expect(SessionHosts.groups([]).isEmpty)
    }
}
