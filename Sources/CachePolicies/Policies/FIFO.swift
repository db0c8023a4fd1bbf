/// First in, first out: a hit changes nothing. Objects larger than the whole cache are refused.
public struct FIFO: CachePolicy {
    @usableFromInline var queue: BoundedQueue

    @inlinable public init(_ limits: Limits) { queue = BoundedQueue(limits: limits) }

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

extension FIFO {
    static let entry = PolicyEntry(
        "fifo", "First in, first out; a hit changes nothing.", parameters: [.limits]
    ) { FIFO(try $0.limits()) }
}
