/// Several queues of objects with their sizes, an object being in at most one of them: the segments of a policy, residents and ghosts
/// alike. Front is where objects enter, back where they leave.
///
/// Knows each queue's ``Occupancy``; bounding it is the policy's business.
public struct QueueSet {
    /// The place of an object that is in none of the queues.
    @inlinable public static var nowhere: Int { 255 }

    @usableFromInline var links: LinkedQueue
    /// By object: its queue, or ``nowhere``.
    @usableFromInline var places = Column<UInt8>(repeating: 255)
    @usableFromInline var sizes = Column<Int>(repeating: 0)
    /// By queue.
    @usableFromInline let held: Column<Occupancy>

    /// At most 255 queues.
    @inlinable public init(queues: Int) {
        precondition(queues <= Self.nowhere)
        links = LinkedQueue(queues: queues)
        held = Column(repeating: Occupancy(), count: queues)
    }

    @inlinable public mutating func reserve(_ count: Int) {
        links.reserve(count)
        places.reserve(count)
        sizes.reserve(count)
    }

    /// The queue that the object is in, or ``nowhere``.
    @inlinable public func place(of object: Int) -> Int { Int(places[object]) }

    @inlinable public func occupancy(of queue: Int) -> Occupancy { held[queue] }

    /// Bytes, of an object that is in one of the queues.
    @inlinable public func size(of object: Int) -> Int { sizes[object] }

    /// The object must be in no queue.
    @inlinable public func pushFront(_ object: Int, size: Int, _ queue: Int) {
        links.pushFront(object, queue)
        places[object] = UInt8(truncatingIfNeeded: queue)
        sizes[object] = size
        enter(size, queue)
    }

    /// The object must be in a queue; it may be another one.
    @inlinable public func moveToFront(_ object: Int, _ queue: Int) {
        links.moveToFront(object, queue)
        let old = Int(places[object])
        if old != queue {
            leave(sizes[object], old)
            enter(sizes[object], queue)
            places[object] = UInt8(truncatingIfNeeded: queue)
        }
    }

    /// The object must be in a queue.
    @inlinable public func remove(_ object: Int) {
        leave(sizes[object], Int(places[object]))
        links.remove(object)
        places[object] = UInt8(truncatingIfNeeded: Self.nowhere)
    }

    @inlinable public func removeAll() {
        links.removeAll()
        places.reset()
        held.reset()
    }

    @inlinable public func front(_ queue: Int) -> Int? { links.front(queue) }

    @inlinable public func back(_ queue: Int) -> Int? { links.back(queue) }

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
