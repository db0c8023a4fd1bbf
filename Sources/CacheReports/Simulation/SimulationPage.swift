import Basics
import Foundation

/// `report.html` of a simulation: the tables and charts in one file that needs no network.
struct SimulationPage {
    var rows: [MissRatioRow]
    var manifest: Manifest<SimulationFacts>?
    /// The charts, each with its SVG.
    var pictures: [Chart.Picture]

    var html: String {
        let traces = (rows.map(\.trace) + pictures.map(\.chart.trace)).unique()
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>CacheReplay · \(MarkupText.escaped(traces.joined(separator: ", ")))</title>
            <style>
            \(PageStyle.plain)
            td:nth-child(2), th:nth-child(2) { text-align: left }
            </style>
            <h1>Which policy, and how large?</h1>
            \(traces.map(section).joined(separator: "\n"))
            \(provenance)
            </html>

            """
    }

    private func section(_ trace: String) -> String {
        let figures = pictures.filter { $0.chart.trace == trace }.map { chart, svg in
            "<p>\(MarkupText.escaped(SimulationChart.kind(of: chart)?.meaning ?? ""))</p>\n"
                + """
                <img alt="\(MarkupText.escaped(chart.title))" \
                src="data:image/svg+xml;base64,\(svg.base64EncodedString())">\n
                """
        }
        let own = rows.filter { $0.trace == trace }
        let table =
            own.isEmpty ? "" : "<details><summary>Figures</summary>\n\(MissRatioFile.grid(own).html())</details>\n"
        return "<h2>\(MarkupText.escaped(trace))</h2>\n" + figures.joined() + table
    }

    private var provenance: String {
        guard let manifest else { return "" }
        let traces = manifest.traces.map {
            "<li>\(MarkupText.escaped($0.name)): SHA-256 <code>\(MarkupText.escaped($0.sha256))</code>"
        }
        let policies = manifest.policies.map {
            "<li>\(MarkupText.escaped($0.name)): <code>\(MarkupText.escaped($0.specification))</code>"
        }
        let machine = manifest.machine
        return """
            <h2>How to repeat it</h2>
            <p><code>\(MarkupText.escaped(manifest.command.joined(separator: " ")))</code></p>
            <ul>
            \((traces + policies).joined(separator: "\n"))
            <li>\(MarkupText.escaped(machine.system)), \(MarkupText.escaped(machine.architecture)), \
            \(machine.processors) processors, \
            \(HumanText.bytes(Double(machine.memoryBytes)))
            </ul>
            """
    }
}
