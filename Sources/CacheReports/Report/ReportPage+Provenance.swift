import Basics
import Foundation
import ReplayEngine

extension ReportPage {
    /// The terms of the page: the columns of its tables, and the words that their meanings use.
    var glossary: String {
        let columns = inputs.flatMap { input in
            ResultsTable.entries(for: groups.filter { $0.key.trace == input.trace })
        }
        var seen: Set<String> = []
        let entries =
            columns.filter { seen.insert($0.title).inserted }.map { ($0.title, $0.meaning) } + Self.terms
        let rows = entries.map { "<dt>\(HTML.text($0))</dt><dd>\(HTML.text($1))</dd>\n" }
        return """
            <section aria-labelledby="glossary">
            <h2 id="glossary">Glossary</h2>
            <dl>
            \(rows.joined())</dl>
            </section>

            """
    }

    private static let terms = [
        ("session, trace", "What a user and a network did, and the file that records it."),
        ("cell", "A view of a list that shows an image."),
        ("request", "A cell that appears and needs its image."),
        ("blank cell", "A visible cell without its image."),
        ("fetch", "A transfer from the network, with its retries."),
        ("tier", "The memory or the disk of a cache."),
        ("policy", "Decides which objects stay in a tier."),
        ("limit", "The most bytes or objects that a policy keeps. Some libraries exceed it until their next trim."),
        ("rule", "A setting of a cache beside its policies."),
        ("preset", "A cache that people use: a library at a version, or a common hand-written design."),
        (
            "virtual clock",
            "Time jumps from event to event, so the speed of the machine does not change the order of events."
        ),
        (
            "modelled timing",
            "A cost model gives the durations of disk and decoding, so each figure can be repeated exactly."
        ),
        (
            "measured timing",
            "Disk and memory really work, and their durations are measured on the machine named below."
        ),
    ]

    /// The most traces whose checksums are on the page.
    private static let mostTraces = 50

    /// How to repeat the replay: the command, its inputs, and the machine.
    var provenance: String {
        guard let manifest else { return "" }
        var traces = manifest.traces.prefix(Self.mostTraces).map {
            "<li>\(HTML.text($0.name)): SHA-256 \(HTML.code($0.sha256))</li>"
        }
        if manifest.traces.count > traces.count {
            traces.append(
                "<li>and \(Self.counted(manifest.traces.count - traces.count, "trace")), which run.json has</li>")
        }
        let costs = manifest.costs.map { costs in
            let values = CostModel.Constant.all.compactMap { constant in
                costs.constants[constant.name].map { "\(constant.name): \($0)" }
            }
            return """
                <li>Costs\(costs.path.map { " of \(HTML.text($0))" } ?? ""), SHA-256 \(HTML.code(costs.sha256)): \
                \(HTML.code(values.joined(separator: ", ")))</li>

                """
        }
        let versions = manifest.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let program = manifest.inputs.map {
            "<li>The program's file has the SHA-256 \(HTML.code($0.program))</li>\n"
        }
        let machine = manifest.machine
        return """
            <section aria-labelledby="repeat">
            <h2 id="repeat">How to repeat it</h2>
            <pre><code>\(HTML.text(manifest.command.joined(separator: " ")))</code></pre>
            <ul>
            \(traces.joined(separator: "\n"))
            <li>Seed \(manifest.seed), \(HTML.text(manifest.clock)) clock, \
            \(HTML.text(manifest.timing)) timing, \
            \(manifest.repeats == 1 ? "one run" : "\(manifest.repeats) runs") of each cache</li>
            \(costs ?? "")<li>Versions: \(HTML.text(versions.joined(separator: ", ")))</li>
            \(program ?? "")<li>\(HTML.text(machine.system)), \(HTML.text(machine.architecture)), \
            \(machine.processors) processors, \(HumanText.bytes(Double(machine.memoryBytes)))</li>
            </ul>
            <p>The specification of each cache, with every default, is at the end of its section above.</p>
            </section>

            """
    }
}
