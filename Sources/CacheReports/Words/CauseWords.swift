import ReplayEngine

extension MissCause {
    /// The words of tables and charts.
    public var title: String {
        switch self {
        case .firstRequest: "first request"
        case .similarKey: "first request, similar key"
        case .inFlight: "in flight"
        case .wrongPrefetch: "evicted for a wrong guess"
        case .capacity: "would not fit at this size"
        case .policy: "evicted by a poor choice"
        case .evictedAtOnce: "evicted at once"
        case .expired: "expired"
        case .validation: "stored, not confirmed"
        case .memoryWarning: "memory warning"
        case .background: "background"
        case .relaunch: "relaunch"
        case .removal: "removed by the app"
        case .damaged: "damaged or wrong file"
        case .refused: "refused"
        case .cancelled: "cancelled before"
        case .deferred: "deferred before"
        case .blocked: "blocked"
        case .failed: "failed before"
        }
    }
}

extension Wait {
    /// The words of tables and charts.
    public var title: String {
        switch self {
        case .mainLane: "busy main lane"
        case .diskQueue: "disk queue"
        case .diskRead: "disk read"
        case .decodeQueue: "decode queue"
        case .decode: "decoding"
        case .gate: "list at rest"
        case .connectionQueue: "connection queue"
        case .connect: "connect"
        case .firstByte: "first byte"
        case .transfer: "transfer"
        case .validation: "validation"
        case .retryPause: "pause before a retry"
        case .nothing: "no image is coming"
        }
    }
}

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
