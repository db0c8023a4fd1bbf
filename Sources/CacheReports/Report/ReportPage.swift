import Basics
import Foundation
import ReplayEngine
import Runs

/// `report.html`: the conclusions, tables, charts and caches of a replay in one file that needs no network.
///
/// Everything but the interactive charts is static HTML, and can be read without the page's script. Names are escaped
/// HTML; the script takes them from the tables, and writes them as text.
struct ReportPage {
    let inputs: [ChartInput]
    let results: ResultSet
    let groups: [RunGroup]
    let manifest: Manifest<ReplayFacts>?
    /// The charts, each with its SVG.
    private let pictures: [(chart: Chart, svg: Data)]
    let caches: [ReportCache]
    let runs: [RunResult]
    /// What all sessions say, of which ``runs`` are a few; nil if they are all.
    let fleet: ReportFleet?

    /// The size in bytes above which timelines are thinned, and then static charts are left out.
    static let mostBytes = 5_000_000
    /// Timelines are not thinned below this number of rows.
    private static let fewestRows = 200

    init(
        _ runs: [RunResult], _ manifest: Manifest<ReplayFacts>?, _ pictures: [(chart: Chart, svg: Data)],
        fleet: ReportFleet? = nil
    ) {
        self.fleet = fleet
        self.runs = runs
        self.manifest = manifest
        self.pictures = pictures
        inputs = ChartInput.byTrace(runs)
        results = ResultSet(runs, source: "")
        groups = results.groups
        caches = ReportCache.all(runs, manifest)
    }

    var html: String { html(mostBytes: Self.mostBytes) }

    /// Returns the page.
    ///
    /// - Parameter mostBytes: The size above which figures are left out, visibly.
    func html(mostBytes: Int) -> String {
        let whole = page(pictures, TimelineData([], step: 1), notice: "")
        let room = mostBytes - whole.utf8.count
        let named = Set(results.conclusions.flatMap(\.caches))
        var data = TimelineData.fitting(inputs, bytes: room, fewest: Self.fewestRows, first: named)
        var drawn = pictures
        if data.json.utf8.count > room, !pictures.isEmpty {
            // Timelines that say nothing any more help less than the static charts, which `charts/` has too.
            drawn = []
            let room = mostBytes - page([], TimelineData([], step: 1), notice: "").utf8.count
            data = TimelineData.fitting(inputs, bytes: room, fewest: Self.fewestRows, first: named)
        }
        return page(drawn, data, notice: notice(data, mostBytes, omitsPictures: drawn.count < pictures.count))
    }

    /// Returns the sentences that say what the page leaves out because of its size.
    private func notice(_ data: TimelineData, _ mostBytes: Int, omitsPictures: Bool) -> String {
        var sentences: [String] = []
        if data.step > 1 {
            sentences.append(
                """
                A point of a timeline has the most memory, and the means of the other figures, of \(data.step) \
                seconds, \
                because the timelines of all seconds would make this page larger than \
                \(HumanText.bytes(Double(mostBytes))). timeline.csv has every \
                second.
                """)
        }
        if data.omittedFilms > 0 {
            let place =
                data.omittedFilms < data.films
                ? "is on this page only for the caches that the conclusions name" : "is not on this page"
            sentences.append(
                """
                What the user saw of each cell \(place), because it would make the page larger than \
                \(HumanText.bytes(Double(mostBytes))).
                """)
        }
        if omitsPictures {
            sentences.append(
                """
                The \(pictures.count) static charts are not on this page, because they would make it larger than \
                \(HumanText.bytes(Double(mostBytes))). The folder charts has them.
                """)
        }
        return sentences.isEmpty ? "" : "<p><strong>\(sentences.map(HTML.text).joined(separator: " "))</strong></p>\n"
    }

    private func page(
        _ pictures: [(chart: Chart, svg: Data)], _ data: TimelineData, notice: String
    ) -> String {
        let traces = inputs.enumerated().map { section($1, number: $0 + 1, pictures) }
        let names = inputs.map(\.trace).joined(separator: ", ")
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
            style-src 'unsafe-inline'; script-src '\(Self.scriptHash)'">
            <title>CacheReplay · \(HTML.text(fleet?.lead ?? names))</title>
            <style>
            \(Self.style)</style>
            <header>
            <h1>Which cache?</h1>
            \(lead)\(notice)</header>
            <main>
            \(conclusions)<nav aria-label="Contents">
            <h2>Contents</h2>
            <ul>
            \(contents)
            </ul>
            </nav>
            \(fleet?.html ?? "")\(sessions)\(traces.joined())\(cacheSections)\(glossary)\(provenance)\
            \(fleet?.notes ?? notes)</main>
            <script type="application/json" id="data">
            \(data.json)
            </script>
            <script>\(Self.script)</script>
            </html>

            """
    }

    // MARK: Header

    private var lead: String {
        let clock = manifest.map { "\($0.clock) clock, \($0.timing) timing" }
        let date = manifest.map { " on \(HTML.text(Self.day.string(from: $0.start)))" } ?? ""
        let version = manifest?.versions["cachereplay"].map { " \(HTML.text($0))" } ?? ""
        return """
            <p>CacheReplay\(version) replayed \(fleet?.lead ?? Self.counted(inputs.count, "session")) through \
            \(Self.counted(caches.count, "cache"))\(date)\(clock.map { " (\(HTML.text($0)))" } ?? ""). The tables and \
            charts show what each cache would have cost the user of these sessions.</p>

            """
    }

    /// What the headers of the traces say about their sessions.
    private var sessions: String {
        let rows = inputs.map { input -> [String] in
            let run = input.caches[0].typical
            let session = manifest?.traces.first { $0.name == input.trace }?.session
            let cells = [
                session?.title ?? "–", Self.origin(session), session?.started.map { String($0.prefix(10)) } ?? "–",
                HumanText.count(Double(run.counts.requests)), HumanText.length(nanoseconds: run.traceDuration),
            ]
            return [input.trace] + cells
        }
        return """
            <section aria-labelledby="sessions">
            <h2 id="sessions">\(fleet == nil ? "Sessions" : "Sessions in detail")</h2>
            \(fleet.map { Self.choice($0) } ?? "")<p class="foot">As the headers of their traces describe them.</p>
            \(HTML.table(
                "Sessions", [("session", ""), ("title", "wide"), ("origin", "wide"), ("date", "number"),
                    ("requests", "number"), ("length", "number")],
                rows.enumerated().map { index, cells in
                    ["<a href=\"#t\(index + 1)\">\(HTML.text(cells[0]))</a>"] + cells.dropFirst().map { HTML.text($0) }
                }))</section>

            """
    }

    /// Returns the sentences that say why the sessions of a page were chosen.
    private static func choice(_ fleet: ReportFleet) -> String {
        let items = fleet.details.map { "<li>\(HTML.text($0.session)): \(HTML.text($0.reason))</li>\n" }
        return """
            <p>The rest of the page shows \(counted(items.count, "session")) in detail. `cachereplay chart --trace \
            NAME` draws the charts of others, and summary.csv has the figures of all.</p>
            <ul>
            \(items.joined())</ul>

            """
    }

    /// Returns who or what made a session.
    private static func origin(_ session: TraceSource.Session?) -> String {
        guard let session else { return "–" }
        if session.synthetic { return "synthetic: made by a model\(session.recorder.map { " (\($0))" } ?? "")" }
        let recorder = session.recorder.map { " by \($0)" } ?? ""
        return "recorded\(recorder)\(session.scripted ? "; a script used the app, not a person" : "")"
    }

    private var contents: String {
        var entries = conclusions.isEmpty ? [] : [("conclusions", "Conclusions")]
        entries += fleet?.contents ?? []
        entries.append(("sessions", fleet == nil ? "Sessions" : "Sessions in detail"))
        entries += inputs.enumerated().map { ("t\($0 + 1)", $1.trace) }
        entries += [("caches", "Caches"), ("glossary", "Glossary")]
        if manifest != nil { entries.append(("repeat", "How to repeat it")) }
        if fleet != nil || !results.notes.isEmpty { entries.append(("notes", "Notes")) }
        return entries.map { "<li><a href=\"#\($0)\">\(HTML.text($1))</a></li>" }.joined(separator: "\n")
    }

    /// The section of the conclusions, each with the figures that it follows from; empty without any.
    private var conclusions: String {
        let items =
            fleet.map { fleet in fleet.statistics.conclusions.map { "<li>\(HTML.text($0))</li>\n" } }
            ?? results.conclusions.map { "<li>\(HTML.text($0.text))\(evidence($0.evidence))</li>\n" }
        guard !items.isEmpty else { return "" }
        return """
            <section aria-labelledby="conclusions">
            <h2 id="conclusions">Conclusions</h2>
            <ul class="conclusions">
            \(items.joined())</ul>
            </section>

            """
    }

    /// Returns the figures that a conclusion follows from, closed: the tables of the traces have them too.
    private func evidence(_ evidence: [Conclusion.Evidence]) -> String {
        guard !evidence.isEmpty else { return "" }
        let rows = evidence.map { figure in
            let column = SummaryColumns[figure.metric]
            let trace = inputs.firstIndex { $0.trace == figure.trace } ?? 0
            return [
                "<a href=\"#t\(trace + 1)\">\(HTML.text(NameList.name(figure.trace)))</a>",
                HTML.text(NameList.name(figure.cache)), HTML.text(column?.meaning ?? figure.metric),
                HTML.text(HumanText.figure(figure.value, column?.unit ?? .count)),
            ]
        }
        let heads = [("trace", ""), ("cache", "wide"), ("figure", "wide"), ("value", "number")]
        return """
            <details class="evidence">
            <summary class="quiet">\(Self.counted(evidence.count, "figure")) behind this</summary>
            \(HTML.table("Figures behind the conclusion", heads, rows))</details>
            """
    }

    // MARK: Texts

    func anchor(of cache: String) -> String {
        let index = caches.firstIndex { $0.name == cache || $0.variants.contains(cache) } ?? 0
        return "c\(index + 1)"
    }

    static func counted(_ count: Int, _ noun: String) -> String {
        "\(HumanText.count(Double(count))) \(noun)\(count == 1 ? "" : "s")"
    }

    static let day: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter
    }()

    // MARK: Script and style

    private static let script = String(decoding: PackageResources.report_js, as: UTF8.self)
    private static let style = String(decoding: PackageResources.report_css, as: UTF8.self)
    /// The script that the page may run, as a source of its content security policy: no name can become a script.
    private static let scriptHash = "sha256-" + Data(Digest.of(Array(script.utf8), .sha256)).base64EncodedString()
}

/// Texts in HTML.
enum HTML {
    static func text(_ text: some StringProtocol) -> String { MarkupText.escaped(String(text)) }

    /// Returns sentences in which backticks enclose code.
    static func prose(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index % 2 == 1 ? code(String(part)) : self.text(part)
        }.joined()
    }

    static func code(_ text: String) -> String { "<code>\(self.text(text))</code>" }

    /// Returns a table of markup, the first cell of each row its heading, in a box that scrolls.
    ///
    /// - Parameter heads: The headings, each with the class of its column.
    static func table(_ name: String, _ heads: [(title: String, class: String)], _ rows: [[String]]) -> String {
        func mark(_ column: Int) -> String { heads[column].class.isEmpty ? "" : " class=\"\(heads[column].class)\"" }
        let rows = rows.map { cells in
            "<tr><th scope=\"row\">\(cells[0])</th>"
                + cells.indices.dropFirst().map { "<td\(mark($0))>\(cells[$0])</td>" }.joined() + "</tr>\n"
        }
        return """
            <div class="box" role="region" tabindex="0" aria-label="\(text(name))"><table class="text">
            <thead><tr>\(heads.indices.map { "<th scope=\"col\"\(mark($0))>\(text(heads[$0].title))</th>" }.joined())\
            </tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table></div>

            """
    }

    static func list(_ texts: [String]) -> String {
        "<ul>\n" + texts.map { "<li>\(text($0))</li>\n" }.joined() + "</ul>\n"
    }
}

/// The style of pages with tables and pictures alone.
enum PageStyle {
    static let plain = """
        body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1200px; margin: 2em \
        auto; padding: 0 1em }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1em 0 }
        th, td { padding: .25em .8em; text-align: right; border-bottom: 1px solid #ddd }
        th:first-child, td:first-child { text-align: left }
        img { max-width: 100%; display: block; margin: 1em 0 }
        code { overflow-wrap: anywhere }
        """
}
