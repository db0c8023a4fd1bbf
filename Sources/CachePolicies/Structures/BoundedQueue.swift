/// A queue of objects with their sizes that never exceeds its limits: the structure of LRU, FIFO and similar policies.
public struct BoundedQueue {
    // Objects and bytes lie apart: reading a pair as one after writing its halves makes the processor wait.
    @usableFromInline var objects = 0
    @usableFromInline var queue = LinkedQueue()
    @usableFromInline var bytes = 0
    @usableFromInline var sizes = SizeTable()
    public let limits: Limits

    @inlinable public init(limits: Limits) {
        self.limits = limits
    }

    @inlinable public var occupancy: Occupancy { Occupancy(objects: objects, bytes: bytes) }

    @inlinable public func contains(_ object: Int) -> Bool { queue.contains(object) }

    @inlinable public mutating func reserve(_ count: Int) {
        queue.reserve(count)
        sizes.reserve(count)
    }

    /// See ``CompiledPolicy/prefetch(_:)``.
    @inlinable public func prefetch(_ object: Int) { queue.prefetch(object) }

    /// The object that leaves next, or nil if the queue is empty.
    @inlinable public var back: Int? { queue.back() }

    /// Returns whether an object that is not held would fit beside the held objects.
    @inlinable public func fits(_ access: Access) -> Bool { limits.fits(access.size, beside: occupancy) }

    /// Makes the object the last to leave.
    @inlinable public func moveToFront(_ object: Int) { queue.moveToFront(object) }

    /// Evicts objects from the back until the object fits, and puts it in front. An object that could not fit even
    /// alone is refused, and nothing leaves for it. An object that is held already is replaced.
    @inlinable public mutating func push(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        if queue.contains(access.object) { remove(access.object) }
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy) { evictBack(&sink) }
        insert(access)
        return true
    }

    /// Puts the object in front whatever its size, and evicts objects from the back until the limits hold: all of them,
    /// the new one last, if it could not fit even alone.
    @inlinable public mutating func pushThenTrim(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        if queue.contains(access.object) { remove(access.object) }
        insert(access)
        while bytes > limits.bytes || objects > limits.objects { evictBack(&sink) }
        return queue.contains(access.object)
    }

    @inlinable public mutating func remove(_ object: Int) {
        guard queue.contains(object) else { return }
        queue.remove(object)
        objects &-= 1
        bytes &-= sizes[object]
    }

    @inlinable public mutating func removeAll() {
        queue.removeAll()
        objects = 0
        bytes = 0
    }

    @inlinable mutating func insert(_ access: Access) {
        queue.pushFront(access.object)
        sizes[access.object] = access.size
        objects &+= 1
        bytes &+= access.size
    }

    /// Evicts the object at the back, and returns whether there was one.
    @inlinable @discardableResult public mutating func evictBack(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = queue.back() else { return false }
        remove(victim)
        // Of the next victim, `remove` has written the node.
        if let next = queue.back() { sizes.prefetch(next) }
        sink.evicted(victim, .capacity)
        return true
    }
}

/// A policy that consists of one ``BoundedQueue``. A conforming type implements `lookup` and `admit`.
public protocol QueuePolicy: VictimOrdered {
    var queue: BoundedQueue { get set }
}

extension QueuePolicy {
    @inlinable public var occupancy: Occupancy { queue.occupancy }

    @inlinable public func contains(_ object: Int) -> Bool { queue.contains(object) }

    @inlinable public mutating func reserve(_ count: Int) { queue.reserve(count) }

    @inlinable public func prefetch(_ object: Int) { queue.prefetch(object) }

    @inlinable public mutating func nextVictim() -> Int? { queue.back }

    @inlinable public mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { queue.evictBack(&sink) }

    @inlinable public mutating func remove(_ object: Int) { queue.remove(object) }

    @inlinable public mutating func clear() { queue.removeAll() }
}
