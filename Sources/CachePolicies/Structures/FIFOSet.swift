/// What ``QueueSet`` is, for queues that objects leave from the back and seldom from elsewhere: each queue is a ring of names and sizes, which is
/// read and written in order, and knows nothing of an object's neighbours. Going round costs no reading from all over memory.
///
/// Invariants, by queue: `begin` ... `end` are the slots in use, from back to front, each at its index modulo the capacity, a power of two; a
/// slot of an object that left from elsewhere than the back is a hole. `positions` has the lower 32 bits of the index of the slot of each object
/// that is in a queue. Copies share storage.
///
/// What every request passes through is inlined, always: a call would keep a policy's fields in memory.
struct FIFOSet: ObjectQueues {
    struct Slot: BitwiseCopyable {
        var object: UInt32
        var size: Int

        static var hole: UInt32 { .max }
    }

    struct Ring: BitwiseCopyable {
        var slots: UnsafeMutablePointer<Slot>
        var mask: Int
        var begin = 0
        var end = 0
        var occupancy = Occupancy()

        init(capacity: Int) {
            slots = .allocate(capacity: capacity)
            mask = capacity &- 1
        }
    }

    private final class Storage {
        let rings: UnsafeMutablePointer<Ring>
        let count: Int

        init(count: Int) {
            rings = .allocate(capacity: count)
            self.count = count
            for queue in 0..<count { (rings + queue).initialize(to: Ring(capacity: FIFOSet.leastCapacity)) }
        }

        deinit {
            for queue in 0..<count { rings[queue].slots.deallocate() }
            rings.deallocate()
        }
    }

    private static var leastCapacity: Int { 64 }

    /// As in ``QueueSet``: the place in the lower four bits, the uses in the upper.
    private var states = Column<UInt8>(repeating: 15)
    private var positions = Column<UInt32>(repeating: 0)
    private let storage: Storage
    private let rings: UnsafeMutablePointer<Ring>

    /// At most 15 queues.
    init(queues: Int) {
        precondition(queues <= QueueSet.nowhere)
        storage = Storage(count: queues)
        rings = storage.rings
    }

    mutating func reserve(_ count: Int) {
        states.reserve(count)
        positions.reserve(count)
    }

    /// See ``CachePolicy/prefetch(_:)``.
    @inline(__always) func prefetch(_ object: Int) {
        states.prefetch(object)
        positions.prefetch(object)
    }

    @inline(__always) func place(of object: Int) -> Int { Int(states[object] & 15) }

    @inline(__always) func uses(of object: Int) -> Int { Int(states[object] >> 4) }

    @inline(__always) func countUse(_ object: Int, upTo most: Int) {
        let state = states[object]
        // Without a branch, which nobody could foresee.
        let more: UInt8 = state &>> 4 < UInt8(truncatingIfNeeded: most) ? 16 : 0
        states[object] = state &+ more
    }

    @inline(__always) func occupancy(of queue: Int) -> Occupancy { rings[queue].occupancy }

    /// The object must be in no queue. It has no uses yet.
    @inline(__always) func pushFront(_ object: Int, size: Int, _ queue: Int) {
        states[object] = UInt8(truncatingIfNeeded: queue)
        enter(object, size, queue)
    }

    /// The object must be in a queue.
    @inline(__always) func remove(_ object: Int) {
        leave(object, place(of: object))
        states[object] = UInt8(truncatingIfNeeded: QueueSet.nowhere)
    }

    func removeAll() {
        states.reset()
        for queue in 0..<storage.count {
            rings[queue].begin = 0
            rings[queue].end = 0
            rings[queue].occupancy = Occupancy()
        }
    }

    @inline(__always) func back(_ queue: Int) -> Int? {
        let ring = rings + queue
        while ring.pointee.begin < ring.pointee.end {
            let object = ring.pointee.slots[ring.pointee.begin & ring.pointee.mask].object
            if object != Slot.hole { return Int(object) }
            ring.pointee.begin &+= 1
        }
        return nil
    }

    /// Bytes, of the object at the back. There must be one, and ``back(_:)`` must have been asked for it, as in what follows.
    @inline(__always) func sizeOfBack(_ queue: Int) -> Int { rings[queue].slots[rings[queue].begin & rings[queue].mask].size }

    @inline(__always) func removeBack(_ queue: Int) {
        let slot = takeBack(queue)
        states[Int(slot.object)] = UInt8(truncatingIfNeeded: QueueSet.nowhere)
    }

    @inline(__always) func moveBack(_ queue: Int, to other: Int, uses: Int) {
        let slot = takeBack(queue)
        states[Int(slot.object)] = UInt8(truncatingIfNeeded: uses &<< 4 | other)
        enter(Int(slot.object), slot.size, other)
    }

    /// Reads and writes nothing by object: where the back is, is known.
    @inline(__always) private func takeBack(_ queue: Int) -> Slot {
        let ring = rings + queue
        let slot = ring.pointee.slots[ring.pointee.begin & ring.pointee.mask]
        ring.pointee.begin &+= 1
        ring.pointee.occupancy.objects &-= 1
        ring.pointee.occupancy.bytes &-= slot.size
        return slot
    }

    @inline(__always) private func slot(of object: Int, _ queue: Int) -> UnsafeMutablePointer<Slot> {
        rings[queue].slots + (Int(positions[object]) & rings[queue].mask)
    }

    @inline(__always) private func enter(_ object: Int, _ size: Int, _ queue: Int) {
        let ring = rings + queue
        if ring.pointee.end &- ring.pointee.begin > ring.pointee.mask { closeHoles(queue) }
        let end = ring.pointee.end
        ring.pointee.slots[end & ring.pointee.mask] = Slot(object: UInt32(truncatingIfNeeded: object), size: size)
        positions[object] = UInt32(truncatingIfNeeded: end)
        ring.pointee.end = end &+ 1
        ring.pointee.occupancy.objects &+= 1
        ring.pointee.occupancy.bytes &+= size
    }

    @inline(__always) private func leave(_ object: Int, _ queue: Int) {
        let ring = rings + queue
        let slot = slot(of: object, queue)
        slot.pointee.object = Slot.hole
        ring.pointee.occupancy.objects &-= 1
        ring.pointee.occupancy.bytes &-= slot.pointee.size
    }

    /// Moves the objects of a full ring together, into a new one with room for half as many again: each push pays for two moves at most.
    @inline(never) private func closeHoles(_ queue: Int) {
        let old = rings[queue]
        let count = old.occupancy.objects
        var capacity = Self.leastCapacity
        while capacity <= count &+ count / 2 { capacity *= 2 }
        var new = Ring(capacity: capacity)
        new.occupancy = old.occupancy
        for index in old.begin..<old.end {
            let slot = old.slots[index & old.mask]
            guard slot.object != Slot.hole else { continue }
            new.slots[new.end] = slot
            positions[Int(slot.object)] = UInt32(truncatingIfNeeded: new.end)
            new.end &+= 1
        }
        old.slots.deallocate()
        rings[queue] = new
    }
}
