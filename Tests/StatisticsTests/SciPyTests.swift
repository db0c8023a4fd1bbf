import Testing

/// Every function of the module Statistics, with seeded random inputs.
///
/// SciPy and NumPy compute the reference wherever they have the function. They have none for these figures, which the
/// program in ``SciPyReference`` computes in another way:
/// - Exact probabilities of ranks with equal values: it counts by groups of equal values. For up to 20,000 choices,
///   SciPy's `permutation_test` confirms them.
/// - The medians of all draws: it uses exact fractions, or SciPy's binomial distribution. Larger samples are drawn, so
///   their intervals are compared with the exact percentiles 2.5 and 97.5, plus or minus five standard deviations.
/// - The studentised bootstrap: it makes the same draws with a SplitMix64 of its own, and computes each resample from
///   the list of its users. SciPy's `bootstrap` has other intervals.
/// - Change points: it makes the same random orders, and computes all distances anew. The orders are those of Swift's
///   `shuffle(using:)`, so the test fails if Swift changes it.
/// - Holm's correction and quantiles over sessions: it computes their definitions with NumPy.
@Suite(
    "Statistics have the figures of SciPy",
    .enabled(if: SciPyReference.isInstalled, "scripts/test installs SciPy from PyPI"))
struct SciPyTests {
    private static let cases = SciPyCases.all()
    private static let reference = Result { try SciPyReference.figures(of: cases) }

    @Test("The figures of a function are those of SciPy", arguments: SciPyFunction.allCases)
    func figures(function: SciPyFunction) throws {
        let reference = try Self.reference.get()
        try #require(reference.count == Self.cases.count)
        var compared = 0
        for (one, correct) in zip(Self.cases, reference) where one.function == function {
            try #require(
                one.figures.count == correct.count,
                "\(function) of \(Self.short(one.inputs)) has \(one.figures), and SciPy \(correct)")
            let wrong = one.figures.indices.filter { !(one.error($0, correct[$0]) <= function.tolerance) }
            for place in wrong.prefix(1) {
                let (own, others) = (one.figures[place], correct[place])
                Issue.record(
                    """
                    Figure \(place) of \(function) is \(own.map { "\($0)" } ?? "missing") instead of \
                    \(others.map { $0.low == $0.high ? "\($0.low)" : "\($0.low) to \($0.high)" } ?? "missing"), \
                    of \(Self.short(one.inputs))
                    """)
            }
            compared += correct.count
        }
        #expect(compared > 0, "no case of \(function)")
    }

    /// The first values of each input.
    private static func short(_ inputs: [[Double]]) -> String {
        inputs.map { $0.count > 20 ? "\($0.prefix(20)) and \($0.count - 20) more" : "\($0)" }.joined(separator: ", ")
    }
}
