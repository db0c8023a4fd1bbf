/// The forms in which a comparison can be told.
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

    /// One sentence that says it all.
    public var verdict: String {
        let cells = Set(findings.map { [$0.trace, $0.cache] }).count
        let judged = "\(Self.count(cells, "cell")), \(Self.count(findings.count { $0.isGated }, "gated figure"))"
        guard hasWorsened else {
            let accepted = findings.count { $0.verdict == .allowed }
            let note = accepted > 0 ? ", \(accepted) worse within what is allowed" : ""
            return
                "Nothing got worse than allowed: \(judged)\(note), \(findings.count { $0.verdict == .better }) better."
        }
        var reasons: [String] = []
        if !failures.isEmpty { reasons.append("\(Self.count(failures.count, "figure")) got worse than allowed") }
        if !missingCells.isEmpty {
            reasons.append("\(Self.count(missingCells.count, "cell")) missing in the candidate")
        }
        return "WORSE: \(reasons.joined(separator: ", ")) (\(judged))."
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// What changed, the worst first.
    var changes: [Finding] {
        let order: [Finding.Verdict] = [.worse, .missing, .allowed, .noted, .better, .new]
        return order.flatMap { verdict in findings.filter { $0.verdict == verdict } }
    }

    /// - Parameter name: how to write the name of a cache.
    func grid(name: (String) -> String) -> TextGrid {
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
}

extension Comparison.Finding {
    var baselineText: String { baseline.map { HumanText.figure($0, unit) } ?? "–" }
    var candidateText: String { candidate.map { HumanText.figure($0, unit) } ?? "–" }
    var allowedText: String { allowed.map { $0 == 0 ? "0" : Self.amount($0, unit) } ?? "–" }

    /// `+1.2 ms (+4.1%)`; ratios in percentage points.
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
        // A change of a few requests in a million shall not read as none.
        var digits = Unit.ratio.written(.real(value * 100))
        while digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return "\(digits) points"
    }
}
