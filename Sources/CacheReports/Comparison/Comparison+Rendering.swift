/// The output formats of a comparison.
public enum ComparisonFormat: String, Sendable, CaseIterable {
    case table
    case markdown
    case json
    case junit
}

extension Comparison {
    public func rendered(as format: ComparisonFormat) -> String {
        switch format {
        case .table: table
        case .markdown: markdown
        case .json: json
        case .junit: junit
        }
    }

    /// The result in one sentence.
    public var verdict: String {
        let pairs = Set(findings.map { [$0.trace, $0.cache] }).count
        let judged = "\(Self.pairs(pairs)), \(Self.count(findings.count { $0.isGated }, "gated figure"))"
        guard hasWorsened else {
            let accepted = findings.count { $0.verdict == .allowed }
            let note = accepted > 0 ? ", \(accepted) worse within what is allowed" : ""
            return
                "Nothing got worse than allowed: \(judged)\(note), \(findings.count { $0.verdict == .better }) better."
        }
        var reasons: [String] = []
        if !failures.isEmpty { reasons.append("\(Self.count(failures.count, "figure")) got worse than allowed") }
        if !missingPairs.isEmpty { reasons.append("\(Self.pairs(missingPairs.count)) missing in the candidate") }
        return "WORSE: \(reasons.joined(separator: ", ")) (\(judged))."
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func pairs(_ number: Int) -> String {
        number == 1 ? "1 pair of trace and cache" : "\(number) pairs of trace and cache"
    }

    /// The findings that are not the same on both sides, the worst first.
    var changes: [Finding] {
        let order: [Finding.Verdict] = [.worse, .missing, .allowed, .noted, .better, .new]
        return order.flatMap { verdict in findings.filter { $0.verdict == verdict } }
    }

    private func name(_ change: CauseChange) -> String { name(Pair(trace: change.trace, cache: change.cache)) }

    private func name(_ pair: Pair) -> String { ShortNames.printable("\(pair.trace), \(pair.cache)") }

    // MARK: Table and Markdown

    /// The table for a terminal.
    var table: String {
        let names = ShortNames(changes.map(\.cache), limit: 30)
        var text = changes.isEmpty ? "" : grid { names[$0] }.plain() + "\n"
        for explanation in names.explanations { text += explanation + "\n" }
        for change in causes { text += "\(name(change)): \(change.text).\n" }
        if let causesHint { text += causesHint + "\n" }
        for pair in missingPairs { text += "MISSING in the candidate: \(name(pair))\n" }
        for pair in newPairs { text += "New in the candidate: \(name(pair))\n" }
        for warning in warnings { text += "Warning: \(warning)\n" }
        return text + verdict + "\n"
    }

    /// The table for a comment on a pull request.
    var markdown: String {
        var text = "**\(TextGrid.markdown(verdict))**\n\n"
        if !changes.isEmpty { text += grid(name: ShortNames.printable).markdown() + "\n" }
        for change in causes {
            text += "- \(TextGrid.markdown(name(change))): \(TextGrid.markdown(change.text))\n"
        }
        for pair in missingPairs { text += "- missing in the candidate: \(TextGrid.markdown(name(pair)))\n" }
        for pair in newPairs { text += "- new in the candidate: \(TextGrid.markdown(name(pair)))\n" }
        for warning in warnings { text += "- warning: \(TextGrid.markdown(warning))\n" }
        return text
    }

    /// Returns the changes as a grid.
    /// - Parameter name: Returns the text for the name of a cache.
    private func grid(name: (String) -> String) -> TextGrid {
        var grid = TextGrid(headings: [
            .init(title: "verdict", alignment: .left), .init(title: "trace", alignment: .left),
            .init(title: "cache", alignment: .left), .init(title: "metric", alignment: .left),
            .init(title: "baseline"), .init(title: "candidate"), .init(title: "change"), .init(title: "may worsen by"),
        ])
        grid.rows = changes.map { finding in
            [
                Self.word(finding), ShortNames.printable(finding.trace), name(finding.cache),
                finding.metric, finding.baselineText, finding.candidateText, finding.changeText, finding.allowedText,
            ]
        }
        return grid
    }

    private static func word(_ finding: Finding) -> String {
        switch finding.verdict {
        case .worse: "WORSE"
        case .missing: finding.isGated ? "MISSING" : "missing"
        case .noted: "worse, not gated"
        case .allowed: "worse, allowed"
        case .better, .same, .new: finding.verdict.rawValue
        }
    }

    // MARK: JSON

    /// The comparison for programs: every figure that was judged, including those that stayed the same.
    var json: String {
        let whole = JSONText.object([
            ("worse", .bool(hasWorsened)), ("verdict", .string(verdict)),
            ("warnings", .array(warnings.map { .string($0) })),
            ("missing", .array(missingPairs.map(Self.json))), ("new", .array(newPairs.map(Self.json))),
            ("causes", .array(causes.map(Self.json))), ("findings", .array(findings.map(Self.json))),
        ])
        return whole.rendered() + "\n"
    }

    private static func json(_ change: CauseChange) -> JSONText {
        .object([
            ("trace", .string(change.trace)), ("cache", .string(change.cache)),
            (
                "misses",
                .array(
                    change.misses.map {
                        .object([
                            ("tier", .string($0.tier.rawValue)), ("cause", .string($0.cause.name)),
                            ("baseline", .figure($0.baseline, .ratio)), ("candidate", .figure($0.candidate, .ratio)),
                        ])
                    })
            ),
            (
                "waits",
                .array(
                    change.waits.map {
                        .object([
                            ("wait", .string($0.wait.name)), ("baseline_s", .figure($0.baseline, .seconds)),
                            ("candidate_s", .figure($0.candidate, .seconds)),
                        ])
                    })
            ),
        ])
    }

    private static func json(_ pair: Pair) -> JSONText {
        .object([("trace", .string(pair.trace)), ("cache", .string(pair.cache))])
    }

    private static func json(_ finding: Finding) -> JSONText {
        .object([
            ("trace", .string(finding.trace)), ("cache", .string(finding.cache)), ("metric", .string(finding.metric)),
            ("baseline", .figure(finding.baseline, finding.unit)),
            ("candidate", .figure(finding.candidate, finding.unit)),
            ("gated", .bool(finding.isGated)), ("allowed", .figure(finding.allowed, finding.unit)),
            ("verdict", .string(finding.verdict.rawValue)), ("failed", .bool(finding.isFailure)),
        ])
    }

    // MARK: JUnit

    /// The comparison for CI servers, as JUnit XML: one test case per gated figure and per missing pair.
    var junit: String {
        let gated = findings.filter(\.isGated)
        let failures = gated.count { $0.isFailure } + missingPairs.count
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites>\n"
        text +=
            """
              <testsuite name="cachereplay compare" tests="\(gated.count + missingPairs.count)" \
            failures="\(failures)">\n
            """
        for finding in gated {
            text += Self.testCase(
                "\(finding.trace) / \(finding.cache)", finding.metric, finding.isFailure ? Self.message(finding) : nil)
        }
        for pair in missingPairs {
            text += Self.testCase(
                "\(pair.trace) / \(pair.cache)", "present", "the baseline has this trace and cache, the candidate not")
        }
        let grown = causes.map { "\(name($0)): \($0.text)." }
        let output = ([verdict] + grown + warnings.map { "Warning: \($0)" }).joined(separator: "\n")
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

extension Comparison.Finding {
    var baselineText: String { text(baseline, beside: candidate) }
    var candidateText: String { text(candidate, beside: baseline) }

    /// Returns a figure with as many digits as it needs to differ from the other one.
    private func text(_ figure: Double?, beside other: Double?) -> String {
        guard let figure else { return "–" }
        let plain = HumanText.figure(figure, unit)
        guard let other, other != figure, HumanText.figure(other, unit) == plain else { return plain }
        for places in 2...9 {
            let text = HumanText.exact(figure, unit, places)
            if text != HumanText.exact(other, unit, places) { return text }
        }
        return plain
    }
    var allowedText: String { allowed.map { $0 == 0 ? "0" : Self.amount($0, unit) } ?? "–" }

    /// The change with its sign: `+1.2 ms (+4.1%)`. Ratios change by percentage points.
    var changeText: String {
        guard let baseline, let candidate else { return "–" }
        let change = candidate - baseline
        let sign = change < 0 ? "-" : "+"
        let amount = sign + Self.amount(abs(change), unit)
        guard unit != .ratio, baseline != 0 else { return amount }
        return amount + " (\(sign)\(HumanText.share(abs(change / baseline))))"
    }

    private static func amount(_ value: Double, _ unit: Unit) -> String {
        guard unit == .ratio else { return HumanText.figure(value, unit) }
        // Six places, so that a change of a few requests in a million does not read as 0.
        var digits = Unit.ratio.written(.real(value * 100))
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return "\(digits) points"
    }
}
