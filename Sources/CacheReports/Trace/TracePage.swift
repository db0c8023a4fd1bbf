import Basics
import Foundation
import ReplayEngine
import TraceAnalysis

/// The page `trace.html`: the statistics of a trace in one file without external resources.
struct TracePage {
    var trace: String
    var inspection: TraceInspection
    var consistency: ConsistencyReport?
    /// Each chart with its SVG.
    var pictures: [(kind: TraceChart, chart: Chart, svg: Data)]

    var html: String {
        let rows = inspection.rows(consistency).map {
            "<tr><th>\(MarkupText.escaped($0.label))<td>\(MarkupText.escaped($0.value))"
        }
        let figures = pictures.map { kind, chart, svg in
            "<p>\(MarkupText.escaped(kind.caption))</p>\n"
                + """
                <img alt="\(MarkupText.escaped(chart.title))" \
                src="data:image/svg+xml;base64,\(svg.base64EncodedString())">
                """
        }
        let label =
            inspection.summary.header.synthetic
            ? "<p><strong>Synthetic</strong>: made by a model, not recorded.</p>\n" : ""
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>CacheReplay · \(MarkupText.escaped(trace))</title>
            <style>
            \(PageStyle.plain)
            th { vertical-align: top; white-space: nowrap; font-weight: 600 }
            td { text-align: left }
            </style>
            <h1>\(MarkupText.escaped(inspection.summary.header.title ?? trace))</h1>
            \(label)<table>
            \(rows.joined(separator: "\n"))
            </table>
            \(figures.joined(separator: "\n"))
            \(notes)</html>

            """
    }

    private var notes: String {
        guard !inspection.warnings.isEmpty else { return "" }
        return "<h2>Notes</h2>\n<ul>\n"
            + inspection.warnings.map { "<li>\(MarkupText.escaped($0))\n" }.joined() + "</ul>\n"
    }
}
