import Basics
import Foundation
import ReplayEngine
import Runs

/// The output formats of a comparison.
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

    private func name(_ change: CauseChange) -> String {
        name(Pair(trace: change.trace, network: change.network, cache: change.cache))
    }

    private func name(_ judgement: Judgement) -> String { name(judgement.pair) }

    /// What the repeats say about changes, and the figures over budget.
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

    private func name(_ pair: Pair) -> String { VisibleText.printable("\(pair.place), \(pair.cache)") }

    private func name(_ key: RunGroup.Key) -> String { name(Pair(key)) }

    // MARK: Table and Markdown

    /// What a terminal shows: the verdict, what it follows from, and the figures.
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

    /// The text of ``terminalDocument``, without weight.
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

    /// What stands beside the figures: findings, causes, pairs of one side only, and warnings.
    private var remarks: [String] {
        let items: [String] =
            findings.map(\.text) + acceptedTexts + causes.map { "\(name($0)): \($0.plainText)" } + tradeOffs
        let missing = missingPairs.map { "missing in the candidate: \(name($0))" }
        let remedies: [String] = [undecidedRemedy].compactMap(\.self)
        let notes: [String] = (warnings + outdated).map { "warning: \($0)" }
        return items + missing + unpaired + remedies + notes
    }

    /// The page: the verdict as its title, the blank time of the baseline beside that of the candidate, and the figures
    /// that changed.
    var html: String {
        var page = document([])
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

    /// Returns changes as a grid.
    /// - Parameter name: Returns the text for the name of a cache.
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

    // MARK: JSON

    /// The comparison for programs: every figure that was judged, including those that stayed the same.
    var json: String {
        let state: [(String, JSONValue)] = [
            ("worse", .bool(hasWorsened)), ("undecided", .bool(!undecided.isEmpty)),
            ("first_run", .bool(isFirstRun)), ("verdict", .string(verdict)),
            ("accept", acceptableEntries.map { JSONValue.string($0) } ?? JSONValue.null),
        ]
        let sentences: [(String, JSONValue)] = [
            ("outdated", .array(outdated.map { .string($0) })), ("trade_offs", .array(tradeOffs.map { .string($0) })),
            ("warnings", .array(warnings.map { .string($0) })),
        ]
        let lists: [(String, JSONValue)] = [
            ("missing", .array(missingPairs.map(Self.json))), ("new", .array(newPairs.map(Self.json))),
            ("renamed", .array(replacedPairs.map(Self.json))), ("causes", .array(causes.map(Self.json))),
            ("findings", .array(judgements.map(Self.json))), ("budgets", .array(budgets.map(Self.json))),
        ]
        // Results without a gate have no context; the members are there all the same.
        let sides: [(String, JSONValue)] = (context ?? VerdictContext()).members
        let whole = JSONValue.object(state + sides + sentences + lists)
        return whole.text(.indented) + "\n"
    }

    private static func json(_ change: CauseChange) -> JSONValue {
        .object(
            [
                ("trace", .string(change.trace)), ("cache", .string(change.cache)),
                (
                    "misses",
                    .array(
                        change.misses.map {
                            .object([
                                ("tier", .string($0.tier.rawValue)), ("cause", .string($0.cause.name)),
                                ("baseline", .figure($0.baseline, .ratio)),
                                ("candidate", .figure($0.candidate, .ratio)),
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
            ].inserting(network: change.network))
    }

    private static func json(_ renamed: Replacement) -> JSONValue {
        .object([("baseline", json(renamed.old)), ("candidate", json(renamed.new))])
    }

    private static func json(_ pair: Pair) -> JSONValue {
        .object([("trace", .string(pair.trace)), ("cache", .string(pair.cache))].inserting(network: pair.network))
    }

    private static func json(_ judgement: Judgement) -> JSONValue {
        .object(
            [
                ("trace", .string(judgement.trace)), ("cache", .string(judgement.cache)),
                ("metric", .string(judgement.metric)),
                ("baseline", .figure(judgement.baseline, judgement.unit)),
                ("candidate", .figure(judgement.candidate, judgement.unit)),
                ("gated", .bool(judgement.isGated)), ("allowed", .figure(judgement.allowed, judgement.unit)),
                ("verdict", .string(judgement.verdict.rawValue)), ("failed", .bool(judgement.isFailure)),
                ("reason", judgement.reason.map { JSONValue.string($0) } ?? JSONValue.null),
                ("chance", judgement.chance.map { json($0, judgement.unit) } ?? JSONValue.null),
            ].inserting(network: judgement.network))
    }

    private static func json(_ chance: Chance, _ unit: Unit) -> JSONValue {
        .object([
            ("baseline_repeats", .number("\(chance.repeats[0])")),
            ("candidate_repeats", .number("\(chance.repeats[1])")),
            ("change_low", .figure(chance.interval?.lowerBound, unit)),
            ("change_high", .figure(chance.interval?.upperBound, unit)), ("p", .figure(chance.p, .ratio)),
            ("detectable", .figure(chance.detectable, unit)),
            ("repeats_needed", chance.repeatsNeeded.map { .number("\($0)") } ?? .null),
        ])
    }

    private static func json(_ judgement: BudgetJudgement) -> JSONValue {
        .object(
            [
                ("trace", .string(judgement.trace)), ("cache", .string(judgement.cache)),
                ("budget", .string(judgement.budget.description)), ("value", .figure(judgement.value, judgement.unit)),
                ("kept", .bool(judgement.isKept)),
            ].inserting(network: judgement.network))
    }

    // MARK: JUnit

    /// The comparison for CI servers, as JUnit XML: one test case per gated figure, budget and missing pair.
    ///
    /// `time` is 0: a comparison of finished results takes no time that belongs to a figure.
    var junit: String {
        let gated = judgements.filter(\.isGated)
        let failures =
            gated.count { $0.isFailure } + missingPairs.count + budgets.count { !$0.isKept }
        let tests = gated.count + missingPairs.count + budgets.count
        let open = undecided.count
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites>\n"
        text +=
            """
              <testsuite name="cachereplay compare" tests="\(tests)" failures="\(failures)" errors="0" \
            skipped="\(open)" time="0">\n
            """
        for judgement in gated {
            let group = "\(judgement.pair.place) / \(judgement.cache)"
            if judgement.verdict == .undecided {
                text += Self.testCase(group, judgement.metric, skipped: judgement.chanceText ?? "undecided")
            } else {
                let failure = judgement.isFailure ? Self.message(judgement) : nil
                text += Self.testCase(group, judgement.metric, failure, type: judgement.verdict.rawValue)
            }
        }
        for judgement in budgets {
            text += Self.testCase(
                "\(judgement.pair.place) / \(judgement.cache)", judgement.budget.description,
                judgement.isKept ? nil : judgement.text, type: "budget")
        }
        for pair in missingPairs {
            text += Self.testCase(
                "\(pair.place) / \(pair.cache)", "present", "the baseline has this trace and cache, the candidate not",
                type: "missing")
        }
        let grown = causes.map { "\(name($0)): \($0.text)." }
        let notes = (warnings + outdated).map { "Warning: \($0)" }
        let output = ([verdict] + grown + acceptedTexts + tradeOffs + notes).joined(separator: "\n")
        return text + "    <system-out>\(MarkupText.escaped(output))</system-out>\n  </testsuite>\n</testsuites>\n"
    }

    private static func testCase(
        _ group: String, _ name: String, _ failure: String? = nil, type: String = "", skipped: String? = nil
    ) -> String {
        let opening =
            """
                <testcase classname="\(MarkupText.escaped(group))" name="\(MarkupText.escaped(name))" time="0"
            """
        if let skipped {
            return opening + ">\n      <skipped message=\"\(MarkupText.escaped(skipped))\"/>\n    </testcase>\n"
        }
        guard let failure else { return opening + "/>\n" }
        return opening
            + """
            >
                  <failure type="\(type)" message="\(MarkupText.escaped(failure))"/>
                </testcase>

            """
    }

    // MARK: GitHub Actions

    /// The failures as errors, and what is undecided as warnings, in the workflow commands of GitHub Actions.
    ///
    /// Source: "Workflow commands for GitHub Actions", GitHub documentation.
    var github: String {
        func line(_ level: String, _ title: String, _ text: String, at cache: String? = nil) -> String {
            "::\(level) \(position(of: cache))title=\(Self.property(title))::\(Self.data(text))\n"
        }
        var text = ""
        for judgement in judgements where judgement.isFailure {
            text += line(
                "error", "\(judgement.metric) is worse", "\(name(judgement)): \(Self.message(judgement))",
                at: judgement.cache)
        }
        for pair in missingPairs { text += line("error", "No result", "\(name(pair)) is missing in the candidate") }
        for judgement in budgets where !judgement.isKept {
            text += line(
                "error", "Over budget", "\(name(judgement.pair)): \(judgement.text)", at: judgement.cache)
        }
        for judgement in undecided {
            text += line(
                "warning", "\(judgement.metric) is undecided",
                "\(name(judgement)): \(judgement.chanceText ?? "undecided")", at: judgement.cache)
        }
        for sentence in acceptedTexts + tradeOffs { text += line("notice", "cachereplay", sentence) }
        for warning in warnings + outdated { text += line("warning", "cachereplay", warning) }
        return text + line("notice", "cachereplay", verdict)
    }

    /// The place of a cache in the candidate's file, as properties of an annotation; empty if it is not known.
    private func position(of cache: String?) -> String {
        guard let cache, let context, let file = context.file, let number = context.lines[cache] else { return "" }
        return "file=\(Self.property(file)),line=\(number),"
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    private static func message(_ judgement: Judgement) -> String {
        "\(judgement.baselineText) before, \(judgement.candidateText) now: \(judgement.changeText), "
            + "may worsen by \(judgement.allowedText)"
    }
}

extension Comparison.Judgement {
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

    /// What the repeats say in a sentence; nil for figures that do not differ by chance.
    var chanceText: String? {
        guard let chance else { return nil }
        func amount(_ value: Double) -> String {
            let text = Self.amount(abs(value), unit)
            guard unit != .ratio, let baseline, baseline != 0 else { return text }
            return "\(text) (\(HumanText.share(abs(value / baseline))))"
        }
        func signed(_ value: Double) -> String { (value < 0 ? "-" : "+") + Self.amount(abs(value), unit) }
        let repeats =
            chance.repeats[0] == chance.repeats[1]
            ? "\(chance.repeats[0])" : "\(chance.repeats[0]) and \(chance.repeats[1])"
        var parts: [String] = []
        if let interval = chance.interval {
            parts.append("the change is \(signed(interval.lowerBound)) to \(signed(interval.upperBound)) (95%)")
        }
        if let p = chance.p { parts.append("p \(p < 0.001 ? "< 0.001" : "= \(p.fixed(3))")") }
        guard verdict == .undecided else { return parts.isEmpty ? nil : parts.joined(separator: ", ") }
        parts.append(
            chance.detectable.map { "\(repeats) repeats find a worsening of \(amount($0)) or more" }
                ?? "\(repeats) \(repeats == "1" ? "repeat finds" : "repeats find") no change")
        parts.append(
            chance.repeatsNeeded.map { "about \($0) repeats would decide" }
                ?? "more than \(RepeatComparison.mostNeeded) repeats would be needed")
        return parts.joined(separator: "; ")
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
        // Three digits that count, so that a change of a few requests in a million does not read as 0.
        let points = value * 100
        var places = 2
        while places < 9, points > 0, points < pow(10, Double(2 - places)) { places += 1 }
        var digits = points.fixed(places)
        while digits.contains("."), digits.last == "0" { digits.removeLast() }
        if digits.last == "." { digits.removeLast() }
        return "\(digits) points"
    }
}

extension Comparison {
    /// What makes a comparison fail: one line for each figure that is worse than allowed, missing or over budget.
    ///
    /// - Parameter includingUndecided: Whether figures that the repeats do not decide are failures too.
    public func failureLines(includingUndecided: Bool = false) -> [String] {
        let figures = judgements.filter { $0.isFailure || includingUndecided && $0.verdict == .undecided }
        return figures.map { judgement in
            let word =
                judgement.verdict == .undecided ? "UNDECIDED" : judgement.verdict == .missing ? "MISSING" : "WORSE"
            return "\(word): \(name(judgement)), \(judgement.metric): \(Self.message(judgement))"
        }
            + missingPairs.map { "MISSING in the candidate: \(name($0))" }
            + findings.filter { $0.subject == .budget }.map(\.text)
    }
}
