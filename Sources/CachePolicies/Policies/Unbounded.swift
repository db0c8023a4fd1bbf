/// Keeps everything: the best hit ratio that any cache can reach, and the memory it would take.
public struct Unbounded: CachePolicy {
    @usableFromInline var queue = BoundedQueue(limits: Limits())

    @inlinable public init() {}

    @inlinable public var occupancy: Occupancy { queue.occupancy }

    @inlinable public func contains(_ object: Int) -> Bool { queue.contains(object) }

    @inlinable public mutating func reserve(_ count: Int) { queue.reserve(count) }

    @inlinable public mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        queue.contains(access.object) ? .hit : .miss
    }

    @inlinable public mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        queue.push(access, &sink)
    }

    @inlinable public mutating func remove(_ object: Int) { queue.remove(object) }

    @inlinable public mutating func removeAll() { queue.removeAll() }
}

extension Unbounded {
    static let entry = PolicyEntry("unbounded", "Keeps everything.", parameters: []) { _ in Unbounded() }
}
