/// Several queues of objects with their sizes, an object being in at most one of them: the segments of a policy, residents and ghosts
/// alike. Front is where objects enter, back where they leave.
///
/// Knows each queue's ``Occupancy``; bounding it is the policy's business. Counts each object's uses as far as the policy asks: a
/// clock's hit reads and writes nothing but one byte.
public struct QueueSet {
    /// The place of an object that is in none of the queues.
    @inlinable public static var nowhere: Int { 15 }
    /// The most uses that can be counted.
    @inlinable public static var mostUses: Int { 15 }

    @usableFromInline var links: LinkedQueue
    /// By object: its queue, or ``nowhere``, in the lower four bits, and its uses in the upper four. Uses are 0 where the place is ``nowhere``.
    @usableFromInline var states = Column<UInt8>(repeating: 15)
    @usableFromInline var sizes = ObjectSizes()
    /// By queue.
    @usableFromInline let held: Column<Occupancy>

    /// At most 15 queues.
    @inlinable public init(queues: Int) {
        precondition(queues <= Self.nowhere)
        links = LinkedQueue(queues: queues)
        held = Column(repeating: Occupancy(), count: queues)
    }

    @inlinable public mutating func reserve(_ count: Int) {
        links.reserve(count)
        states.reserve(count)
        sizes.reserve(count)
    }

    /// See ``CachePolicy/prefetch(_:)``.
    @inlinable public func prefetch(_ object: Int) {
        states.prefetch(object)
        links.prefetch(object)
    }

    /// The queue that the object is in, or ``nowhere``.
    @inlinable public func place(of object: Int) -> Int { Int(states[object] & 15) }

    /// How often the object has been used, as far as that was counted.
    @inlinable public func uses(of object: Int) -> Int { Int(states[object] >> 4) }

    /// The object must be in a queue; at most ``mostUses``.
    @inlinable public func setUses(_ object: Int, _ uses: Int) {
        states[object] = states[object] & 15 | UInt8(truncatingIfNeeded: uses &<< 4)
    }

    /// Counts one use more, up to `most`. The object must be in a queue.
    @inlinable public func countUse(_ object: Int, upTo most: Int) {
        let state = states[object]
        // Without a branch, which nobody could foresee.
        let more: UInt8 = state &>> 4 < UInt8(truncatingIfNeeded: most) ? 16 : 0
        states[object] = state &+ more
    }

    @inlinable public func occupancy(of queue: Int) -> Occupancy { held[queue] }

    /// Bytes, of an object that is in one of the queues.
    @inlinable public func size(of object: Int) -> Int { sizes[object] }

    /// The object must be in no queue. It has no uses yet.
    @inlinable public mutating func pushFront(_ object: Int, size: Int, _ queue: Int) {
        links.pushFront(object, queue)
        states[object] = UInt8(truncatingIfNeeded: queue)
        sizes[object] = size
        enter(size, queue)
    }

    /// The object must be in a queue; it may be another one. Its uses stay.
    @inlinable public func moveToFront(_ object: Int, _ queue: Int) {
        links.moveToFront(object, queue)
        let old = place(of: object)
        if old != queue {
            leave(sizes[object], old)
            enter(sizes[object], queue)
            states[object] = states[object] & 0xF0 | UInt8(truncatingIfNeeded: queue)
        }
    }

    /// The object must be in a queue.
    @inlinable public func remove(_ object: Int) {
        leave(sizes[object], place(of: object))
        links.remove(object)
        states[object] = UInt8(truncatingIfNeeded: Self.nowhere)
    }

    @inlinable public func removeAll() {
        links.removeAll()
        states.reset()
        held.reset()
    }

    @inlinable public func front(_ queue: Int) -> Int? { links.front(queue) }

    @inlinable public func back(_ queue: Int) -> Int? { links.back(queue) }

    /// Bytes, of the object at the back. There must be one, as in what follows.
    @inlinable public func sizeOfBack(_ queue: Int) -> Int {
        guard let object = back(queue) else { return 0 }
        return sizes[object]
    }

    @inlinable public func removeBack(_ queue: Int) {
        if let object = back(queue) { remove(object) }
    }

    /// Moves the object at the back of a queue to the front of one, perhaps the same, and sets its uses.
    @inlinable public func moveBack(_ queue: Int, to other: Int, uses: Int) {
        guard let object = back(queue) else { return }
        moveToFront(object, other)
        setUses(object, uses)
    }

    /// The next object towards the front; nil at the front. The object must be in a queue.
    @inlinable public func ahead(of object: Int) -> Int? { links.ahead(of: object) }

    @inlinable func enter(_ size: Int, _ queue: Int) {
        held.base[queue].objects &+= 1
        held.base[queue].bytes &+= size
    }

    @inlinable func leave(_ size: Int, _ queue: Int) {
        held.base[queue].objects &-= 1
        held.base[queue].bytes &-= size
    }
}
