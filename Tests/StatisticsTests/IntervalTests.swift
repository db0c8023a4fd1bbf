import Basics
import Foundation
import Testing

@testable import Statistics

@Suite("Intervals of quantiles and means")
struct IntervalTests {
    @Test("The beta distribution is a sum of binomial probabilities")
    func incompleteBeta() {
        // I_x(a, b) is the probability of at least a successes in a + b - 1 trials.
        for (a, b) in [(1, 1), (2, 5), (7, 3), (20, 41), (60, 2)] {
            for x in [0.001, 0.05, 0.3, 0.5, 0.93] {
                let trials = a + b - 1
                var probability = 0.0
                for hits in a...trials {
                    var term = 1.0
                    for factor in 0..<hits { term *= Double(trials - factor) / Double(hits - factor) * x }
                    for _ in 0..<(trials - hits) { term *= 1 - x }
                    probability += term
                }
                #expect(abs(IncompleteBeta.regularized(x, Double(a), Double(b)) - probability) < 1e-12)
            }
        }
        // SciPy 1.17: beta.cdf(0.3, 2.5, 7.25) and beta.cdf(0.05, 250, 4751).
        #expect(abs(IncompleteBeta.regularized(0.3, 2.5, 7.25) - 0.6604822735819071) < 1e-12)
        #expect(abs(IncompleteBeta.regularized(0.05, 250, 4_751) - 0.5090603236338425) < 1e-9)
    }

    @Test("The ranks of a quantile's interval are the roots of the beta distribution")
    func ranks() throws {
        // SciPy 1.17 with brentq.
        let expected: [(size: Double, share: Double, low: Double, high: Double)] = [
            (72, 0.05, 1.001990873831504, 8.084058162801881), (100, 0.05, 1.7384127099197682, 10.139627929981827),
            (50, 0.5, 18.603398506436754, 32.396601493563246), (13, 0.25, 1.0227119169361696, 6.978196578388044),
            (250.5, 0.95, 231.32702382924433, 244.75998308224223),
            (5_000, 0.25, 1_190.7295727648805, 1_310.7440831556237),
        ]
        for (size, share, low, high) in expected {
            let ranks = try #require(QuantileRanks(share, size: size))
            #expect(abs(ranks.low - low) < 1e-6 && abs(ranks.high - high) < 1e-6, "\(size), \(share)")
        }
    }

    @Test("A quantile has an interval from the size on at which its 95 % can be reached")
    func leastSizes() {
        for (share, least) in [(0.5, 6.0), (0.25, 13), (0.75, 13), (0.05, 72), (0.95, 72)] {
            #expect(QuantileRanks(share, size: least) != nil)
            #expect(QuantileRanks(share, size: least - 1) == nil)
        }
        #expect(QuantileRanks(0.5, size: 1) == nil)
    }

    /// The studentised bootstrap in plain arrays: each resample is a list of users.
    private static func slowInterval(
        _ sums: [Double], _ counts: [Double], seed: UInt64, resamples: Int
    ) -> (low: Double, high: Double) {
        func estimate(_ users: [Int]) -> (mean: Double, error: Double) {
            let count = users.reduce(0) { $0 + counts[$1] }
            let mean = users.reduce(0) { $0 + sums[$1] } / count
            let spread = users.reduce(0) { $0 + pow(sums[$1] - mean * counts[$1], 2) }
            return (mean, spread.squareRoot() / count)
        }
        let own = estimate(Array(sums.indices))
        var seeds = SplitMix64(seed: seed)
        let studentised = (0..<resamples).map { _ in
            var random = SplitMix64(seed: seeds.next())
            let resample = estimate(sums.map { _ in random.next(below: sums.count) })
            return (resample.mean - own.mean) / resample.error
        }
        .sorted()
        let rank = (resamples + 1) / 40
        return (own.mean - studentised[resamples - rank] * own.error, own.mean - studentised[rank - 1] * own.error)
    }

    @Test("Means over users, over sessions and of differences have the intervals of a slow twin")
    func slowTwin() throws {
        var random = SplitMix64(seed: 2)
        // 61 users, so that the last group of four has one.
        let first = (0..<61).map { _ in random.fraction() }
        let second = first.map { $0 + 0.1 * random.fraction() }
        let counts = first.map { _ in Double(random.next(below: 4)) }
        let sums = zip(first, counts).map { $0 * $1 }
        let ones = first.map { _ in 1.0 }
        let bootstrap = UserBootstrap(userCount: 61, resamples: 200, seed: 9, threads: 2)
        let some = first.indices.filter { $0 % 3 != 0 }
        let means = try [
            UserMean(sums: first, counts: ones), UserMean(sums: sums, counts: counts),
            #require(UserMean(first: first, second: second, of: Array(first.indices))),
            #require(UserMean(first: first, second: second, of: some)),
        ]
        let isCounted = first.indices.map { some.contains($0) ? 1.0 : 0 }
        let differences = zip(first, second).map { $1 - $0 }
        let expected = [
            Self.slowInterval(first, ones, seed: 9, resamples: 200),
            Self.slowInterval(sums, counts, seed: 9, resamples: 200),
            Self.slowInterval(differences, ones, seed: 9, resamples: 200),
            Self.slowInterval(zip(differences, isCounted).map(*), isCounted, seed: 9, resamples: 200),
        ]
        for (interval, expected) in zip(bootstrap.intervals(means), expected) {
            let interval = try #require(interval)
            #expect(abs(interval.low - expected.low) < 1e-9 && abs(interval.high - expected.high) < 1e-9)
        }
        #expect(means[3].userCount == some.count)
    }

    @Test("A mean whose resamples often do not vary has no interval")
    func infiniteEnds() {
        // Only one of 60 users has a value: a resample lacks that user with a probability of 36 %.
        let sums = (0..<60).map { $0 == 0 ? 1.0 : 0 }
        let bootstrap = UserBootstrap(userCount: 60, resamples: 200, seed: 1, threads: 1)
        #expect(bootstrap.intervals([UserMean(sums: sums, counts: sums.map { _ in 1 })]) == [nil])
        let few = UserBootstrap(userCount: 60, resamples: 38, seed: 1, threads: 1)
        #expect(few.intervals([UserMean(sums: sums.indices.map(Double.init), counts: sums.map { _ in 1 })]) == [nil])
    }

    /// The short form of `scripts/checks/check-intervals`.
    @Test("Intervals contain the population's figure in 93 to 97 % of the samples")
    func coverage() throws {
        var random = SplitMix64(seed: 11)
        let (samples, users) = (1_000, 80)
        let shares = [0.05, 0.25, 0.5, 0.75, 0.95]
        var hits = [Int](repeating: 0, count: 6)
        // The squares of uniform numbers, which are skewed: mean 1/3, and the square of a share is its quantile.
        let truths = [1 / 3.0] + shares.map { $0 * $0 }
        var quantiles = QuantileIntervals()
        for sample in 0..<samples {
            let values = (0..<users).map { _ in
                let number = random.fraction()
                return number * number
            }
            let bootstrap = UserBootstrap(userCount: users, resamples: 199, seed: UInt64(sample), threads: 1)
            let mean = try #require(bootstrap.intervals([UserMean(sums: values, counts: values.map { _ in 1 })])[0])
            let sorted = values.sorted()
            let intervals = try [mean] + shares.map { try #require(quantiles.users($0, sorted).interval) }
            for (place, interval) in intervals.enumerated()
            where interval.low <= truths[place] && truths[place] <= interval.high { hits[place] += 1 }
        }
        for (place, hits) in hits.enumerated() {
            #expect((930...970).contains(hits), "figure \(place): \(hits) of \(samples)")
        }
    }
}
