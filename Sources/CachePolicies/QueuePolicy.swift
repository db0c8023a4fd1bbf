/// A policy that is one ``BoundedQueue``: what remains to be written is what a hit and an admission do.
public protocol QueuePolicy: CachePolicy {
    var queue: BoundedQueue { get set }
}

extension QueuePolicy {
    @inlinable public var occupancy: Occupancy { queue.occupancy }

    @inlinable public func contains(_ object: Int) -> Bool { queue.contains(object) }

    @inlinable public mutating func reserve(_ count: Int) { queue.reserve(count) }

    @inlinable public func prefetch(_ object: Int) { queue.prefetch(object) }

    @inlinable public mutating func nextVictim() -> Int? { queue.back }

    @inlinable public mutating func remove(_ object: Int) { queue.remove(object) }

    @inlinable public mutating func removeAll() { queue.removeAll() }
}
