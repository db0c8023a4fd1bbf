import Statistics

/// One figure of the repeats of two results, where repeats differ by chance.
///
/// The values are turned so that larger ones are worse.
struct RepeatComparison: Sendable {
    /// The probability of a false alarm in a whole comparison.
    static let error = 0.01
    /// The share of comparisons in which a detectable change is found.
    static let power = 0.95
    /// The fewest repeats of a side for a verdict by statistics.
    static let fewest = 5
    /// The fewest repeats of a side after which equal figures count as figures without variation.
    static let fewestExact = 3
    /// The most repeats that a hint asks for.
    static let mostNeeded = 1_000

    /// In ascending order.
    let baseline: [Double]
    let candidate: [Double]

    init(baseline: [Double], candidate: [Double]) {
        (self.baseline, self.candidate) = (baseline.sorted(), candidate.sorted())
    }

    /// By how much the candidate's median is worse.
    var worsening: Double { Median.ofSorted(candidate) - Median.ofSorted(baseline) }

    /// Whether the repeats of each side are equal, so that nothing is left to chance.
    var isWithoutVariation: Bool {
        min(baseline.count, candidate.count) >= Self.fewestExact && baseline.first == baseline.last
            && candidate.first == candidate.last
    }

    var isEqual: Bool { baseline.first == baseline.last && candidate == candidate.map { _ in baseline[0] } }

    var isTestable: Bool { min(baseline.count, candidate.count) >= Self.fewest }

    var test: RankTest { RankTest(baseline, candidate) }

    /// The 95 % interval of ``worsening``.
    var interval: ClosedRange<Double> { MedianInterval.ofDifference(baseline, candidate) }

    // MARK: What more repeats would show

    /// The standard deviation of the repeats of a side; nil if no side has two repeats.
    private var noise: Double? {
        func squares(_ values: [Double]) -> Double {
            let mean = values.reduce(0, +) / Double(values.count)
            return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        }
        let freedom = baseline.count + candidate.count - 2
        guard freedom > 0 else { return nil }
        return ((squares(baseline) + squares(candidate)) / Double(freedom)).squareRoot()
    }

    /// Returns the smallest worsening that is found in ``power`` of such comparisons; nil if no change can be found,
    /// or if the noise is unknown.
    ///
    /// The estimate assumes that the repeats are about normally distributed.
    ///
    /// - Parameter error: The probability of a false alarm for this figure alone.
    func detectable(allowed: Double, error: Double) -> Double? {
        guard isTestable else { return nil }
        return noise.flatMap { Self.detectable(baseline.count, candidate.count, $0, allowed: allowed, error: error) }
    }

    private static func detectable(
        _ first: Int, _ second: Int, _ noise: Double, allowed: Double, error: Double
    ) -> Double? {
        guard RankTest.smallestP(first, second) <= error else { return nil }
        let freedom = Double(first + second - 2)
        let scale = noise * (1 / Double(first) + 1 / Double(second)).squareRoot()
        let z = Normal.quantile(upper: error)
        // The quantile of Student's distribution, by the first terms of its expansion.
        let critical =
            z + (z * z * z + z) / (4 * freedom) + (5 * z * z * z * z * z + 16 * z * z * z + 3 * z)
            / (96 * freedom * freedom)
        let reserve = Normal.quantile(upper: 1 - power)
        // Ranks need π / 3 times, and medians π / 2 times, as many values as means.
        let significant =
            (critical + reserve * (1 + critical * critical / (2 * freedom)).squareRoot()) * scale
            * (Double.pi / 3).squareRoot()
        return max(significant, allowed + reserve * (Double.pi / 2).squareRoot() * scale)
    }

    /// Returns how many repeats of each side would probably decide; nil for more than ``mostNeeded``.
    ///
    /// If the noise is unknown, it is the number after which any change can be found at all.
    func repeatsNeeded(allowed: Double, error: Double) -> Int? {
        let least = max(Self.fewest, max(baseline.count, candidate.count) + 1)
        return (least...max(least, Self.mostNeeded)).first { count in
            guard RankTest.smallestP(count, count) <= error else { return false }
            guard let noise else { return true }
            if worsening > allowed {
                // The observed change would be found if it is the true one.
                return Self.detectable(count, count, noise, allowed: 0, error: error).map { $0 <= worsening } == true
            }
            // The interval would end within what is allowed.
            let reach = 1.96 * noise * (Double.pi / 2 * 2 / Double(count)).squareRoot()
            return worsening + reach <= allowed
        }
    }
}
