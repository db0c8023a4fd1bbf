extension Trace {
    /// Bytes by object number, with the gaps filled: an object without a size takes that of its first fetch that
    /// brought a body, and one without such a fetch the median of the others. Replay, simulation and loopback origin
    /// all go by these.
    public func resolvedSizes() -> ResolvedSizes {
        var sizes = objects.map(\.bytes)
        if sizes.contains(nil) {
            for case .fetch(let object, let fetch) in events.lazy.map(\.action) where sizes[Int(object)] == nil {
                if let bytes = fetch.bytes, bytes > 0, fetch.succeeded { sizes[Int(object)] = bytes }
            }
        }
        let known = sizes.compactMap { $0 }.sorted()
        let median = known.isEmpty ? 1 : known[known.count / 2]
        return ResolvedSizes(
            bytes: sizes.map { $0 ?? median }, assumed: median, assumedCount: objects.count - known.count)
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
