import Basics
import Foundation
import ReplayEngine
import Runs

/// The forms of a comparison that services of continuous integration read.
extension Comparison {
    // MARK: JUnit

    /// The comparison for CI servers, as JUnit XML: one test case per gated figure, budget and missing pair.
    /// Undecided figures are skipped, or failures where ``undecidedFails``.
    ///
    /// `time` is 0: a comparison of finished results takes no time that belongs to a figure.
    var junit: String {
        let gated = judgements.filter(\.isGated)
        let undecidedFailures = undecidedFails ? undecided.count : 0
        let failures =
            gated.count { $0.isFailure } + undecidedFailures + missingPairs.count + budgets.count { !$0.isKept }
        let tests = gated.count + missingPairs.count + budgets.count
        let open = undecided.count - undecidedFailures
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
                let reason = judgement.chanceText ?? "undecided"
                text +=
                    undecidedFails
                    ? Self.testCase(group, judgement.metric, reason, type: "undecided")
                    : Self.testCase(group, judgement.metric, skipped: reason)
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
        text.replacing(scalars: ["%": "%25", "\r": "%0D", "\n": "%0A"])
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(scalars: [":": "%3A", ",": "%2C"])
    }

    private static func message(_ judgement: Judgement) -> String {
        "\(judgement.baselineText) before, \(judgement.candidateText) now: \(judgement.changeText), "
            + "may worsen by \(judgement.allowedText)"
    }
}

extension Comparison {
    /// The failures of a comparison: one line for each figure that is worse than allowed, missing or over budget.
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
