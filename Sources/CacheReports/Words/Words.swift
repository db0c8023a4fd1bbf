import Basics
import CachePolicies
import ReplayEngine
import Runs

extension ServedComparison.Disagreement {
    /// Why the predicted tier had the image, or why the tier that the app had it from does not in the replay: one
    /// phrase without a period.
    public var reason: String {
        guard let explanation = row.explanation else { return "" }
        switch predicted {
        case .nothing:
            return row.source == "wrong" ? "the picture of another key was shown" : "the request was \(row.source)"
        case .memory: return "still in memory\(since)"
        case .disk where observed == .network: return "still on disk\(since)"
        case .disk: return missed(explanation.memoryCause, explanation, in: "memory")
        case .network where observed == .memory: return missed(explanation.memoryCause, explanation, in: "memory")
        case .network: return missed(explanation.diskCause, explanation, in: "on disk")
        }
    }

    private var since: String {
        guard let previous else { return ", after a prefetch or a request of the other variant" }
        return ", last wanted by request \(previous.index), \(Self.seconds(row.time - previous.time)) before"
    }

    private func missed(_ cause: MissCause?, _ explanation: RequestExplanation, in tier: String) -> String {
        guard let cause else { return tier == "on disk" ? "the disk was not asked" : "" }
        var text = "not \(tier == "memory" ? "in memory" : tier): \(cause.title)"
        if tier == "memory", cause != .firstRequest, let left = explanation.leftMemory, left <= row.time {
            text += ", left \(Self.seconds(row.time - left)) before"
        }
        if let request = explanation.evictedBy { text += ", for request \(request)" }
        return text
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let tenths = (nanoseconds + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

extension Rule {
    /// The documentation page of all rules, in Markdown. The DocC catalog of `ReplayEngine` contains a copy.
    public static var page: String {
        var page = """
            # Rules

            Settings of a cache beside the policies of its tiers.

            ## Overview

            A rule follows the policies in a specification (`lru(20MB); connections: 4`). In a YAML file, it stands \
            below
            its section: `memory`, `disk` or `pipeline`. `cachereplay list rules NAME` explains one rule, and
            `cachereplay list rules --markdown` prints this page from the table that the parser uses.

            """
        for section in Section.allCases {
            page += "\n## \(section.rawValue.capitalized)\n\n"
            page += "| Rule | Default | Values | Meaning |\n|---|---|---|---|\n"
            for rule in all where rule.section == section {
                page += "| `\(rule.name)` | `\(rule.defaultText)` | \(rule.values) | \(rule.meaning) |\n"
            }
        }
        return page
    }
}

extension MachineDescription {
    /// The machine in a phrase: `x86_64, 2 processors, 25.3 GB, Debian GNU/Linux 12`.
    var summary: String {
        "\(architecture), \(processors) processors, \(HumanText.bytes(Double(memoryBytes))), \(system)"
    }
}

/// Words for the basis of runs' figures: the source of durations, and the way of images over the network.
enum BasisWords {
    /// Returns the source of the durations of runs, such as "modelled durations with decoding".
    ///
    /// - Parameter timing: The timing as results name it: `modelled+decode`, or with the checksum of costs of a file
    ///   `modelled+decode+costs:1a2b3c4d`.
    static func durations(_ timing: String) -> String {
        let parts = timing.split(separator: "+")
        guard let base = parts.first, base != "instant" else { return "no durations" }
        let decoding = parts.contains("decode") ? " with decoding" : ""
        let costs = parts.last { $0.hasPrefix("costs:") }.map { " (costs \($0.dropFirst("costs:".count)))" } ?? ""
        return "\(base) durations\(decoding)\(costs)"
    }

    /// Returns the way of images over a network, such as "fetches over one shared link".
    static func network(_ name: String) -> String {
        switch name {
        case "none": "no network"
        case "recorded": "recorded fetch times"
        case "shared": "fetches over one shared link"
        default: "network \(name)"
        }
    }
}

extension Lever {
    /// The change in a few words, which follow "with" or stand in a table.
    public var title: String {
        let value = setting.value
        switch kind {
        case .prefetching: return value == PrefetchRule.none.text ? "no prefetching" : "two rows prefetched"
        case .thumbnails: return "thumbnails of cell size"
        case .downsampling: return "images decoded at cell size"
        case .cancelling: return value == "true" ? "downloads cancelled" : "downloads not cancelled"
        case .order:
            return switch FetchOrder(rawValue: value) {
            case .lifo: "the newest cell first"
            case .visibleFirst: "visible cells first"
            case .fifo, nil: "the oldest cell first"
            }
        case .connections: return "\(value) connections\(setting.parameter == "connections" ? "" : " to a host")"
        case .decoding: return "decoding off the main lane"
        case .disk: return value == PolicySpec.none.name ? "no disk" : "a disk of 150 MB"
        case .lifetime: return "no lifetimes"
        case .policy: return "\(value) in memory"
        case .limit: return setting.number.map { "a limit of \(HumanText.bytes($0))" } ?? "no memory limit"
        }
    }

    /// Who makes the change.
    var maker: String { kind.isOfApp ? "app" : "cache" }
}
