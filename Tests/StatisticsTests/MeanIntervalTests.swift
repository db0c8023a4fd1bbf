import Testing

@testable import Statistics

@Suite("The interval of a mean")
struct MeanIntervalTests {
    /// From the table of Student's distribution.
    @Test(
        "Quantiles are those of the table",
        arguments: [(1, 12.7062), (2, 4.3027), (4, 2.7764), (9, 2.2622), (30, 2.0423), (1_000, 1.9623)])
    func quantiles(degrees: Int, value: Double) {
        let found = MeanInterval.quantile(upper: 0.025, degrees: degrees)
        #expect(abs(found - value) < 5e-5)
    }

    /// The mean of 1, 2 and 3 is 2. Their variance is 1, so the standard error is the root of 1/3, 0.57735, and the
    /// interval reaches 4.3027 times as far.
    @Test("The interval of three values, by hand")
    func three() throws {
        let estimate = MeanInterval.of([1, 2, 3])
        #expect(estimate.value == 2)
        let interval = try #require(estimate.interval)
        #expect(abs(interval.low - (2 - 2.48414)) < 1e-4)
        #expect(abs(interval.high - (2 + 2.48414)) < 1e-4)
    }

    @Test("One value, and equal values, have no interval")
    func lacks() {
        #expect(MeanInterval.of([0.5]) == Estimate(0.5, lacking: .tooFewResamples))
        #expect(MeanInterval.of([0.5, 0.5, 0.5]) == Estimate(0.5, lacking: .allEqual))
    }
}
