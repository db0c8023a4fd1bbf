import ReplayEngine

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
