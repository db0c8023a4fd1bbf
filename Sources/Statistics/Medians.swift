import Basics

/// The middle value.
package enum Median {
    /// Returns the median of at least one value in ascending order. Of an even number, it is the mean of the middle
    /// two.
    package static func ofSorted(_ values: [Double]) -> Double {
        let middle = values.count / 2
        return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }
}

extension [Double] {
    /// The median; 0 of an empty array.
    package var median: Double { isEmpty ? 0 : Median.ofSorted(sorted()) }
}

/// The 95 % interval of the difference between the medians of two samples, by the percentile bootstrap.
///
/// The bootstrap draws both samples again, with replacement, and takes the middle 95 % of the differences of the
/// medians (B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979). With up to
/// ``mostExact`` values on each side, the distribution over all draws is computed; see J. S. Maritz and R. G. Jarrett,
/// "A note on estimating the variance of the sample median", JASA 73 (1978). With more, ``resamples`` seeded draws are
/// made. Both give the same interval on every run.
package enum MedianInterval {
    /// The most values of a side for which all draws are computed.
    static let mostExact = 20
    /// The number of draws of larger samples.
    static let resamples = 5_000

    /// Returns the interval of the median of `second` minus the median of `first`.
    ///
    /// - Parameters:
    ///   - first: At least one value, in ascending order.
    ///   - second: At least one value, in ascending order.
    package static func ofDifference(_ first: [Double], _ second: [Double]) -> ClosedRange<Double> {
        if first.count <= mostExact, second.count <= mostExact {
            let (one, other) = (resampledMedians(first), resampledMedians(second))
            return middle(
                other.flatMap { new in one.map { (new.value - $0.value, new.probability * $0.probability) } })
        }
        var random = SplitMix64(seed: 1)
        let differences = (0..<resamples).map { _ in
            (drawnMedian(second, &random) - drawnMedian(first, &random), 1 / Double(resamples))
        }
        return middle(differences)
    }

    /// Returns the range between the 2.5th and the 97.5th percentile.
    private static func middle(_ values: [(Double, Double)]) -> ClosedRange<Double> {
        let sorted = values.sorted { $0.0 < $1.0 }
        let all = sorted.reduce(0) { $0 + $1.1 }
        var (low, high) = (sorted[0].0, sorted[sorted.count - 1].0)
        var sum = 0.0
        for (value, probability) in sorted {
            if sum <= 0.025 * all { low = value }
            sum += probability
            if sum >= 0.975 * all {
                high = value
                break
            }
        }
        return low...max(low, high)
    }

    private static func drawnMedian(_ values: [Double], _ random: inout SplitMix64) -> Double {
        Median.ofSorted((0..<values.count).map { _ in values[random.next(below: values.count)] }.sorted())
    }

    /// Returns the medians of all draws of a sample, with their probabilities. Those below 1e-7 are left out.
    static func resampledMedians(_ values: [Double]) -> [(value: Double, probability: Double)] {
        let count = values.count
        let half = (count + 1) / 2
        /// The probability that the value of this rank among the drawn ones is one of the first `index` values.
        func below(_ index: Int, rank: Int) -> Double {
            let share = Double(index) / Double(count)
            return (rank...count).reduce(0) {
                $0 + binomial(count, $1) * power(share, $1) * power(1 - share, count - $1)
            }
        }
        let single = (0..<count).map { below($0 + 1, rank: half) - below($0, rank: half) }
        guard count % 2 == 0 else {
            return zip(values, single).map { ($0, $1) }.filter { $0.1 > 1e-7 }
        }
        // The median is the mean of two values: the lower half ends at one, and the upper half starts at the other.
        var medians: [(value: Double, probability: Double)] = []
        let ways = binomial(count, half)
        for low in 0..<count {
            var rest = single[low]
            for high in low + 1..<max(count, low + 1) {
                let lower = power(Double(low + 1) / Double(count), half) - power(Double(low) / Double(count), half)
                let upper =
                    power(Double(count - high) / Double(count), half)
                    - power(Double(count - high - 1) / Double(count), half)
                let probability = ways * lower * upper
                rest -= probability
                medians.append(((values[low] + values[high]) / 2, probability))
            }
            medians.append((values[low], rest))
        }
        return medians.filter { $0.probability > 1e-7 }
    }

    private static func power(_ base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { result, _ in result * base }
    }

    private static func binomial(_ count: Int, _ chosen: Int) -> Double {
        (0..<chosen).reduce(1) { $0 * Double(count - $1) / Double($1 + 1) }
    }
}
