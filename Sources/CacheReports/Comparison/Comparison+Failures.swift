import Basics

extension Comparison {
    /// What makes a comparison fail: one line for each figure that is worse than allowed, missing or over budget.
    ///
    /// - Parameter includingUndecided: Whether figures that the repeats do not decide are failures too.
    public func failureLines(includingUndecided: Bool = false) -> [String] {
        func name(_ trace: String, _ cache: String) -> String { VisibleText.printable("\(trace), \(cache)") }
        let figures = findings.filter { $0.isFailure || includingUndecided && $0.verdict == .undecided }
        return figures.map { finding in
            let word = finding.verdict == .undecided ? "UNDECIDED" : finding.verdict == .missing ? "MISSING" : "WORSE"
            return "\(word): \(name(finding.trace, finding.cache)), \(finding.metric): \(finding.baselineText) before, "
                + "\(finding.candidateText) now: \(finding.changeText), may worsen by \(finding.allowedText)"
        }
            + missingPairs.map { "MISSING in the candidate: \(name($0.trace, $0.cache))" }
            + budgets.filter { !$0.isKept }.map { "OVER BUDGET: \(name($0.trace, $0.cache)), \($0.text)" }
    }
}
