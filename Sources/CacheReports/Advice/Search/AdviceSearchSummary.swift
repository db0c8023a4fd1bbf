import Basics

/// What a search for advice did.
public struct AdviceSearchSummary: Sendable, Encodable, Equatable {
    /// The replays that ran, without those of an interrupted search that were read again.
    public let replays: Int
    /// The replays of an interrupted search that were read again.
    public let replaysRead: Int
    /// The sessions of the sample on which levers and limits were searched.
    public let sample: Int
    /// The settings whose figures count.
    public let settings: Int
    /// The replays of all settings on all sessions.
    public let exhaustive: Double
    /// Whether the search came to its end; false after a limit of time.
    public let isComplete: Bool
    /// The parameters that were varied beside the limits.
    public let levers: [String]
    /// The sessions that could not be replayed.
    public let skipped: [String]
    /// The groups of sessions without a common host, by one of their hosts; empty for a single group.
    public let groups: [String: Int]

    enum CodingKeys: String, CodingKey {
        case replays, sample, settings, levers, skipped, groups
        case replaysRead = "replays_read"
        case exhaustive = "exhaustive_replays"
        case isComplete = "complete"
    }
}

extension AdviceSearchSummary {
    /// What the search did, as sentences.
    public var text: String {
        var text = "\(replays) replays"
        if replaysRead > 0 { text += ", and \(replaysRead) of an earlier search" }
        text += "; \(settings) settings count."
        if exhaustive > Double(replays + replaysRead) {
            let share = HumanText.share(Double(replays + replaysRead) / exhaustive)
            text +=
                " All settings on all sessions would be \(exhaustive.fixed(0)) replays, of which these are \(share)."
        }
        if levers.isEmpty {
            text += " --vary all also searches connections, order, lifetimes, policies and prefetching."
        }
        if !isComplete { text += " The search ended at --time-limit, before its end." }
        return text
    }
}
