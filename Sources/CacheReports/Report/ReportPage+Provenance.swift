import Basics
import Foundation
import ReplayEngine

extension ReportPage {
    /// The terms of the page: the columns of its tables, and the words that their meanings use.
    var glossary: Document.Block {
        let columns = inputs.flatMap { input in
            ResultsTable.entries(for: groups.filter { $0.key.place == input.place })
        }
        var seen: Set<String> = []
        let entries = columns.filter { seen.insert($0.title).inserted }.map { ($0.title, $0.meaning) } + Self.terms
        return .section(
            "Glossary", id: "glossary", [.terms(entries.map { (RichText($0), [RichText($1)]) })])
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
            "modelled durations",
            "A cost model gives the durations of disk and decoding, so each figure can be repeated exactly."
        ),
        (
            "measured durations",
            "Disk and memory really work, and their durations are measured on the machine named below."
        ),
    ]

    /// The most traces whose checksums are on the page.
    private static let mostTraces = 50

    /// How to repeat the replay: the command, its inputs, and the machine.
    var provenance: [Document.Block] {
        guard let manifest else { return [] }
        var items = manifest.traces.prefix(Self.mostTraces).map { trace -> RichText in
            "\(trace.name): SHA-256 \(code: trace.sha256)"
        }
        if manifest.traces.count > items.count {
            items.append("and \(HumanText.count(manifest.traces.count - items.count, "trace")), which run.json has")
        }
        let repeats = manifest.repeats == 1 ? "one run" : "\(manifest.repeats) runs"
        items.append(
            "Seed \(manifest.seed), \(manifest.clock) clock, \(manifest.timing) timing, \(repeats) of each cache")
        if let networks = manifest.networks { items.append("Networks: \(networks.joined(separator: ", "))") }
        if let injected = manifest.injected { items.append("Injected events: \(injected)") }
        if let costs = manifest.costs {
            let values = CostModel.Constant.all.compactMap { constant in
                costs.constants[constant.name].map { "\(constant.name): \($0)" }
            }
            let path = costs.path.map { " of \($0)" } ?? ""
            items.append(
                "Costs\(path), SHA-256 \(code: costs.sha256): \(code: values.joined(separator: ", "))")
        }
        let versions = manifest.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        items.append("Versions: \(versions.joined(separator: ", "))")
        if let inputs = manifest.inputs { items.append("The program's file has the SHA-256 \(code: inputs.program)") }
        items.append(RichText(manifest.machine.summary))
        return [
            .section(
                "How to repeat it", id: "repeat",
                [
                    .code(manifest.command.joined(separator: " ")), .list(items),
                    .sentences([
                        "The specification of each cache, with every default, is at the end of its section above."
                    ]),
                ])
        ]
    }
}
