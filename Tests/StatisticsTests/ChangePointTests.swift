import TestSupport
import Testing

@testable import Statistics

@Suite("Places where the level of figures changes")
struct ChangePointTests {
    private let changes = ChangePoints(smallestStep: 0.001, smallestShift: 0.02)

    @Test("the distances of growing sequences to their medians are those of each sequence by itself")
    func medianDistances() {
        func slow(_ values: some Sequence<Double>) -> Double {
            let values = values.sorted()
            guard !values.isEmpty else { return 0 }
            let median = Median.ofSorted(values)
            return values.reduce(0) { $0 + abs($1 - median) }
        }
        #expect(MedianDistances.ofPrefixes([]) == [0])
        #expect(MedianDistances.ofPrefixes([5, 1, 4, 1]) == [0, 0, 4, 4, 7])
        var noise = Noise(seed: 7)
        for count in [1, 2, 3, 8, 33, 100] {
            let values = (0..<count).map { _ in (noise.factor(0.5) * 8).rounded() }
            #expect(MedianDistances.ofPrefixes(values) == (0...count).map { slow(values.prefix($0)) })
        }
    }

    private func places(_ values: [Double], isExact: Bool) -> [Int] {
        changes.find(values, isExact: isExact).map(\.index)
    }

    @Test("a step of 1 % in figures without noise is found at its commit, and one of 0.1 % is none")
    func exactSteps() {
        let values = [10, 10, 10, 10.1, 10.1, 10.11, 10.11, 9]
        #expect(
            changes.find(values, isExact: true) == [
                .init(index: 3, before: 10, after: 10.105), .init(index: 7, before: 10.105, after: 9),
            ])
        #expect(places([5], isExact: true).isEmpty)
    }

    /// The medians of five repeats with a coefficient of variation of 3 %, at 40 commits with a step at the 25th.
    private func noisy(_ seed: Int, step: Double) -> [Double] {
        var noise = Noise(seed: UInt64(seed))
        return (0..<40).map { commit in
            Median.ofSorted((0..<5).map { _ in (commit < 25 ? 10 : 10 * step) * noise.factor(0.03) }.sorted())
        }
    }

    @Test("a step of 10 % in noise of 3 % is found within two commits, in 50 of 50 histories")
    func noisySteps() {
        for seed in 1...50 {
            let found = places(noisy(seed, step: 1.1), isExact: false)
            #expect(found.contains { abs($0 - 25) <= 2 }, "seed \(seed): \(found)")
        }
    }

    @Test("without a step, at most 2 of 200 noisy histories have a change")
    func falseSteps() {
        let wrong = (1...200).count { !places(noisy($0, step: 1), isExact: false).isEmpty }
        #expect(wrong <= 2, "\(wrong)")
    }
}
