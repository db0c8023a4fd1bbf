import Basics
import Foundation
import ReplayEngine
import Runs

/// The sections of the traces, and the notes.
extension ReportPage {
    func section(_ input: ChartInput, id: String, _ pictures: [Chart.Picture]) -> Document.Block {
        let groups = groups.filter { $0.key.place == input.place }
        let session = manifest?.traces.first { $0.name == input.trace }?.session
        let facts =
            [session?.title].compactMap { $0 } + [HumanText.length(nanoseconds: input.caches[0].typical.traceDuration)]
        let own = Document.Block.pictures(pictures.filter { $0.chart.trace == input.place })
        let fold = Document.Fold(state: .folded, level: 4)
        let charts =
            [.interactive] + notices(input)
            + (own.isEmpty ? [] : [.details("Static charts (\(own.count))", as: fold, own)])
        return .section(
            input.place, id: id,
            [.sentences([(facts + ResultsTable.settings(groups)).joined(separator: " · ")], as: .remark)]
                + table(groups, id: id)
                + rowNotes(input) + causes(input)
                + [.details("Charts", as: .init(state: .open, level: 3), charts)])
    }

    /// - Parameter id: The identifier of the section.
    private func table(_ groups: [RunGroup], id: String) -> [Document.Block] {
        let entries = ResultsTable.entries(for: groups)
        let names = ShortNames(groups.map(ResultsTable.name), limit: Self.nameLimit)
        let fullNames = ShortNames(groups.map(\.key.cache), limit: Self.nameLimit)
        let best = ResultsTable.best(entries, groups, results.relevanceThreshold)
        let rows = groups.indices.map { row -> [Document.Table.Cell] in
            let group = groups[row]
            let name = names[ResultsTable.name(group)]
            // The charts have no column for swept values.
            let full = fullNames[group.key.cache]
            let head = Document.Table.Cell(
                text: "\(link: name, to: anchor(of: group.key.cache))", name: full == name ? nil : full,
                id: self.rows[group.key])
            return [head]
                + entries.indices.map { index in
                    .init(
                        text: RichText(entries[index].text(group) ?? "–"), value: entries[index].value(group),
                        isBest: best[index].contains(row))
                }
        }
        let about: RichText = """
            The best figures of a column are marked, among the caches whose blank time is within \
            \(results.relevanceThreshold.text(.ratio)) of the least. The \(link: "glossary", to: "glossary") explains \
            the columns.
            """
        let cut = "Names that end in a number, such as [1], are cut; the link has the whole name."
        let table = Document.Table(
            caption: "Figures of each cache", headings: [.text("cache")] + entries.map { .figure($0.title) },
            rows: rows, about: "\(id)-about", figures: entries)
        return [.sentences([about], as: .remark, id: table.about), .table(table)]
            + (names.explanations.isEmpty ? [] : [.sentences([cut], as: .remark)])
    }

    /// The longest name in columns. A longer one is cut in tables; the section of the cache has all of it.
    static let nameLimit = 48

    /// Returns the notes that concern the rows of one trace and network, beside their table.
    private func rowNotes(_ input: ChartInput) -> [Document.Block] {
        let own = ResultNotes.notes(runs.filter { input.has($0.identity) })
        guard !own.isEmpty, inputs.count > 1 else { return [] }
        let title = "\(HumanText.count(own.count, "note")) on these rows"
        return [.details(RichText(title), as: .init(state: .folded), [.list(own.map(\.text))])]
    }

    /// Returns what the causes of misses and blank time say about each cache, and their tables, for runs that
    /// have them.
    private func causes(_ input: ChartInput) -> [Document.Block] {
        let runs = input.caches.compactMap { RunExplanation($0.typical) }
        guard !runs.isEmpty else { return [] }
        let names = ShortNames(runs.map(\.cache), limit: Self.nameLimit)
        func link(_ run: RunExplanation) -> RichText { "\(link: names[run.cache], to: anchor(of: run.cache))" }
        let tables = RunExplanation.parts(runs).map { parts in
            func text(_ amount: Double) -> String {
                parts.isTime ? HumanText.microseconds(amount * 1_000) : HumanText.count(amount)
            }
            let rows = zip(runs, parts.amounts).map { run, amounts in
                [link(run)]
                    + amounts.map { amount in
                        RichText(amount.map { "\(text($0.amount)) (\(RunExplanation.wholePercent($0.share)))" } ?? "–")
                    }
            }
            return Document.Block.table(
                parts.caption, [.text(parts.title)] + parts.names.map { .figure($0) }, rows)
        }
        let sentences = runs.map { run -> RichText in "\(link(run)): \(run.findings.map(\.text).joined(separator: " "))"
        }
        let fold = Document.Fold(state: runs.count > 8 ? .folded : .open, level: 3)
        return [.details("Causes", as: fold, [.list(sentences)] + tables)]
    }

    /// Returns remarks that say which timelines, films and events are not kept.
    private func notices(_ input: ChartInput) -> [Document.Block] {
        let kept = input.caches.filter { !$0.typical.timeline.isEmpty }
        var sentences: [RichText] = []
        if kept.isEmpty {
            sentences.append(
                """
                There is no timeline, and no film of what the user saw: these results keep none. A replay with \
                \(code: "--timeline 1") keeps them.
                """)
        } else {
            if kept.count < input.caches.count {
                let names = kept.map { NameList.name($0.name) }
                sentences.append(
                    """
                    Timelines, films and causes are those of \(NameList.text(names, most: 6)), which the conclusions \
                    name. A replay with \(code: "--timeline 1") keeps those of all caches.
                    """)
            }
            if kept.allSatisfy({ $0.typical.film == nil }) {
                sentences.append(
                    """
                    There is no film of what the user saw: it needs a timeline of every second \
                    (\(code: "--timeline 1")), and a session that records when cells vanish.
                    """)
            }
        }
        if let omitted = input.caches.map(\.typical.omittedMarks).max(), omitted > 0 {
            sentences.append("The timeline leaves out the last \(omitted) events of the system.")
        }
        return sentences.isEmpty ? [] : [.sentences(sentences, as: .remark)]
    }

    /// All notes, as the command prints them, by subject.
    var notes: [Document.Block] {
        if let fleet { return [.section("Notes", id: "notes", [.list(fleet.statistics.notes)])] }
        guard !results.notes.isEmpty else { return [] }
        let blocks = results.notes.map(\.group).unique().flatMap { group -> [Document.Block] in
            [
                .heading(group.prefix(1).uppercased() + group.dropFirst(), level: 3),
                .list(results.notes.filter { $0.group == group }.map(\.text)),
            ]
        }
        return [.section("Notes", id: "notes", blocks)]
    }
}
