import Basics
import Foundation
import ResultColumns
import Runs

/// A change for the worse that the author of a change accepts: an entry of the key `accept` of a file of caches.
///
/// The entry names the new value, so that it accepts this change and no later one. It accepts the figure while it is
/// within the tolerance of the value.
public struct Acceptance: Sendable, Equatable {
    public let figure: String
    public let cache: String
    public let session: String?
    /// The new value, in the metric's unit.
    public let value: Double
    /// Why the change is accepted.
    public let reason: String

    /// - Parameters:
    ///   - figure: The name of a metric that has a direction.
    ///   - cache: The name of the cache.
    ///   - session: The session; nil for all sessions.
    ///   - value: The new value: a number in the metric's unit, a percentage of a share, a size or a duration.
    ///   - reason: Why the change is accepted.
    /// - Throws: ``AllowanceError`` for an unknown metric or another value.
    public init(figure: String, cache: String, session: String? = nil, value: String, reason: String) throws {
        guard let column = SummaryColumns[figure] else { throw AllowanceError.unknown(figure) }
        guard column.polarity != .neutral else {
            throw AllowanceError("\(figure) is neither better nor worse when it rises, so there is nothing to accept")
        }
        let text = value.split(separator: " ").joined()
        guard let number = FigureBudget.bound(text, column.unit) else {
            throw AllowanceError(
                """
                "\(value)" is no value of \(figure); write a number in its unit, a percentage of a share such as 9.7%, \
                a size such as 64MB, or a duration such as 50ms
                """)
        }
        (self.figure, self.cache, self.session, self.reason) = (figure, cache, session, reason)
        self.value = number
    }

    /// Returns whether the entry is about a figure of a trace and cache.
    func names(_ judgement: Comparison.Judgement) -> Bool {
        figure == judgement.metric && cache == judgement.cache && (session == nil || session == judgement.trace)
    }

    var place: String {
        VisibleText.printable(session.map { "\(figure) of \(cache) in \($0)" } ?? "\(figure) of \(cache)")
    }

    /// Returns a value as it is written in an entry, with more digits than a tolerance has.
    static func text(_ value: Double, _ unit: Unit) -> String {
        if unit == .ratio { return "\((value * 100).fixed(4))%" }
        return value.fixed(unit.places)
    }

    /// Returns the line of YAML that accepts a figure; nil if the candidate has no figure.
    static func line(_ judgement: Comparison.Judgement) -> String? {
        guard let candidate = judgement.candidate else { return nil }
        let cache = JSONValue.string(judgement.cache).text(.line)
        let session = JSONValue.string(judgement.trace).text(.line)
        return "  - {figure: \(judgement.metric), cache: \(cache), session: \(session), "
            + "value: \"\(text(candidate, judgement.unit))\", reason: \"say why\"}"
    }
}

extension Comparison {
    /// Accepts the figures that got worse and that an entry names with their new value. Other entries become warnings.
    ///
    /// A figure that the repeats do not decide is not accepted (`undecidedRemedy`), and neither is a limit: a limit
    /// is changed where it is written.
    /// - Parameters:
    ///   - entries: The entries of the candidate's file.
    ///   - tolerance: How far a figure may be from the value of its entry.
    public mutating func accept(_ entries: [Acceptance], within tolerance: Tolerance) {
        for entry in entries {
            var isUsed = false
            var isUndecided = false
            var reason = Self.absence(of: entry, in: judgements)
            for index in judgements.indices where entry.names(judgements[index]) {
                let judgement = judgements[index]
                guard judgement.verdict == .worse, let candidate = judgement.candidate else {
                    if judgement.verdict == .accepted { isUsed = true }
                    if judgement.verdict == .undecided { isUndecided = true }
                    continue
                }
                let (now, stated) = (
                    Acceptance.text(candidate, judgement.unit), Acceptance.text(entry.value, judgement.unit)
                )
                // Equal texts also match without any tolerance: entries are printed with so many digits.
                guard now == stated || tolerance.ties(candidate, entry.value, judgement.unit) else {
                    reason = "it is \(now) now, and the entry accepts \(stated)"
                    continue
                }
                isUsed = true
                judgements[index].verdict = .accepted
                judgements[index].reason = entry.reason
            }
            if isUsed { continue }
            if isUndecided {
                outdated.append(
                    "the entry of accept for \(entry.place) has no effect: the repeats do not decide the figure")
                continue
            }
            outdated.append("the entry of accept for \(entry.place) is outdated: \(reason)")
        }
    }

    /// Returns why an entry accepts nothing.
    private static func absence(of entry: Acceptance, in judgements: [Judgement]) -> String {
        guard judgements.contains(where: { $0.cache == entry.cache }) else {
            let hint = nearestName(to: entry.cache, among: judgements.map(\.cache)).map { "; did you mean \($0)?" }
            return "no cache of this name is compared\(hint ?? "")"
        }
        if let session = entry.session, !judgements.contains(where: { $0.trace == session }) {
            let hint = nearestName(to: session, among: judgements.map(\.trace)).map { "; did you mean \($0)?" }
            return "no session of this name is compared\(hint ?? "")"
        }
        return "the figure is not worse than allowed"
    }

    /// The judgements that an entry of the candidate's file accepts.
    var accepted: [Judgement] { judgements.filter { $0.verdict == .accepted } }

    /// The entries that would accept what is red, as YAML to paste; nil if there is nothing to accept.
    public var acceptableEntries: String? {
        let lines = judgements.filter { $0.verdict == .worse }.compactMap(Acceptance.line)
        return lines.isEmpty ? nil : "accept:\n" + lines.joined(separator: "\n") + "\n"
    }

    /// The text of the comparison about accepted figures, one sentence each.
    var acceptedTexts: [String] {
        accepted.map { judgement in
            let place = VisibleText.printable("\(judgement.pair.place), \(judgement.cache)")
            let reason = VisibleText.printable(judgement.reason ?? "")
            return "\(place), \(judgement.metric) \(judgement.baselineText) → \(judgement.candidateText): "
                + "accepted: \(reason)"
        }
    }
}
