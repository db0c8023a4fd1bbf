/// A queue of objects with their sizes that never exceeds its limits: what LRU, FIFO and their kin are made of.
public struct BoundedQueue {
    // Objects and bytes lie apart: a pair that was written half by half and is read as one makes the processor wait.
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

    /// See ``CachePolicy/prefetch(_:)``.
    @inlinable public func prefetch(_ object: Int) { queue.prefetch(object) }

    /// Who leaves next; nil where nothing is held.
    @inlinable public var back: Int? { queue.back() }

    /// Whether the object would fit beside what is held, if it is not itself among that.
    @inlinable public func fits(_ access: Access) -> Bool { limits.fits(access.size, beside: occupancy) }

    /// Makes the object the last to leave.
    @inlinable public func moveToFront(_ object: Int) { queue.moveToFront(object) }

    /// Puts the object in front, after as many have left from the back as must; an object that could not fit even alone
    /// is refused, and nobody leaves for it. An object that is there already is replaced.
    @inlinable public mutating func push(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        if queue.contains(access.object) { remove(access.object) }
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy) { evictBack(&sink) }
        insert(access)
        return true
    }

    /// Puts the object in front whatever its size, and lets objects leave from the back until the limits hold: all of
    /// them, the new one last, if it could not fit even alone.
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
        sink.evicted(victim, .capacity)
        return true
    }
}

/// A policy that is one ``BoundedQueue``: what remains to be written is what a hit and an admission do.
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
