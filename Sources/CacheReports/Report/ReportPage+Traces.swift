import Basics
import Foundation
import ReplayEngine
import Runs

/// The sections of the traces, and the notes.
extension ReportPage {
    func section(
        _ input: ChartInput, number: Int, _ pictures: [(chart: Chart, svg: Data)]
    ) -> String {
        let groups = groups.filter { $0.key.trace == input.trace }
        let session = manifest?.traces.first { $0.name == input.trace }?.session
        let facts =
            [session?.title].compactMap { $0 } + [HumanText.length(nanoseconds: input.caches[0].typical.traceDuration)]
        return """
            <section class="trace" id="t\(number)" aria-labelledby="t\(number)-title">
            <h2 id="t\(number)-title">\(HTML.text(input.trace))</h2>
            <p class="quiet">\(HTML.text((facts + ResultsTable.settings(groups)).joined(separator: " · ")))</p>
            \(table(groups, number: number))\(rowNotes(input.trace))\(causes(input))<details class="charts" open>
            <summary><h3>Charts</h3></summary>
            <div class="interactive"></div>
            \(timelineNotice(input))\(marksNotice(input))\
            \(figures(pictures.filter { $0.chart.trace == input.trace }))</details>
            </section>

            """
    }

    private func table(_ groups: [RunGroup], number: Int) -> String {
        let entries = ResultsTable.entries(for: groups)
        let names = ShortNames(groups.map(ResultsTable.name), limit: Self.nameLimit)
        let fullNames = ShortNames(groups.map(\.key.cache), limit: Self.nameLimit)
        let heads = entries.map { entry -> String in
            let unit = entry.unit == .text ? "" : " data-unit=\"\(entry.unit.rawValue)\""
            let key = ["blank": " data-key=\"blank\"", "peak mem": " data-key=\"peak\""][entry.title] ?? ""
            return """
                <th scope="col"\(unit)\(key) data-better="\(entry.polarity.rawValue)" \
                title="\(HTML.text(entry.meaning))">\(HTML.text(entry.title))</th>
                """
        }
        let rivals = Self.rivals(groups)
        let best = entries.map { Self.best($0, groups, among: rivals) }
        let rows = groups.indices.map { row -> String in
            let group = groups[row]
            let cells = entries.indices.map { index -> String in
                let value = entries[index].value(group)
                let data = value.map { " data-value=\"\($0)\"" } ?? ""
                let text = entries[index].text(group)
                let mark = best[index].contains(row) ? " class=\"best\"" : ""
                return "<td\(mark)\(data)>\(HTML.text(text ?? "–"))</td>"
            }
            let name = HTML.text(names[ResultsTable.name(group)])
            // The charts have no column for swept values.
            let full = HTML.text(fullNames[group.key.cache])
            let chartName = full == name ? "" : " data-name=\"\(full)\""
            let link = "<a href=\"#\(anchor(of: group.key.cache))\">\(name)</a>"
            return "<tr\(chartName)><th scope=\"row\">\(link)</th>\(cells.joined())</tr>"
        }
        let cut =
            names.explanations.isEmpty
            ? ""
            : "<p class=\"foot\">Names that end in a number, such as [1], are cut; the link has the whole name.</p>\n"
        return """
            <p class="foot" id="t\(number)-about">The best figures of a column are marked, among the \
            caches whose blank time is within \(Tolerance.text(.ratio)) of the least. The \
            <a href="#glossary">glossary</a> explains the columns.</p>
            <div class="box\(groups.count > 24 ? " tall" : "")" role="region" tabindex="0" \
            aria-label="Figures of each cache"><table class="results" aria-describedby="t\(number)-about">
            <thead><tr><th scope="col">cache</th>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table></div>
            \(cut)
            """
    }

    /// The longest name in columns. A longer one is cut in tables; the section of the cache has all of it.
    private static let nameLimit = 48

    /// Returns the places of the rows whose blank time ties with the least one: a cache that shows little can be best
    /// in bytes or in the time of what it shows. All rows, if none has a blank time.
    private static func rivals(_ groups: [RunGroup]) -> [Int] {
        let known = groups.indices.compactMap { row in groups[row].median("blank_ratio").map { (row, $0) } }
        guard let best = known.min(by: { $0.1 < $1.1 })?.0 else { return Array(groups.indices) }
        return known.map(\.0).filter { groups[$0].ties(with: groups[best], "blank_ratio", .ratio) }
    }

    /// Returns the places of the rows with the best figure of a column; none if no direction is better, or if more than
    /// half of the rows have it. Figures that read the same, or differ by no more than `Tolerance`, are equally good.
    /// A rival without others is marked where it is the best of all rows.
    ///
    /// - Parameter rivals: The places of the rows that can be best.
    private static func best(_ entry: ResultsTable.Entry, _ groups: [RunGroup], among rivals: [Int]) -> Set<Int> {
        func figures(_ rows: some Sequence<Int>) -> [(row: Int, value: Double)] {
            rows.compactMap { row in entry.value(groups[row]).map { (row, $0) } }
        }
        let known = figures(rivals.count > 1 ? rivals : Array(groups.indices))
        let best =
            switch entry.polarity {
            case .higherIsBetter: known.max { $0.value < $1.value }
            case .lowerIsBetter: known.min { $0.value < $1.value }
            case .neutral: nil as (row: Int, value: Double)?
            }
        guard let best else { return [] }
        func ties(_ row: Int, _ value: Double) -> Bool {
            Tolerance.ties(value, best.value, entry.unit) || entry.text(groups[row]) == entry.text(groups[best.row])
        }
        guard figures(groups.indices).count(where: { ties($0.row, $0.value) }) * 2 <= groups.count else { return [] }
        return Set(known.filter { ties($0.row, $0.value) }.map(\.row)).intersection(rivals)
    }

    /// Returns the notes that concern the rows of one trace, beside their table.
    private func rowNotes(_ trace: String) -> String {
        let own = ResultNotes.notes(runs.filter { $0.identity.trace == trace })
        guard !own.isEmpty, inputs.count > 1 else { return "" }
        return """
            <details class="notes folded" open>
            <summary>\(Self.counted(own.count, "note")) on these rows</summary>
            \(HTML.list(own.map(\.text)))</details>

            """
    }

    /// Returns what the causes of misses and blank time say about each cache, and their tables, for runs that
    /// have them.
    private func causes(_ input: ChartInput) -> String {
        let runs = input.caches.compactMap { RunExplanation($0.typical) }
        guard !runs.isEmpty else { return "" }
        let names = ShortNames(runs.map(\.cache), limit: Self.nameLimit)
        func link(_ run: RunExplanation) -> String {
            "<a href=\"#\(anchor(of: run.cache))\">\(HTML.text(names[run.cache]))</a>"
        }
        let sentences = runs.map { run in
            "<li>\(link(run)): \(HTML.text(run.sentences.joined(separator: " ")))</li>\n"
        }
        var tables = ""
        for tier in RunExplanation.Tier.allCases {
            let causes = MissCause.allCases.filter { cause in
                runs.contains { run in run.causes.contains { $0.tier == tier && $0.cause == cause } }
            }
            guard !causes.isEmpty else { continue }
            tables += HTML.table(
                "Misses of \(tier.rawValue) by cause",
                [("misses of \(tier.rawValue)", "")] + causes.map { ($0.title, "number") },
                runs.map { run in
                    [link(run)]
                        + causes.map { cause in
                            run.causes.first { $0.tier == tier && $0.cause == cause }.map {
                                "\(HumanText.count(Double($0.requests))) (\(RunExplanation.wholePercent($0.share)))"
                            } ?? "–"
                        }
                })
        }
        let waits = Wait.allCases.filter { wait in runs.contains { run in run.waits.contains { $0.wait == wait } } }
        if !waits.isEmpty {
            tables += HTML.table(
                "Blank time by what was waited for",
                [("blank time, waiting for", "")] + waits.map { ($0.title, "number") },
                runs.map { run in
                    [link(run)]
                        + waits.map { wait in
                            run.waits.first { $0.wait == wait }.map {
                                let share = RunExplanation.wholePercent($0.share)
                                return "\(HumanText.microseconds($0.milliseconds * 1_000)) (\(share))"
                            } ?? "–"
                        }
                })
        }
        return """
            <details class="causes\(runs.count > 8 ? " folded" : "")" open>
            <summary><h3>Causes</h3></summary>
            <ul>
            \(sentences.joined())</ul>
            \(tables)</details>

            """
    }

    /// Returns sentences that say which timelines and films are not kept.
    private func timelineNotice(_ input: ChartInput) -> String {
        let kept = input.caches.filter { !$0.typical.timeline.isEmpty }
        var sentences: [String] = []
        if kept.isEmpty {
            sentences.append(
                """
                There is no timeline, and no film of what the user saw: these results keep none. A replay with \
                `--timeline 1` keeps them.
                """)
        } else {
            if kept.count < input.caches.count {
                let names = kept.map { NameList.name($0.name) }
                sentences.append(
                    """
                    Timelines, films and causes are those of \(NameList.text(names, most: 6)), which the conclusions \
                    name. A replay with `--timeline 1` keeps those of all caches.
                    """)
            }
            if kept.allSatisfy({ $0.typical.film == nil }) {
                sentences.append(
                    """
                    There is no film of what the user saw: it needs a timeline of every second (`--timeline 1`), and a \
                    session that records when cells vanish.
                    """)
            }
        }
        return sentences.isEmpty ? "" : "<p class=\"foot\">\(HTML.prose(sentences.joined(separator: " ")))</p>\n"
    }

    private func marksNotice(_ input: ChartInput) -> String {
        guard let omitted = input.caches.map(\.typical.omittedMarks).max(), omitted > 0 else { return "" }
        return "<p class=\"foot\">The timeline leaves out the last \(omitted) events of the system.</p>\n"
    }

    /// Returns the pictures as data, because gnuplot uses the same identifiers in each SVG, which would clash in one
    /// document.
    private func figures(_ pictures: [(chart: Chart, svg: Data)]) -> String {
        guard !pictures.isEmpty else { return "" }
        let figures = pictures.map { chart, svg in
            let meaning = ChartKind(rawValue: chart.files.kind)?.meaning ?? ""
            return """
                <figure><img alt="\(HTML.text(chart.title))" \
                src="data:image/svg+xml;base64,\(svg.base64EncodedString())">
                <figcaption>\(HTML.text(meaning.prefix(1).uppercased() + meaning.dropFirst()))</figcaption></figure>

                """
        }
        return """
            <details class="static" open>
            <summary><h4>Static charts (\(pictures.count))</h4></summary>
            \(figures.joined())</details>

            """
    }

    /// All notes, as the command prints them, by subject.
    var notes: String {
        guard !results.notes.isEmpty else { return "" }
        let groups = results.notes.map(\.group).unique().map { group in
            "<h3>\(HTML.text(group.prefix(1).uppercased() + group.dropFirst()))</h3>\n"
                + HTML.list(results.notes.filter { $0.group == group }.map(\.text))
        }
        return """
            <section aria-labelledby="notes">
            <h2 id="notes">Notes</h2>
            \(groups.joined())</section>

            """
    }
}
