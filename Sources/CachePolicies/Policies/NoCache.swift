/// Keeps nothing: the costs of an app without this tier.
public struct NoCache: VictimOrdered {
    @inlinable public init() {}

    @inlinable public var occupancy: Occupancy { Occupancy() }

    @inlinable public func contains(_ object: Int) -> Bool { false }

    @inlinable public mutating func reserve(_ count: Int) {}

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup { .miss }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool { false }

    @inlinable public mutating func remove(_ object: Int) {}

    @inlinable public mutating func clear() {}

    @inlinable public mutating func nextVictim() -> Int? { nil }

    @inlinable public mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { false }
}

extension NoCache {
    static let entry = PolicyEntry("none", "Keeps nothing.", parameters: []) { _ in NoCache() }
}

/// Keeps everything: the best hit ratio that any cache can reach, and the memory that it would take. A queue without
/// limits.
enum UnboundedPolicy {
    static let entry = PolicyEntry("unbounded", "Keeps everything.", parameters: []) { _ in FIFO(Limits()) }
}
