import Basics
import Testing

@testable import Statistics

@Suite("The statistics of repeats")
struct RankTestTests {
    @Test("complete separation of three and three values has a probability of 1 in 20")
    func separation() {
        let test = RankTest([1, 2, 3], [4, 5, 6])
        #expect(abs(test.pGreater - 1.0 / 20) < 1e-12)
        #expect(test.pLess == 1)
        #expect(abs(RankTest.smallestP(3, 3) - 1.0 / 20) < 1e-12)
        // 10 of 20 values: one of 184,756 choices.
        #expect(abs(RankTest.smallestP(10, 10) - 1.0 / 184_756) < 1e-15)
    }

    @Test("the sign test counts heads of coins")
    func signs() {
        #expect(abs(SignTest.probability(of: 3, of: 3) - 1.0 / 8) < 1e-12)
        // 24, 23 or 22 heads of 24: 1 + 24 + 276 ways.
        #expect(abs(SignTest.probability(of: 22, of: 24) - 301 / 16_777_216.0) < 1e-15)
        #expect(abs(SignTest.probability(of: 0, of: 0) - 1) < 1e-12)
        #expect(abs(SignTest.probability(of: 530, of: 1_000) - SignTest.probability(of: 531, of: 1_002)) < 0.002)
    }

    @Test("equal values share their mean rank")
    func ties() {
        // Ranks 1, 2.5, 2.5, 4. The second sample has 2.5 + 4 = 6.5. Of the six pairs of ranks, two have 6.5 (each of
        // the equal values with the 4), and none has more.
        #expect(abs(RankTest([1, 2], [2, 3]).pGreater - 2.0 / 6) < 1e-12)
        #expect(RankTest([7, 7, 7], [7, 7]).pGreater == 1)
        #expect(RankTest([7, 7, 7], [7, 7]).pLess == 1)
    }

    /// The same probability by trying all choices.
    private func slow(_ first: [Double], _ second: [Double]) -> Double {
        let pooled = first + second
        func rank(_ value: Double) -> Double {
            Double(pooled.count { $0 < value }) + Double(pooled.count { $0 == value } + 1) / 2
        }
        let observed = second.map(rank).reduce(0, +)
        var (all, atLeast) = (0.0, 0.0)
        for choice in 0..<(1 << pooled.count) where choice.nonzeroBitCount == second.count {
            let sum = pooled.indices.filter { choice >> $0 & 1 == 1 }.map { rank(pooled[$0]) }.reduce(0, +)
            all += 1
            if sum >= observed - 1e-9 { atLeast += 1 }
        }
        return atLeast / all
    }

    @Test("the exact probabilities are those of trying all choices")
    func twin() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<60 {
            let first = (0..<1 + random.next(below: 5)).map { _ in Double(random.next(below: 6)) }
            let second = (0..<1 + random.next(below: 5)).map { _ in Double(random.next(below: 6)) }
            let test = RankTest(first, second)
            #expect(abs(test.pGreater - slow(first, second)) < 1e-12)
            #expect(abs(test.pLess - slow(second, first)) < 1e-12)
        }
    }

    @Test("the approximation for more than 20 values is close to the exact probability")
    func approximation() {
        // U = 20 · 21 / 2 pairs and more: the second sample is moved by a few places.
        let first = (0..<20).map(Double.init)
        let second = (0..<20).map { Double($0) + 4.5 }
        let exact = RankTest(first, second).pGreater
        let near = RankTest(first + [9.6], second).pGreater
        #expect(abs(exact - near) < 0.01)
        #expect(exact < 0.05)
    }

    @Test("Holm's correction: 0.01, 0.04, 0.03 become 0.03, 0.06, 0.06")
    func holm() {
        let corrected = HolmCorrection.corrected([0.01, 0.04, 0.03])
        for (one, other) in zip(corrected, [0.03, 0.06, 0.06]) { #expect(abs(one - other) < 1e-12) }
        #expect(HolmCorrection.corrected([0.9, 0.8]) == [1, 1])
        #expect(HolmCorrection.corrected([]).isEmpty)
    }

    @Test("the median of three values drawn from 1, 2, 3 is 2 in 13 of 27 draws")
    func drawnMedians() {
        let medians = MedianInterval.resampledMedians([1, 2, 3])
        #expect(medians.map(\.value) == [1, 2, 3])
        for (median, expected) in zip(medians, [7.0, 13, 7]) {
            #expect(abs(median.probability - expected / 27) < 1e-12)
        }
    }

    @Test("the medians of all draws of up to six values have the probabilities of trying all draws")
    func drawnMediansTwin() {
        for count in 1...6 {
            let values = (0..<count).map { Double($0 * $0) }
            var slow: [Double: Double] = [:]
            var draws = [[Double]](repeating: [], count: 1)
            for _ in 0..<count { draws = draws.flatMap { draw in values.map { draw + [$0] } } }
            for draw in draws { slow[Median.ofSorted(draw.sorted()), default: 0] += 1 / Double(draws.count) }
            var fast: [Double: Double] = [:]
            for median in MedianInterval.resampledMedians(values) {
                fast[median.value, default: 0] += median.probability
            }
            for (value, probability) in slow { #expect(abs(probability - (fast[value] ?? 0)) < 1e-6) }
            #expect(abs(fast.values.reduce(0, +) - 1) < 1e-6)
        }
    }

    @Test("the interval of a difference without variation is the difference, and that of many values is narrow")
    func intervals() {
        #expect(MedianInterval.ofDifference([5, 5, 5], [7, 7, 7]) == 2...2)
        let many = (0..<50).map { Double($0) / 50 }
        let interval = MedianInterval.ofDifference(many, many.map { $0 + 10 })
        #expect(interval.contains(10) && interval.lowerBound > 9.5 && interval.upperBound < 10.5)
        let few = MedianInterval.ofDifference([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
        #expect(few.lowerBound == -few.upperBound)
    }
}
