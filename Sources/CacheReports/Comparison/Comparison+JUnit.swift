extension Comparison {
    /// For CI servers: one test case per gated figure and per missing cell, in the JUnit XML that they all read.
    var junit: String {
        let gated = findings.filter(\.isGated)
        let failures = gated.count { $0.isFailure } + missingCells.count
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites>\n"
        text +=
            "  <testsuite name=\"cachereplay compare\" tests=\"\(gated.count + missingCells.count)\" failures=\"\(failures)\">\n"
        for finding in gated {
            text += Self.testCase(
                "\(finding.trace) / \(finding.cache)", finding.metric, finding.isFailure ? Self.message(finding) : nil)
        }
        for cell in missingCells {
            text += Self.testCase(
                "\(cell.trace) / \(cell.cache)", "cell", "the baseline has this cell, the candidate has not")
        }
        let output = ([verdict] + warnings.map { "Warning: \($0)" }).joined(separator: "\n")
        return text + "    <system-out>\(Self.escaped(output))</system-out>\n  </testsuite>\n</testsuites>\n"
    }

    private static func testCase(_ group: String, _ name: String, _ failure: String?) -> String {
        let opening = "    <testcase classname=\"\(escaped(group))\" name=\"\(escaped(name))\""
        guard let failure else { return opening + "/>\n" }
        return opening + ">\n      <failure message=\"\(escaped(failure))\"/>\n    </testcase>\n"
    }

    private static func message(_ finding: Finding) -> String {
        "\(finding.baselineText) before, \(finding.candidateText) now: \(finding.changeText), "
            + "may worsen by \(finding.allowedText)"
    }

    /// XML 1.0 has no way to write most control characters, so they become blanks.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
