extension Trace {
    /// Bytes by object number, with the gaps filled: an object of unknown size is taken to have the median of the known ones.
    public func resolvedSizes() -> ResolvedSizes {
        let known = objects.compactMap(\.bytes).sorted()
        let median = known.isEmpty ? 1 : known[known.count / 2]
        return ResolvedSizes(
            bytes: objects.map { $0.bytes ?? median }, assumed: median, assumedCount: objects.count - known.count)
    }
}

public struct ResolvedSizes: Sendable, Equatable {
    /// Indexed by ``ObjectID``.
    public var bytes: [Int]
    /// What objects of unknown size are taken to have.
    public var assumed: Int
    /// How many those are.
    public var assumedCount: Int
}
