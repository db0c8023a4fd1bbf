extension Comparison {
    /// For CI servers: one test case per gated figure and per missing cell, in the JUnit XML that they all read.
    var junit: String {
        let gated = findings.filter(\.isGated)
        let failures = gated.count { $0.isFailure } + missingCells.count
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites>\n"
        text +=
            """
              <testsuite name="cachereplay compare" tests="\(gated.count + missingCells.count)" \
            failures="\(failures)">\n
            """
        for finding in gated {
            text += Self.testCase(
                "\(finding.trace) / \(finding.cache)", finding.metric, finding.isFailure ? Self.message(finding) : nil)
        }
        for cell in missingCells {
            text += Self.testCase(
                "\(cell.trace) / \(cell.cache)", "cell", "the baseline has this cell, the candidate has not")
        }
        let output = ([verdict] + warnings.map { "Warning: \($0)" }).joined(separator: "\n")
        return text + "    <system-out>\(MarkupText.escaped(output))</system-out>\n  </testsuite>\n</testsuites>\n"
    }

    private static func testCase(_ group: String, _ name: String, _ failure: String?) -> String {
        let opening = "    <testcase classname=\"\(MarkupText.escaped(group))\" name=\"\(MarkupText.escaped(name))\""
        guard let failure else { return opening + "/>\n" }
        return opening + ">\n      <failure message=\"\(MarkupText.escaped(failure))\"/>\n    </testcase>\n"
    }

    private static func message(_ finding: Finding) -> String {
        "\(finding.baselineText) before, \(finding.candidateText) now: \(finding.changeText), "
            + "may worsen by \(finding.allowedText)"
    }
}
