import Basics
import TestSupport

@testable import Statistics

/// The functions that are compared with SciPy. The raw value is the name of the reference function.
enum SciPyFunction: String, CaseIterable, Codable, Sendable {
    case median, quantile, valueAtRank
    case incompleteBeta, logGamma, upperTail, normalQuantile, studentQuantile
    case quantileRanks, users, sessions
    case holm, wilson
    case rankUnequal, rankEqual, rankApproximate, smallestProbability
    case drawnMedians, medianDifference, medianDifferenceDrawn
    case userMean, userMeanDifference, bootstrap, bootstrapDifference
    case leastSquares, leastSquaresError

    /// The largest relative error. Each is at least four times the largest error of the cases.
    var tolerance: Double {
        switch self {
        case .median, .holm, .rankEqual, .rankUnequal: 1e-14
        case .quantile, .valueAtRank, .medianDifference, .medianDifferenceDrawn, .normalQuantile,
            .smallestProbability, .userMean, .userMeanDifference, .bootstrap, .bootstrapDifference:
            1e-13
        case .logGamma, .upperTail, .rankApproximate, .drawnMedians, .quantileRanks, .users, .sessions, .wilson: 1e-11
        // SciPy's quantile of one degree of freedom, which is tan(0.475 π), has an error of 2e-11.
        case .incompleteBeta, .studentQuantile: 1e-9
        // Normal equations square the condition of the problem. Callers use three digits.
        case .leastSquares, .leastSquaresError: 1e-7
        }
    }
}

/// The inputs of one call, and the figures that it returns.
struct SciPyCase: Codable, Sendable {
    var function: SciPyFunction
    var inputs: [[Double]]
    /// Errors are relative to the correct figure, or to this number if it is larger: a difference of large numbers has
    /// fewer digits than they have.
    var scale: Double
    /// The figures of this package; nil where there is none.
    var figures: [Double?]

    init(_ function: SciPyFunction, _ inputs: [[Double]], scale: Double = 0, _ figures: [Double?]) {
        self.function = function
        self.inputs = inputs
        self.scale = scale
        self.figures = figures
    }

    /// Returns the distance of a figure from the correct ones, relative to them: 0 within their range, and infinity if
    /// only one of both exists.
    func error(_ place: Int, _ correct: SciPyReference.Figure?) -> Double {
        guard let figure = figures[place], let correct else {
            return figures[place] == nil && correct == nil ? 0 : .infinity
        }
        guard figure.isFinite else { return .infinity }
        let distance = max(correct.low - figure, figure - correct.high, 0)
        return distance == 0 ? 0 : distance / max(scale, abs(correct.low), abs(correct.high))
    }
}

/// Seeded random inputs: with equal values, few and many values, and extreme ones.
struct SciPyCases {
    private var random = SplitMix64(seed: 2_026)
    private var noise = Noise(seed: 2_026)

    static func all() -> [SciPyCase] {
        var cases = SciPyCases()
        return cases.basics() + cases.distributions() + cases.quantiles() + cases.shares() + cases.ranks()
            + cases.medians() + cases.means() + cases.fits()
    }

    private enum Kind: CaseIterable {
        /// From 0 to 1.
        case uniform
        /// Positive and skewed, such as durations.
        case skewed
        /// Whole numbers from 0 to 5.
        case equal
        case constant
        /// Differences in the last digits only.
        case close
        /// From 1e-150 to 1e150, with both signs.
        case extreme
    }

    private mutating func values(_ count: Int, _ kind: Kind) -> [Double] {
        let level = random.fraction()
        return (0..<count).map { _ in
            switch kind {
            case .uniform: random.fraction()
            case .skewed: 50 * noise.factor(2)
            case .equal: Double(random.next(below: 6))
            case .constant: level
            case .close: 1e6 + 1e-6 * random.fraction()
            case .extreme: (random.fraction() - 0.5) * PortableMath.exp((random.fraction() - 0.5) * 690)
            }
        }
    }

    private func largest(_ values: [Double]) -> Double { values.map(abs).max() ?? 0 }

    private mutating func basics() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        for kind in Kind.allCases {
            for count in [1, 2, 3, 4, 5, 10, 101, 10_000] {
                let values = values(count, kind)
                let (sorted, scale) = (values.sorted(), largest(values))
                cases.append(SciPyCase(.median, [values], [Median.ofSorted(sorted), values.median]))
                let shares = [0, 0.025, 0.05, 0.25, 0.5, 0.9, 1] + self.values(10, .uniform)
                cases.append(
                    SciPyCase(
                        .quantile, [sorted, shares], scale: scale, shares.map { SampleQuantile.value($0, of: sorted) }))
                let ranks =
                    [0, 1, 1.5, Double(count), Double(count) + 1]
                    + self.values(10, .uniform).map { $0 * Double(count + 1) }
                cases.append(
                    SciPyCase(
                        .valueAtRank, [sorted, ranks], scale: scale,
                        ranks.map { SampleQuantile.value(rank: $0, of: sorted) }))
            }
        }
        return cases
    }

    private mutating func distributions() -> [SciPyCase] {
        // Parameters from 0.5 to 100,000, near the mean and in the tails.
        var parameters: [(x: Double, a: Double, b: Double)] = [
            (0, 2, 3), (1, 2, 3), (0.5, 1, 1), (0.3, 100_000, 100_000),
        ]
        for _ in 0..<5_000 {
            let (a, b) = (
                0.5 * PortableMath.exp(12.2 * random.fraction()), 0.5 * PortableMath.exp(12.2 * random.fraction())
            )
            let deviation = (a * b / ((a + b) * (a + b) * (a + b + 1))).squareRoot()
            let x = min(max(a / (a + b) + 8 * (random.fraction() - 0.5) * deviation, 1e-12), 1 - 1e-12)
            parameters.append((random.next(below: 5) == 0 ? random.fraction() : x, a, b))
        }
        let gammas =
            [1e-8, 0.5, 1, 1.5, 2, 3, 9.999, 10, 170.5, 1e5, 1e10]
            + (0..<2_000).map { _ in 1e-3 * PortableMath.exp(20 * random.fraction()) }
        let deviations = [0, -40, 37.5] + (0..<2_000).map { _ in 60 * (random.fraction() - 0.5) }
        let probabilities =
            [0.5, 0.025, 1e-300]
            + (0..<2_000).map { _ in 0.5 * PortableMath.exp(-690 * random.fraction() * random.fraction()) }
        let degrees = Array(1...200) + [999]
        return [
            SciPyCase(
                .incompleteBeta, [parameters.map(\.x), parameters.map(\.a), parameters.map(\.b)], scale: 1,
                parameters.map { IncompleteBeta.regularized($0.x, $0.a, $0.b) }),
            // The logarithm is 0 at 1 and 2.
            SciPyCase(.logGamma, [gammas], scale: 1, gammas.map(IncompleteBeta.logGamma)),
            SciPyCase(.upperTail, [deviations], deviations.map(Normal.upperTail)),
            SciPyCase(.normalQuantile, [probabilities], scale: 0.01, probabilities.map { Normal.quantile(upper: $0) }),
            SciPyCase(
                .studentQuantile, [degrees.map(Double.init)],
                degrees.map { MeanInterval.quantile(upper: ConfidenceInterval.tail, degrees: $0) }),
        ]
    }

    private static let shares = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95]

    private mutating func quantiles() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        let sizes =
            (1...150).map(Double.init) + [1_000, 9_999, 100_000]
            + (0..<200).map { _ in PortableMath.exp(11.5 * random.fraction()) }
        for size in sizes {
            for share in Self.shares {
                let ranks = QuantileRanks(share, size: size)
                cases.append(SciPyCase(.quantileRanks, [[share], [size]], [ranks?.low, ranks?.high]))
            }
        }
        var intervals = QuantileIntervals()
        for kind in Kind.allCases {
            for count in [1, 2, 6, 13, 72, 100, 500, 4_000] {
                let values = values(count, kind).sorted()
                for share in Self.shares {
                    cases.append(
                        SciPyCase(
                            .users, [values, [share]], scale: largest(values),
                            Self.figures(intervals.users(share, values))))
                }
                // The values of a user resemble each other; some users have one session, and some many.
                for most in [1, 3, 20] {
                    let levels = self.values(count, kind)
                    let groups = levels.map { level -> [Double] in
                        (0..<1 + random.next(below: most)).map { _ in
                            kind == .constant || random.next(below: 3) == 0 ? level : levels[random.next(below: count)]
                        }
                    }
                    cases += sessions(groups, &intervals)
                }
            }
        }
        // Without sessions above the quantile.
        let highest = (0..<80).map { [Double(min($0, 70)), Double(min($0, 70))] }
        return cases + sessions(highest, &intervals) + sessions([[1, 2, 3]], &intervals)
    }

    private func sessions(_ groups: [[Double]], _ intervals: inout QuantileIntervals) -> [SciPyCase] {
        let flat = groups.flatMap { $0 }
        let owners = groups.enumerated().flatMap { place, own in own.map { _ in Double(place) } }
        let sorted = flat.sorted()
        return Self.shares.map { share in
            SciPyCase(
                .sessions, [flat, owners, [share]], scale: largest(flat),
                Self.figures(intervals.sessions(share, groups.map { $0[...] }, sorted)))
        }
    }

    private static func figures(_ estimate: Estimate) -> [Double?] {
        [
            estimate.value, estimate.interval?.low, estimate.interval?.high,
            estimate.lack.flatMap(Estimate.Lack.allCases.firstIndex).map(Double.init),
        ]
    }

    private mutating func shares() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        for count in [0, 1, 2, 3, 10, 300] {
            for kind in [Kind.uniform, .equal, .constant] {
                let probabilities = values(count, kind).map { kind == .equal ? $0 / 50 : $0 * $0 * $0 }
                cases.append(SciPyCase(.holm, [probabilities], HolmCorrection.corrected(probabilities)))
            }
        }
        var observed: [(count: Double, total: Double)] = [(0, 0), (0, 1), (1, 1), (0, 1_000_000), (1, 1_000_000)]
        for _ in 0..<500 {
            let total = 1 + PortableMath.exp(16 * random.fraction()).rounded(.down)
            let share = random.fraction() * random.fraction()
            observed.append(((share * total).rounded(.down), total))
            observed.append((share * total, total))
        }
        for (count, total) in observed {
            let interval = WilsonInterval.ofShare(count, of: Int(total))
            // A share is accurate to the last digits of 1.
            cases.append(SciPyCase(.wilson, [[count], [total]], scale: 1, [interval.lowerBound, interval.upperBound]))
        }
        return cases
    }

    private mutating func ranks() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        func add(_ function: SciPyFunction, _ first: [Double], _ second: [Double]) {
            let test = RankTest(first, second)
            cases.append(SciPyCase(function, [first, second], [test.pGreater, test.pLess]))
        }
        for kind in [Kind.uniform, .skewed, .extreme] {
            for _ in 0..<60 {
                let shift = kind == .extreme ? 0 : random.fraction()
                let second = values(1 + random.next(below: 20), kind).map { $0 + shift }
                add(.rankUnequal, values(1 + random.next(below: 20), kind), second)
            }
            add(.rankUnequal, values(20, kind), values(20, kind))
        }
        for kind in [Kind.equal, .constant] {
            for _ in 0..<60 {
                let shift = Double(random.next(below: 3))
                let second = values(1 + random.next(below: 20), kind).map { $0 + shift }
                add(.rankEqual, values(1 + random.next(below: 20), kind), second)
            }
        }
        let constant = values(1, .constant)[0]
        add(.rankEqual, Array(repeating: constant, count: 20), Array(repeating: constant, count: 20))
        for kind in [Kind.uniform, .equal, .skewed, .extreme] {
            for (one, other) in [(21, 1), (1, 21), (21, 21), (20, 30), (200, 40), (20_000, 15_000)] {
                for shift in [0, 0.3, 1.0] {
                    add(.rankApproximate, values(one, kind), values(other, kind).map { $0 + shift })
                }
            }
        }
        add(.rankApproximate, Array(repeating: 5, count: 30), Array(repeating: 5, count: 30))
        add(.rankApproximate, Array(repeating: 5, count: 30), Array(repeating: 6, count: 30))
        for first in [1, 2, 7, 20, 50] {
            for second in [1, 3, 12, 20, 50] {
                cases.append(
                    SciPyCase(
                        .smallestProbability, [[Double(first)], [Double(second)]], [RankTest.smallestP(first, second)]))
            }
        }
        return cases
    }

    private mutating func medians() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        for count in 1...20 {
            let values = values(count, .uniform).sorted()
            let medians = MedianInterval.resampledMedians(values).sorted { $0.value < $1.value }
            cases.append(
                SciPyCase(.drawnMedians, [values], scale: 1e-3, medians.map(\.value) + medians.map(\.probability)))
        }
        func add(_ function: SciPyFunction, _ first: [Double], _ second: [Double]) {
            let interval = MedianInterval.ofDifference(first.sorted(), second.sorted())
            cases.append(
                SciPyCase(
                    function, [first.sorted(), second.sorted()], scale: largest(first + second),
                    [interval.lowerBound, interval.upperBound]))
        }
        for kind in Kind.allCases {
            for _ in 0..<12 {
                add(
                    .medianDifference, values(1 + random.next(below: 20), kind),
                    values(1 + random.next(below: 20), kind))
            }
            add(.medianDifference, values(20, kind), values(20, kind))
            for (one, other) in [(21, 1), (5, 40), (33, 33), (301, 151)] {
                add(.medianDifferenceDrawn, values(one, kind), values(other, kind))
            }
        }
        return cases
    }

    private mutating func means() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        for kind in [Kind.uniform, .skewed, .equal, .constant, .close] {
            for count in [1, 2, 3, 4, 5, 17, 61, 400] {
                let (first, second) = (values(count, kind), values(count, kind))
                let ones = first.map { _ in 1.0 }
                var sessions = first.map { _ in Double(random.next(below: 4)) }
                sessions[0] = 2
                let sums = zip(first, sessions).map { $0 * $1 }
                let all = Array(0..<count)
                let some = all.filter { $0 % 3 != 1 }
                for (sums, counts) in [(first, ones), (sums, sessions)] {
                    add(
                        SciPyCase(.userMean, [sums, counts], scale: 0, []), UserMean(sums: sums, counts: counts), &cases
                    )
                }
                for users in [all, some] {
                    guard let mean = UserMean(first: first, second: second, of: users) else { continue }
                    let inputs = [first, second, users.map(Double.init)]
                    add(SciPyCase(.userMeanDifference, inputs, []), mean, &cases)
                }
            }
        }
        return cases
    }

    /// Adds the case of a mean with its figures, and those of its interval by the bootstrap.
    private mutating func add(_ empty: SciPyCase, _ mean: UserMean, _ cases: inout [SciPyCase]) {
        var one = empty
        // Sums of values have the rounding of the largest ones.
        one.scale = largest(empty.inputs[0])
        one.figures = [mean.mean, mean.count, Double(mean.userCount), mean.effectiveUsers, mean.standardError]
        cases.append(one)
        // Without variance, callers use no interval.
        guard mean.standardError > 0 else { return }
        let resamples = [38, 39, 200, 1_999][random.next(below: 4)]
        let seed = random.next(below: 1_000_000)
        let bootstrap = UserBootstrap(
            userCount: empty.inputs[0].count, resamples: resamples, seed: UInt64(seed),
            threads: 1 + random.next(below: 3))
        let interval = bootstrap.intervals([mean])[0]
        cases.append(
            SciPyCase(
                empty.function == .userMean ? .bootstrap : .bootstrapDifference,
                empty.inputs + [[Double(resamples)], [Double(seed)]], scale: one.scale, [interval?.low, interval?.high])
        )
    }

    private mutating func fits() -> [SciPyCase] {
        var cases: [SciPyCase] = []
        for parts in 1...4 {
            for count in [1, 2, 3, 5, 40, 500] where count >= parts {
                for variation in [0, 0.05, 0.5] {
                    // A fixed time, and amounts whose sizes differ by a factor of a million.
                    let truth = (0..<parts).map { _ in random.next(below: 3) == 0 ? 0 : random.fraction() }
                    let samples = (0..<count).map { _ -> LeastSquares.Sample in
                        let amounts = (0..<parts).map { part in
                            part == 0 ? 1 : PortableMath.exp(7 * random.fraction()) * (part == 1 ? 1_000 : 1)
                        }
                        let time = zip(truth, amounts).reduce(0.001) { $0 + $1.0 * $1.1 } * noise.factor(variation)
                        return LeastSquares.Sample(amounts: amounts, time: time)
                    }
                    cases.append(fit(samples))
                }
            }
        }
        // Amounts that grow with each other, as the bytes and the pixels of images do. Many factors fit equally well.
        for variation in [0, 0.001, 0.1] {
            let samples = (0..<60).map { _ -> LeastSquares.Sample in
                let pixels = 1_000 * PortableMath.exp(7 * random.fraction())
                let amounts = [1, pixels, 0.3 * pixels * noise.factor(variation)]
                return LeastSquares.Sample(amounts: amounts, time: (20 + 0.01 * pixels) * noise.factor(0.1))
            }
            var error = fit(samples)
            error.function = .leastSquaresError
            error.figures.removeFirst(3)
            cases.append(error)
        }
        return cases
    }

    /// The factors, and 1 + the square root of the sum of squared relative errors. The root is 0 but for rounding if
    /// the fit is exact.
    private func fit(_ samples: [LeastSquares.Sample]) -> SciPyCase {
        let factors = LeastSquares.factors(samples)
        let squares = samples.reduce(0.0) { sum, sample in
            let rest = zip(sample.amounts, factors).reduce(0) { $0 + $1.0 * $1.1 } / sample.time - 1
            return sum + rest * rest
        }
        return SciPyCase(
            .leastSquares, [samples.flatMap(\.amounts), samples.map(\.time)], scale: 1e-4,
            factors + [1 + squares.squareRoot()])
    }
}
