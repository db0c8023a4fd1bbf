import Basics
import Foundation
import Runs

/// The page of a history: the picture of the newest change, the changes of each commit, and a line for each figure.
public enum HistoryPage {
    /// Returns the document of the page.
    ///
    /// - Parameters:
    ///   - history: The history.
    ///   - changes: All changes of it.
    ///   - facts: What is known of their commits.
    static func document(_ history: History, _ changes: [History.Change], _ facts: CommitFacts) -> Document {
        let commits = Set(history.entries.map(\.commit)).count
        let newest = newestChange(changes)
        var document = Document(
            kind, title: "History", headline: newest.map(sentence(of:)) ?? counts(changes),
            [.sentences([counts(changes), "\(commits) commits, \(history.series.count) figures."].unique())])
        let bySeries = Dictionary(grouping: changes, by: \.series)
        var first: [Document.Block] = []
        var others: [Document.Block] = []
        var constant = 0
        for (series, entries) in history.series {
            let values = Set(entries.map(\.value))
            // A figure that never changes needs no picture.
            guard values.count > 1 else {
                constant += 1
                continue
            }
            let name = name(of: series)
            let drawing = Document.Block.drawing(figure(name, entries, bySeries[series] ?? [], facts))
            // The picture of the first sentence stands below it.
            if series == newest?.series { first = [drawing] } else { others += [.heading(name), drawing] }
        }
        document.blocks += first + byCommit(changes, facts)
        if let note = facts.note { document.blocks.append(.sentences([note], as: .remark)) }
        document.blocks += others
        var rest = constant > 0 ? ["\(constant) more figures are equal in all commits."] : []
        rest += history.problems.prefix(20).map { "Line \($0.line) is not used: \($0.reason)." }
        if !rest.isEmpty { document.blocks.append(.sentences(rest)) }
        return document
    }

    /// Returns the name of a figure: its trace, cache and metric.
    private static func name(of series: History.Series) -> String {
        VisibleText.printable("\(series.trace), \(series.cache): \(series.metric)")
    }

    /// Returns the newest change of blank time, the greatest one of its commit; nil if blank time did not change.
    private static func newestChange(_ changes: [History.Change]) -> History.Change? {
        changes.filter { $0.series.metric == "blank_ratio" }.max { one, other in
            one.entry.time == other.entry.time
                ? abs(one.after - one.before) < abs(other.after - other.before) : one.entry.time < other.entry.time
        }
    }

    private static func sentence(of change: History.Change) -> String {
        let amounts = [change.before, change.after].map { HumanText.figure($0, .ratio) }.joined(separator: " → ")
        let (cache, trace) = (change.series.cache, change.series.trace)
        let commit = CommitFacts.shortName(change.entry.commit)
        return VisibleText.printable(
            "Blank time of \(cache) on \(trace) got \(change.direction) with \(commit): \(amounts).")
    }

    private static func counts(_ changes: [History.Change]) -> String {
        guard !changes.isEmpty else { return "No figure changed its level." }
        let worse = changes.count { $0.direction == "worse" }
        let all = HumanText.count(changes.count, "change")
        return "\(all) of level: \(worse) worse, \(changes.count - worse) better."
    }

    /// Returns how many figures changed, and with which commits.
    ///
    /// - Parameters:
    ///   - changes: All changes of the history.
    ///   - count: The number of its figures.
    private static func finding(_ changes: [History.Change], of count: Int) -> String {
        guard !changes.isEmpty else { return "None of \(HumanText.count(count, "figure")) changed its level." }
        let commits = changes.sorted { $0.entry.time < $1.entry.time }.map(\.entry.commit).unique()
        let changed = HumanText.count(Double(changes.map(\.series).unique().count))
        let names = NameList.text(commits.map(CommitFacts.shortName))
        return "\(changed) of \(HumanText.count(count, "figure")) changed, with \(names)."
    }

    /// Returns what a terminal shows of changes: how many figures changed, the commits, and the figures.
    ///
    /// - Parameter count: The number of figures of the history.
    package static func summary(_ changes: [History.Change], of count: Int, _ facts: CommitFacts) -> Document {
        var document = Document(
            "changes", title: "Changes", headline: "Changes", [.sentences([finding(changes, of: count)])])
        guard !changes.isEmpty else { return document }
        let newest = changes.sorted { $0.entry.time > $1.entry.time }
        var seen: Set<String> = []
        let entries = newest.map(\.entry).filter { seen.insert($0.commit).inserted }
        let commits = entries.map { entry in cells(of: entry, facts).map(\.plain) }
        let figures = newest.map { change in [CommitFacts.shortName(change.entry.commit)] + cells(of: change) }
        document.blocks += [
            .table(TextGrid(headings: commitHeadings(facts), rows: commits)),
            .table(TextGrid(headings: [TextGrid.Heading.text("commit")] + figureHeadings, rows: figures)),
        ]
        if let note = facts.note { document.blocks.append(.sentences([note], as: .remark)) }
        return document
    }

    /// Writes the page of a history. An earlier page is replaced.
    ///
    /// - Parameters:
    ///   - history: The history.
    ///   - changes: All changes of it.
    ///   - facts: What is known of their commits.
    ///   - path: The page.
    /// - Throws: `ResultsError` of kind `cannotCreate` for a file that is no page of a history, such as the history
    ///   itself; `ioError`.
    public static func write(
        _ history: History, _ changes: [History.Change], _ facts: CommitFacts, to path: String
    ) throws {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, !isPage(path) {
            throw ResultsError(
                .cannotCreate, file: path,
                "is no page of an earlier history; name another file with --output, or remove the file")
        }
        try ResultFile.write(document(history, changes, facts).html(), to: path)
    }

    private static let kind = "history"

    /// The first lines of pages that earlier versions wrote.
    private static let earlierBeginning =
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>History</title>"

    /// Returns whether a file begins as the page of a history.
    private static func isPage(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let beginning = String(decoding: (try? file.read(upToCount: 512)) ?? Data(), as: UTF8.self)
        return beginning.hasPrefix(Document.beginning(kind)) || beginning.hasPrefix(earlierBeginning)
    }

    /// The headings of ``cells(of:)``.
    private static let figureHeadings: [TextGrid.Heading] = [
        .text("trace"), .text("cache"), .text("metric"), .figure("before"), .figure("after"), .text("direction"),
    ]

    private static func cells(of change: History.Change) -> [String] {
        let unit = SummaryColumns[change.series.metric]?.unit ?? .count
        return [
            change.series.trace, change.series.cache, change.series.metric, HumanText.figure(change.before, unit),
            HumanText.figure(change.after, unit), change.direction,
        ].map(VisibleText.printable)
    }

    /// Returns the headings of what is known of commits. Messages have no column if none is known.
    private static func commitHeadings(_ facts: CommitFacts) -> [TextGrid.Heading] {
        (["commit", "date"] + (facts.hasMessages ? ["message"] : [])).map(TextGrid.Heading.text)
    }

    private static func cells(of entry: History.Entry, _ facts: CommitFacts) -> [RichText] {
        var cells = [facts.link(to: entry.commit), RichText(day(facts.date(of: entry)))]
        if facts.hasMessages { cells.append(RichText(facts.message(of: entry.commit))) }
        return cells
    }

    /// Returns the changes of each commit in a table, the newest commit first.
    private static func byCommit(_ changes: [History.Change], _ facts: CommitFacts) -> [Document.Block] {
        guard !changes.isEmpty else { return [] }
        let newest = changes.sorted { $0.entry.time > $1.entry.time }
        let groups = Dictionary(grouping: newest, by: \.entry.commit)
        let commits = newest.map(\.entry.commit).unique()
        return [.heading("Changes by commit")]
            + commits.flatMap { commit -> [Document.Block] in
                let changes = groups[commit] ?? []
                let date = changes.first.map { day(facts.date(of: $0.entry)) } ?? ""
                let message = facts.message(of: commit)
                let link = facts.link(to: commit)
                let isLink = link.html != MarkupText.escaped(link.plain)
                let sentence: RichText = message.isEmpty ? link : isLink ? "\(link): \(message)" : RichText(message)
                let rows = changes.map { change in
                    let figures = cells(of: change).suffix(3).map { RichText($0) }
                    return [RichText(name(of: change.series))] + figures
                }
                return [
                    .heading("\(CommitFacts.shortName(commit)), \(date)", level: 3), .sentences([sentence]),
                    .table("", [TextGrid.Heading.text("figure")] + figureHeadings.suffix(3), rows),
                ]
            }
    }

    private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

    /// - Parameter name: The name of the figure, without hidden characters.
    private static func figure(
        _ name: String, _ entries: [History.Entry], _ changes: [History.Change], _ facts: CommitFacts
    ) -> Document.SVGText {
        let unit = entries.first.flatMap { SummaryColumns[$0.series.metric]?.unit } ?? .count
        let (least, most) = (entries.map(\.value).min() ?? 0, entries.map(\.value).max() ?? 1)
        // A least height, so that what is no change does not look large: of shares, that of other charts.
        let step = unit == .ratio ? Tolerance.share : SmallestEffect.ofCommits * abs(most)
        let high = max(most, least + Tolerance.leastSpan * step)
        let low = high > most ? max(least - (high - most), min(least, 0)) : least
        let (width, height, left) = (900.0, 140.0, 90.0)
        func x(_ index: Int) -> Double {
            left + (width - left - 10) * Double(index) / Double(max(entries.count - 1, 1))
        }
        func y(_ value: Double) -> Double { 10 + (height - 20) * (high - value) / max(high - low, 1e-300) }
        func text(_ number: Double) -> String { number.fixed(1) }
        let points = entries.indices.map { "\(text(x($0))),\(text(y(entries[$0].value)))" }.joined(separator: " ")
        let directions = Dictionary(changes.map { ($0.entry, $0.direction) }) { first, _ in first }
        let circles = entries.enumerated().map { index, entry -> String in
            let direction = directions[entry]
            let name = MarkupText.escaped(label(entry, unit, direction, facts))
            let style = direction.map { " class=\"\($0)\"" } ?? ""
            return """
                <circle\(style) cx="\(text(x(index)))" cy="\(text(y(entry.value)))" \
                r="\(direction == nil ? 3 : 5)" tabindex="0" role="img" aria-label="\(name)">\
                <title>\(name)</title></circle>
                """
        }
        let days = [entries.first, entries.last].map { $0.map { day($0.time) } ?? "" }
        let whole = Int(height) + 16
        return Document.SVGText(
            element: """
                <svg viewBox="0 0 \(Int(width)) \(whole)" width="\(Int(width))" height="\(whole)" \
                role="group" aria-label="\(MarkupText.escaped(name))"><text x="0" y="14">\
                \(HumanText.figure(high, unit))</text>\
                <text x="0" y="\(Int(height) - 6)">\(HumanText.figure(low, unit))</text>\
                <text x="\(text(left))" y="\(whole - 2)">\(days[0])</text>\
                <text class="end" x="\(text(width - 10))" y="\(whole - 2)">\(days[1])</text>\
                <polyline points="\(points)"/>
                \(circles.joined(separator: "\n"))</svg>

                """)
    }

    /// Returns what is said of a point: its commit, time and figure, and the message of a commit that changed it.
    private static func label(
        _ entry: History.Entry, _ unit: Unit, _ direction: String?, _ facts: CommitFacts
    ) -> String {
        let time = entry.time.formatted(.iso8601)
        let point = "\(CommitFacts.shortName(entry.commit)), \(time): \(HumanText.figure(entry.value, unit))"
        guard let direction else { return point }
        let message = facts.message(of: entry.commit)
        return "\(point), changed: \(direction)\(message.isEmpty ? "" : ". \(message)")"
    }
}

extension History.Change {
    /// `worse` or `better`, by the direction of the figure.
    var direction: String {
        let isHigherBetter = SummaryColumns[series.metric]?.polarity == .higherIsBetter
        return (isHigherBetter ? after < before : after > before) ? "worse" : "better"
    }
}
