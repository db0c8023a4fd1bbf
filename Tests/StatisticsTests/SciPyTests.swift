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
        var differences: [String] = []
        for (one, correct) in zip(Self.cases, reference) where one.function == function {
            compared += correct.count
            guard one.figures.count == correct.count else {
                differences.append("\(one.figures) instead of \(correct), of \(Self.short(one.inputs))")
                continue
            }
            let place = one.figures.indices.first { !(one.error($0, correct[$0]) <= function.tolerance) }
            guard let place else { continue }
            let own = one.figures[place].map { "\($0)" } ?? "none"
            let expected = correct[place].map { $0.low == $0.high ? "\($0.low)" : "\($0.low) to \($0.high)" } ?? "none"
            differences.append("\(own) instead of \(expected), figure \(place) of \(Self.short(one.inputs))")
        }
        #expect(differences.prefix(3).isEmpty, "\(differences.count) cases of \(function) differ")
        #expect(compared > 0, "no case of \(function)")
    }

    /// The first values of each input.
    private static func short(_ inputs: [[Double]]) -> String {
        inputs.map { $0.count > 8 ? "\($0.prefix(8)) and \($0.count - 8) more" : "\($0)" }.joined(separator: ", ")
    }
}
