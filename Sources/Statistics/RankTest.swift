import Basics
import Foundation

/// The test of Mann and Whitney: does one sample tend to larger values than another?
///
/// The test uses the ranks of the values only, so that a few very large values do not decide it. Equal values share the
/// mean of their ranks. With up to ``mostExact`` values on each side, the probabilities are exact, also with equal
/// values: they count the ways to draw the second sample from the pooled values. With more, the normal approximation
/// with corrections for continuity and for equal values is used.
///
/// Source: H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically larger
/// than the other", Annals of Mathematical Statistics 18 (1947).
package struct RankTest: Sendable, Equatable {
    /// The most values of a side for exact probabilities.
    static let mostExact = 20

    /// The probability of ranks of the second sample that are at least as high, if both samples have one distribution.
    package let pGreater: Double
    /// The probability of ranks of the second sample that are at least as low, if both samples have one distribution.
    package let pLess: Double

    /// - Parameters:
    ///   - first: The values of the first sample; at least one.
    ///   - second: The values of the second sample; at least one.
    /// - Complexity: O(*n*⁴) for samples of *n* ≤ 20 values, O(*n* log *n*) for larger ones.
    package init(_ first: [Double], _ second: [Double]) {
        let pooled = Pooled(first, second)
        if first.count <= Self.mostExact, second.count <= Self.mostExact {
            (pLess, pGreater) = pooled.exact
        } else {
            (pLess, pGreater) = pooled.approximate
        }
    }

    /// The smallest probability that samples of these sizes can give, which complete separation has.
    package static func smallestP(_ first: Int, _ second: Int) -> Double {
        (1...max(second, 1)).reduce(1) { $0 * Double($1) / Double(first + $1) }
    }
}

/// The values of two samples in one order.
private struct Pooled {
    let first: Int
    let second: Int
    /// Twice the rank of each value, so that mean ranks are whole numbers, in ascending order.
    private let ranks: [Int]
    /// The sum of the doubled ranks of the second sample.
    private let sum: Int
    /// The sum of *t*³ − *t* over groups of *t* equal values.
    private let ties: Double

    init(_ first: [Double], _ second: [Double]) {
        (self.first, self.second) = (first.count, second.count)
        let values = (first.map { ($0, false) } + second.map { ($0, true) }).sorted { $0.0 < $1.0 }
        var ranks: [Int] = []
        var sum = 0
        var ties = 0.0
        var start = 0
        while start < values.count {
            var end = start
            while end < values.count, values[end].0 == values[start].0 { end += 1 }
            // The ranks start + 1 to end have the mean (start + 1 + end) / 2.
            let rank = start + 1 + end
            for place in start..<end {
                ranks.append(rank)
                if values[place].1 { sum += rank }
            }
            let count = Double(end - start)
            ties += count * count * count - count
            start = end
        }
        (self.ranks, self.sum, self.ties) = (ranks, sum, ties)
    }

    /// The probabilities of a sum that is at most, and at least, the observed one.
    var exact: (less: Double, greater: Double) {
        let top = ranks.suffix(second).reduce(0, +)
        // ways[taken][sum]: the number of choices of `taken` of the values seen so far with this sum of ranks.
        var ways = [[Double]](repeating: [Double](repeating: 0, count: top + 1), count: second + 1)
        ways[0][0] = 1
        for (seen, rank) in ranks.enumerated() {
            for taken in stride(from: min(second, seen + 1), through: 1, by: -1) {
                guard rank <= top else { continue }
                for total in rank...top where ways[taken - 1][total - rank] != 0 {
                    ways[taken][total] += ways[taken - 1][total - rank]
                }
            }
        }
        let counts = ways[second]
        let all = counts.reduce(0, +)
        return (counts[...sum].reduce(0, +) / all, counts[sum...].reduce(0, +) / all)
    }

    /// The same probabilities by the normal distribution.
    var approximate: (less: Double, greater: Double) {
        let (n, m) = (Double(first), Double(second))
        let total = n + m
        let variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
        guard variance > 0 else { return (1, 1) }
        let distance = Double(sum) / 2 - m * (total + 1) / 2
        let deviation = variance.squareRoot()
        return (
            Normal.upperTail((-distance - 0.5) / deviation), Normal.upperTail((distance - 0.5) / deviation)
        )
    }
}

/// The standard normal distribution.
package enum Normal {
    /// Returns the probability of a value above `z`.
    static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// Returns the value that is exceeded with a probability from 1e-300 to 0.5.
    package static func quantile(upper probability: Double) -> Double {
        var (low, high) = (0.0, 40.0)
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if upperTail(middle) > probability { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}

/// The sign test: whether chance explains how many of several pairs differ in one direction.
package enum SignTest {
    /// The most pairs for which the probability is exact. With more pairs, it comes from the normal distribution.
    private static let mostExact = 1_000

    /// Returns the probability that at least `count` of `total` pairs differ in a given direction, if both directions
    /// are equally likely.
    package static func probability(of count: Int, of total: Int) -> Double {
        guard total <= mostExact else {
            let mean = Double(total) / 2
            return Normal.upperTail((Double(count) - 0.5 - mean) / (mean / 2).squareRoot())
        }
        var ways = 1.0
        var sum = 0.0
        // From all pairs down: of so many, 0, 1, 2, ... differ in the other direction.
        for others in 0...max(0, total - count) {
            sum += ways
            ways *= Double(total - others) / Double(others + 1)
        }
        return sum * PortableMath.exp(-Double(total) * PortableMath.log(2))
    }
}

/// The correction of Holm for several tests at once.
package enum HolmCorrection {
    /// Returns the corrected probabilities: if those below *e* count as findings, then the probability that any of them
    /// is by chance is at most *e*.
    ///
    /// Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    /// (1979).
    package static func corrected(_ probabilities: [Double]) -> [Double] {
        var corrected = probabilities
        var largest = 0.0
        let order = probabilities.indices.sorted { probabilities[$0] < probabilities[$1] }
        for (place, index) in order.enumerated() {
            largest = max(largest, min(1, probabilities[index] * Double(probabilities.count - place)))
            corrected[index] = largest
        }
        return corrected
    }
}
