import Basics
import Foundation
import ReplayEngine
import Runs

public enum ComparisonFormat: String, Sendable, CaseIterable {
    case table
    case markdown
    /// A page that needs no other file.
    case html
    case json
    case junit
    /// Annotations of GitHub Actions.
    case github
}

extension Comparison {
    public func rendered(as format: ComparisonFormat) -> String {
        switch format {
        case .table: table
        case .markdown: markdown
        case .html: html
        case .json: json
        case .junit: junit
        case .github: github
        }
    }

    /// The result in one sentence, and a second one if a drift is visible.
    public var verdict: String { ([sentence] + [drift].compactMap(\.self)).joined(separator: " ") }

    private var sentence: String {
        let pairs = Set(judgements.map(\.pair)).count
        var judged: [String] = []
        if pairs > 0 { judged = [Self.pairs(pairs), Self.count(judgements.count { $0.isGated }, "gated figure")] }
        if !budgets.isEmpty { judged.append("\(budgets.count) checked against budgets") }
        var open = undecided.isEmpty ? "" : ", \(undecided.count) undecided"
        if !accepted.isEmpty { open += ", \(accepted.count) accepted" }
        if isFirstRun { judged.insert("first run, no baseline", at: 0) }
        guard hasWorsened else {
            let allowed = judgements.count { $0.verdict == .allowed }
            let note = allowed > 0 ? ", \(allowed) worse within what is allowed" : ""
            if isFirstRun {
                let kept =
                    budgets.isEmpty
                    ? "there is no budget to judge" : "all budgets are kept (\(Self.count(budgets.count, "figure")))"
                return "First run, no baseline: \(kept)."
            }
            if judgements.isEmpty { return "All budgets are kept: \(judged.joined(separator: ", "))." }
            let better = judgements.count { $0.verdict == .better }
            let opening =
                undecided.isEmpty ? "Nothing got worse than allowed" : "UNDECIDED: nothing is known to be worse"
            return "\(opening): \(judged.joined(separator: ", "))\(note)\(open), \(better) better."
        }
        var reasons: [String] = []
        if !failures.isEmpty { reasons.append("\(Self.count(failures.count, "figure")) got worse than allowed") }
        if !missingPairs.isEmpty { reasons.append("\(Self.pairs(missingPairs.count)) missing in the candidate") }
        let over = budgets.count { !$0.isKept }
        if over > 0 { reasons.append("\(Self.count(over, "figure")) over budget") }
        return "WORSE: \(reasons.joined(separator: ", ")) (\(judged.joined(separator: ", "))\(open))."
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func pairs(_ number: Int) -> String {
        number == 1 ? "1 pair of trace and cache" : "\(number) pairs of trace and cache"
    }

    /// The judgements that are not the same on both sides, the worst first.
    var changes: [Judgement] {
        let order: [Judgement.Verdict] = [
            .worse, .missing, .accepted, .undecided, .allowed, .noted, .better, .new,
        ]
        return order.flatMap { verdict in judgements.filter { $0.verdict == verdict } }
    }

    func name(_ change: CauseChange) -> String {
        name(Pair(trace: change.trace, network: change.network, cache: change.cache))
    }

    func name(_ judgement: Judgement) -> String { name(judgement.pair) }

    /// The findings of the repeats on changes, and the figures over budget.
    var findings: [Finding] {
        changes.compactMap { change in
            change.chanceText.map {
                Finding(
                    subject: .chance, text: "\(name(change)), \(change.metric): \($0)",
                    evidence: evidence(change.pair, change.metric, [change.baseline, change.candidate]),
                    caches: [change.cache])
            }
        }
            + budgets.filter { !$0.isKept }.map {
                Finding(
                    subject: .budget, text: "OVER BUDGET: \(name($0.pair)), \($0.text)",
                    evidence: evidence($0.pair, $0.budget.metric, [$0.value]), caches: [$0.cache])
            }
    }

    private func evidence(_ key: RunGroup.Key, _ metric: String, _ values: [Double?]) -> [Finding.Evidence] {
        values.compactMap(\.self).map {
            .init(trace: key.trace, network: key.network, cache: key.cache, metric: metric, value: $0)
        }
    }

    func name(_ pair: Pair) -> String { VisibleText.printable("\(pair.place), \(pair.cache)") }

    func name(_ key: RunGroup.Key) -> String { name(Pair(key)) }

    // MARK: Table and Markdown

    /// The document for a terminal: the verdict, its reasons, and the figures.
    package var terminalDocument: Document {
        let names = ShortNames(changes.map(\.cache), limit: 30)
        var reasons = findings.map(\.text) + acceptedTexts.map { "\($0)." }
        reasons += causes.map { "\(name($0)): \($0.text)." } + tradeOffs.map { "\($0)." }
        reasons += [causesHint, undecidedRemedy].compactMap(\.self)
        reasons += missingPairs.map { "MISSING in the candidate: \(name($0))" }
        reasons += unpaired.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let notes = names.explanations + (warnings + outdated).map { "Warning: \($0)" }
        var blocks = [Document.Block.sentences([verdict], as: .notice)]
        if !reasons.isEmpty { blocks.append(.sentences(reasons)) }
        if !changes.isEmpty {
            let grid = grid(changes) { names[$0] }
            blocks.append(.table(grid, dispensable: ["may worsen by", "baseline", "candidate"]))
        }
        if !notes.isEmpty { blocks.append(.sentences(notes, as: .remark)) }
        if let acceptance { blocks += [.sentences([acceptance.text]), .code(acceptance.entries)] }
        if let report = context?.report {
            let line: String = "Report: \(report.text)"
            blocks.append(.sentences([line]))
        }
        return document(blocks)
    }

    /// The pairs that only one side has and that do not fail.
    private var unpaired: [String] {
        let renamed = replacedPairs.map { "renamed, so without a baseline: \(name($0.old)) is now \(name($0.new))" }
        let known = replacedPairs.map(\.new)
        let new = newPairs.filter { !known.contains($0) }
        guard !isFirstRun || !replacedPairs.isEmpty else { return [] }
        return renamed + new.map { "new in the candidate: \(name($0))" }
    }

    var table: String { terminalDocument.plain() }

    /// The table for a comment on a pull request.
    var markdown: String {
        let judged = changes.filter(\.isGated)
        let others = changes.filter { !$0.isGated }
        var blocks = [Document.Block.sentences([verdict], as: .notice)]
        let texts: [String] = impacts + (context?.texts ?? [])
        let facts: [RichText] = texts.map { RichText($0) } + (context?.links ?? [])
        if !facts.isEmpty { blocks.append(.list(facts)) }
        if !judged.isEmpty { blocks.append(.table(grid(judged, name: VisibleText.printable))) }
        if !remarks.isEmpty { blocks.append(.list(remarks)) }
        if let acceptance {
            blocks.append(.details(RichText(acceptance.text), [.code(acceptance.entries)]))
        }
        if !others.isEmpty {
            let title = RichText("\(Self.count(others.count, "figure")) without a gate")
            blocks.append(.details(title, [.table(grid(others, name: VisibleText.printable))]))
        }
        return document(blocks).markdown()
    }

    /// The remarks besides the figures: findings, causes, pairs of one side only, and warnings.
    private var remarks: [String] {
        let items: [String] =
            findings.map(\.text) + acceptedTexts + causesOfCaches.map { "\(name($0)): \($0.plainText)" } + tradeOffs
        let missing = missingPairs.map { "missing in the candidate: \(name($0))" }
        let remedies: [String] = [undecidedRemedy].compactMap(\.self)
        let notes: [String] = (warnings + outdated).map { "warning: \($0)" }
        return items + missing + unpaired + remedies + notes
    }

    /// The causes. Other models of Darwin's NSCache are left out where the cache itself has causes.
    private var causesOfCaches: [CauseChange] {
        func pair(_ cause: CauseChange) -> Pair { Pair(trace: cause.trace, network: cause.network, cache: cause.cache) }
        return causes.filter { cause in !causes.contains { isModel(pair(cause), of: pair($0)) } }
    }

    /// The page: the blank time that grew most, or the verdict, as its title, the blank times of the
    /// baseline and the candidate, and the figures that changed.
    var html: String {
        var page = document([])
        if let answer { (page.headline, page.context) = (answer, verdict) }
        let texts = impacts + (context?.texts ?? []) + remarks
        page.lead = blankTimes + (texts.isEmpty ? [] : [.list(texts)])
        if let acceptance { page.lead += [.sentences([acceptance.text]), .code(acceptance.entries)] }
        for (title, isGated) in [("Gated figures that changed", true), ("Other figures that changed", false)] {
            let figures = changes.filter { $0.isGated == isGated }
            guard !figures.isEmpty else { continue }
            page.blocks += [.heading(title), .table(grid(figures, name: VisibleText.printable))]
        }
        return page.html()
    }

    /// The blank time of each pair on both sides; nothing without figures.
    private var blankTimes: [Document.Block] {
        func cell(_ value: Double?) -> Document.Matrix.Cell {
            Document.Matrix.Cell(text: RichText(value.map(HumanText.share) ?? "–"), value: value)
        }
        let rows = judgements.filter { $0.metric == Measure.blank.metric }.map { judgement in
            Document.Matrix.Row(
                head: RichText(name(judgement)), cells: [cell(judgement.baseline), cell(judgement.candidate)])
        }
        guard !rows.isEmpty else { return [] }
        let matrix = Document.Matrix(
            caption: "Blank time, baseline beside candidate", corner: "blank time, % of \(Measure.blank.whole)",
            columns: ["baseline", "candidate"].map { Document.Matrix.Column(title: RichText($0), kind: .share) },
            rows: rows)
        return [.section("Blank time, baseline beside candidate", id: "overview", [.matrix(matrix)])]
    }

    private func document(_ blocks: [Document.Block]) -> Document {
        Document("comparison", title: "Comparison", headline: verdict, blocks)
    }

    private func grid(_ changes: [Judgement], name: (String) -> String) -> TextGrid {
        var grid = TextGrid(headings: [
            .text("verdict"), .text("trace"), .text("cache"), .text("metric"), .figure("baseline"),
            .figure("candidate"), .figure("change"), .figure("may worsen by"),
        ])
        grid.rows = changes.map { judgement in
            [
                Self.word(judgement), VisibleText.printable(judgement.pair.place), name(judgement.cache),
                judgement.metric, judgement.baselineText, judgement.candidateText, judgement.changeText,
                judgement.allowedText,
            ]
        }
        return grid
    }

    private static func word(_ judgement: Judgement) -> String {
        switch judgement.verdict {
        case .worse: "WORSE"
        case .missing: judgement.isGated ? "MISSING" : "missing"
        case .noted: "worse, not gated"
        case .allowed: "worse, allowed"
        case .accepted: "worse, accepted"
        case .undecided: "UNDECIDED"
        case .better, .same, .new: judgement.verdict.rawValue
        }
    }
}
