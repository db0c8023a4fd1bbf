import Basics
import Foundation

/// The page of a history: the changes in a table, and a line for each figure.
public enum HistoryPage {
    /// Returns a page that needs no other file and no network.
    public static func html(_ history: History) -> String {
        let changes = history.changes
        let commits = Set(history.entries.map(\.commit)).count
        var body =
            "<h1>History</h1>\n<p>\(commits) commits, \(history.series.count) figures, \(changes.count) changes.</p>\n"
        body += table(changes)
        let bySeries = Dictionary(grouping: changes, by: \.series)
        var constant = 0
        for (series, entries) in history.series {
            let values = Set(entries.map(\.value))
            // A figure that never changes needs no picture.
            guard values.count > 1 else {
                constant += 1
                continue
            }
            body += figure(series, entries, bySeries[series] ?? [])
        }
        if constant > 0 { body += "<p>\(constant) more figures are equal in all commits.</p>\n" }
        for problem in history.problems.prefix(20) {
            body += "<p>Line \(problem.line) is not used: \(MarkupText.escaped(problem.reason)).</p>\n"
        }
        return beginning + """
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(style)</style></head><body><main>
            \(body)</main></body></html>

            """
    }

    /// Writes the page of a history. An earlier page is replaced.
    /// - Throws: ``ResultsError`` of kind `cannotCreate` for a file that is no page of a history, such as the history
    ///   itself; `ioError`.
    public static func write(_ history: History, to path: String) throws {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, !isPage(path) {
            throw ResultsError(
                .cannotCreate, file: path,
                "is no page of an earlier history; name another file with --output, or remove the file")
        }
        try ResultFile.write(html(history), to: path)
    }

    private static let beginning = """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>History</title>

        """

    /// Returns whether a file begins as the page of a history.
    private static func isPage(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: beginning.utf8.count)) == Data(beginning.utf8)
    }

    private static let style =
        PageStyle.plain + """

            :root { color-scheme: light dark }
            svg { max-width: 100%; height: auto; display: block }
            polyline { fill: none; stroke: #0b62a4; stroke-width: 1.5 }
            circle { fill: #0b62a4 } circle.change { fill: #b3261e } circle:focus { stroke: currentColor; \
            stroke-width: 3 }
            text { fill: currentColor; font: 12px system-ui, sans-serif }
            .table { overflow-x: auto }
            @media (prefers-color-scheme: dark) { body { color: #e4e4e4; background: #16181b } th, td { border-color: \
            #444 }
            polyline { stroke: #7ab8f0 } circle { fill: #7ab8f0 } circle.change { fill: #ff8a80 } }
            """

    private static func table(_ changes: [History.Change]) -> String {
        guard !changes.isEmpty else { return "<p>No figure changed its level.</p>\n" }
        let rows = changes.sorted { $0.entry.time > $1.entry.time }.map { change -> String in
            let metric = SummaryColumns[change.series.metric]
            let unit = metric?.unit ?? .count
            let isWorse =
                metric?.polarity == .higherIsBetter ? change.after < change.before : change.after > change.before
            let cells = [
                change.entry.commit, change.entry.time.formatted(.iso8601), change.series.trace, change.series.cache,
                change.series.metric, HumanText.figure(change.before, unit), HumanText.figure(change.after, unit),
                isWorse ? "worse" : "better",
            ]
            return "<tr>" + cells.map { "<td>\(MarkupText.escaped(VisibleText.printable($0)))</td>" }.joined() + "</tr>"
        }
        let head = ["commit", "time", "trace", "cache", "metric", "before", "after", "direction"]
        return """
            <div class="table" tabindex="0" role="region" aria-label="Changes"><table><thead><tr>\
            \(head.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>

            """
    }

    private static func figure(
        _ series: History.Series, _ entries: [History.Entry], _ changes: [History.Change]
    ) -> String {
        let unit = SummaryColumns[series.metric]?.unit ?? .count
        let (least, most) = (entries.map(\.value).min() ?? 0, entries.map(\.value).max() ?? 1)
        // A least height, so that what is no change does not look large.
        let high = max(most, least + Tolerance.leastSpan * SmallestEffect.relevanceThreshold * abs(most))
        let low = high > most ? max(least - (high - most), min(least, 0)) : least
        let (width, height, left) = (900.0, 140.0, 90.0)
        func x(_ index: Int) -> Double {
            left + (width - left - 10) * Double(index) / Double(max(entries.count - 1, 1))
        }
        func y(_ value: Double) -> Double { 10 + (height - 20) * (high - value) / max(high - low, 1e-300) }
        func text(_ number: Double) -> String { number.fixed(1) }
        let points = entries.indices.map { "\(text(x($0))),\(text(y(entries[$0].value)))" }.joined(separator: " ")
        let changed = Set(changes.map(\.entry))
        let circles = entries.enumerated().map { index, entry -> String in
            let isChange = changed.contains(entry)
            let label =
                "\(entry.commit), \(entry.time.formatted(.iso8601)): \(HumanText.figure(entry.value, unit))"
                + (isChange ? ", changed" : "")
            let name = MarkupText.escaped(VisibleText.printable(label))
            return """
                <circle\(isChange ? " class=\"change\"" : "") cx="\(text(x(index)))" cy="\(text(y(entry.value)))" \
                r="\(isChange ? 5 : 3)" tabindex="0" role="img" aria-label="\(name)"><title>\(name)</title></circle>
                """
        }
        let title = MarkupText.escaped(VisibleText.printable("\(series.trace), \(series.cache): \(series.metric)"))
        return """
            <h2>\(title)</h2>
            <svg viewBox="0 0 \(Int(width)) \(Int(height))" width="\(Int(width))" height="\(Int(height))" role="group" \
            aria-label="\(title)"><text x="0" y="14">\(HumanText.figure(high, unit))</text>\
            <text x="0" y="\(Int(height) - 6)">\(HumanText.figure(low, unit))</text><polyline points="\(points)"/>
            \(circles.joined(separator: "\n"))</svg>

            """
    }
}
