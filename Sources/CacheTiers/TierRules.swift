/// A limit for single objects, beside the limit of the whole tier.
public struct EntryRule: Codable, Sendable, Equatable {
    /// The highest cost that is admitted.
    public var limit: Int
    public var oversize: Oversize

    /// The effect of storing an object above the limit.
    public enum Oversize: String, Codable, Sendable, CaseIterable {
        /// No effect: an older object of that name stays and is delivered from then on (Nuke, Glide).
        case ignored
        /// An older object of that name is removed (Coil).
        case removed
    }

    public init(limit: Int, oversize: Oversize) {
        self.limit = limit
        self.oversize = oversize
    }

    public func admits(_ cost: Int) -> Bool { cost <= limit }
}

/// What a tier does with objects that the app shows, and that its policy has evicted or refused.
public enum LiveRule: String, Codable, Sendable, CaseIterable {
    /// They are not found any more.
    case none
    /// They are found as long as the app shows them, and do not enter the policy (Coil, weak maps).
    case stays
    /// They are found as long as the app shows them, and enter the policy anew when they are (Flutter).
    case returns
}
