/// A limit for single objects, beside that of the whole tier, and what storing one above it does.
public struct EntryRule: Codable, Sendable, Equatable {
    /// The highest cost that is admitted.
    public var limit: Int
    public var oversize: Oversize

    public enum Oversize: String, Codable, Sendable, CaseIterable {
        /// Nothing happens; an older object of that name stays and is delivered from then on (Nuke, Glide).
        case ignored
        /// An older object of that name goes (Coil).
        case removed
    }

    public init(limit: Int, oversize: Oversize) {
        self.limit = limit
        self.oversize = oversize
    }

    public func admits(_ cost: Int) -> Bool { cost <= limit }
}
