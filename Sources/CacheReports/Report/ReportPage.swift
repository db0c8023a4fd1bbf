import Foundation
import ReplayEngine

/// `report.html`: the tables and charts of a replay in one file that needs no network.
struct ReportPage {
    private let results: ResultSet
    private let description: RunDescription?
    /// The charts, each with its SVG.
    private let pictures: [(chart: Chart, svg: Data)]

    init(_ results: ResultSet, _ description: RunDescription?, _ pictures: [(chart: Chart, svg: Data)]) {
        self.results = results
        self.description = description
        self.pictures = pictures
    }

    var html: String {
        let (tables, notes) = ResultsTable.sections(results)
        let sections = tables.map { table in
            "<h2>\(MarkupText.escaped(table.heading))</h2>\n" + table.grid.html() + charts(of: table.trace)
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>CacheReplay · \(MarkupText.escaped(tables.map(\.trace).joined(separator: ", ")))</title>
            <style>
            \(Self.style)
            </style>
            <h1>Which cache?</h1>
            \(sections.joined(separator: "\n"))
            <h2>Notes</h2>
            <ul>
            \(notes.map { "<li>\(MarkupText.escaped($0))" }.joined(separator: "\n"))
            </ul>
            \(provenance)
            </html>

            """
    }

    /// Returns the pictures as data, because gnuplot uses the same identifiers in each SVG, which would clash in one
    /// document.
    private func charts(of trace: String) -> String {
        pictures.filter { $0.chart.trace == trace }.map { chart, svg in
            """
            <img alt="\(MarkupText.escaped(chart.title))" \
            src="data:image/svg+xml;base64,\(svg.base64EncodedString())">\n
            """
        }.joined()
    }

    private var provenance: String {
        guard let description else { return "" }
        let traces = description.traces.map {
            "<li>\(MarkupText.escaped($0.name)): SHA-256 <code>\(MarkupText.escaped($0.sha256))</code>"
        }
        let caches = description.caches.flatMap { cache in
            // Traces in which every size is the same share one line.
            Dictionary(grouping: cache.specifications, by: \.value).sorted { $0.key < $1.key }.map { text, traces in
                let all = traces.count == cache.specifications.count
                let place = all ? "" : " on \(traces.map(\.key).sorted().joined(separator: ", "))"
                return "<li>\(MarkupText.escaped(cache.name + place)): <code>\(MarkupText.escaped(text))</code>"
            }
        }
        let costs = description.costs.map { costs in
            let values = CostModel.Constant.all.compactMap { constant in
                costs.constants[constant.name].map { "\(constant.name): \($0)" }
            }
            return """
                <li>Costs\(costs.path.map { " of \(MarkupText.escaped($0))" } ?? ""), SHA-256 \
                <code>\(costs.sha256)</code>: \
                <code>\(MarkupText.escaped(values.joined(separator: ", ")))</code>

                """
        }
        let machine = description.machine
        return """
            <h2>How to repeat it</h2>
            <p><code>\(MarkupText.escaped(description.command.joined(separator: " ")))</code></p>
            <ul>
            \((traces + caches).joined(separator: "\n"))
            <li>Seed \(description.seed), \(MarkupText.escaped(description.clock)) clock, \
            \(MarkupText.escaped(description.timing)) timing, \
            \(description.repeats == 1 ? "one run" : "\(description.repeats) runs") of each cache
            \(costs ?? "")<li>\(MarkupText.escaped(machine.system)), \(MarkupText.escaped(machine.architecture)), \
            \(machine.processors) processors, \
            \(HumanText.bytes(Double(machine.memoryBytes)))
            </ul>
            """
    }

    static let style = """
        body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1200px; margin: 2em \
        auto; padding: 0 1em }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1em 0 }
        th, td { padding: .25em .8em; text-align: right; border-bottom: 1px solid #ddd }
        th:first-child, td:first-child { text-align: left }
        img { max-width: 100%; display: block; margin: 1em 0 }
        code { overflow-wrap: anywhere }
        """
}
