/// Several queues of objects with their sizes, where an object is in at most one queue: the segments of a policy,
/// residents and ghosts alike. Objects enter at the front and leave at the back.
///
/// The set knows each queue's ``Occupancy``; the policy bounds it. The set also counts each object's uses as far as the
/// policy asks: a clock's hit reads and writes only one byte. Methods that take the queue of an object save its lookup.
///
/// Invariant: an object whose place is a queue is linked into that queue's ring, through the sentinel with the queue's
/// number, and counted in its sums. The links of other objects mean nothing.
public struct QueueSet {
    @usableFromInline struct Node: BitwiseCopyable {
        @usableFromInline var previous: UInt32
        @usableFromInline var next: UInt32

        @inlinable init(previous: UInt32, next: UInt32) {
            self.previous = previous
            self.next = next
        }
    }

    /// The place of an object that is in none of the queues.
    @inlinable public static var nowhere: Int { 15 }
    /// The most uses that can be counted.
    @inlinable public static var mostUses: Int { 15 }

    @usableFromInline let queues: Int
    /// Nodes 0 ..< `queues` are the sentinels, object `i` is node `i + queues`.
    @usableFromInline var nodes: UncheckedArray<Node>
    /// By object: its queue, or ``nowhere``, in the lower four bits, and its uses in the upper four. Uses are 0 where
    /// the place is ``nowhere``.
    @usableFromInline var states = UncheckedArray<UInt8>(repeating: 15)
    @usableFromInline var sizes = SizeTable()
    // By queue. Objects and bytes lie apart: reading a pair as one after writing its halves makes the processor wait.
    @usableFromInline let objects: UncheckedArray<Int>
    @usableFromInline let bytes: UncheckedArray<Int>

    /// At most 15 queues.
    @inlinable public init(queues: Int) {
        precondition(queues <= Self.nowhere)
        self.queues = queues
        nodes = UncheckedArray(repeating: Node(previous: 0, next: 0), count: queues)
        objects = UncheckedArray(repeating: 0, count: queues)
        bytes = UncheckedArray(repeating: 0, count: queues)
        removeAll()
    }

    @inlinable public mutating func reserve(_ count: Int) {
        nodes.reserve(count + queues)
        states.reserve(count)
        sizes.reserve(count)
    }

    /// See ``CompiledPolicy/prefetch(_:)``.
    @inlinable @inline(__always) public func prefetch(_ object: Int) {
        states.prefetch(object)
        nodes.prefetch(object &+ queues)
        sizes.prefetch(object)
    }

    /// Starts to load what the next removal of the object that has been in the queue longest reads, except its node,
    /// which the removal of the object before it has written.
    @inline(__always) func prefetchBack(_ queue: Int) {
        let object = Swift.max(Int(nodes[queue].previous) &- queues, 0)
        states.prefetch(object)
        sizes.prefetch(object)
    }

    /// The queue that the object is in, or ``nowhere``.
    @inlinable @inline(__always) public func place(of object: Int) -> Int { Int(states[object] & 15) }

    /// How often the object has been used, as far as that was counted.
    @inlinable @inline(__always) public func uses(of object: Int) -> Int { Int(states[object] >> 4) }

    /// The object must be in a queue; at most ``mostUses``.
    @inlinable @inline(__always) public func setUses(_ object: Int, _ uses: Int) {
        states[object] = states[object] & 15 | UInt8(truncatingIfNeeded: uses &<< 4)
    }

    /// Counts one use more, up to `most`. The object must be in a queue.
    @inlinable @inline(__always) public func countUse(_ object: Int, upTo most: Int) {
        let state = states[object]
        // Without a branch, which would be unpredictable.
        let more: UInt8 = state &>> 4 < UInt8(truncatingIfNeeded: most) ? 16 : 0
        states[object] = state &+ more
    }

    @inlinable @inline(__always) public func occupancy(of queue: Int) -> Occupancy {
        Occupancy(objects: objects[queue], bytes: bytes[queue])
    }

    /// Bytes, of an object that is in one of the queues.
    @inlinable @inline(__always) public func size(of object: Int) -> Int { sizes[object] }

    /// The object must be in no queue. It has no uses yet.
    @inlinable @inline(__always) public mutating func pushFront(_ object: Int, size: Int, _ queue: Int) {
        sizes[object] = size
        link(object &+ queues, queue)
        states[object] = UInt8(truncatingIfNeeded: queue)
        count(size, 1, queue)
    }

    /// The object must be in a queue; it may be another one. Its uses stay.
    @inlinable @inline(__always) public func moveToFront(_ object: Int, _ queue: Int) {
        let old = place(of: object)
        if old == queue {
            moveToFront(object, in: queue)
        } else {
            move(object, from: old, to: queue)
        }
    }

    /// The object must be in `queue`.
    @inlinable @inline(__always) public func moveToFront(_ object: Int, in queue: Int) {
        let node = object &+ queues
        unlink(node)
        link(node, queue)
    }

    /// Moves an object of the queue `old` to the front of another. Its uses stay.
    @inlinable @inline(__always) public func move(_ object: Int, from old: Int, to queue: Int) {
        let size = sizes[object]
        moveToFront(object, in: queue)
        states[object] = states[object] & 0xF0 | UInt8(truncatingIfNeeded: queue)
        count(-size, -1, old)
        count(size, 1, queue)
    }

    /// The object must be in a queue.
    @inlinable @inline(__always) public func remove(_ object: Int) { remove(object, from: place(of: object)) }

    /// The object must be in `queue`.
    @inlinable @inline(__always) public func remove(_ object: Int, from queue: Int) {
        unlink(object &+ queues)
        states[object] = UInt8(truncatingIfNeeded: Self.nowhere)
        count(-sizes[object], -1, queue)
    }

    @inlinable public func removeAll() {
        states.reset()
        objects.reset()
        bytes.reset()
        for queue in 0..<queues { nodes[queue] = Node(previous: UInt32(queue), next: UInt32(queue)) }
    }

    /// The object that came last; nil where the queue is empty.
    @inlinable @inline(__always) public func front(_ queue: Int) -> Int? { object(Int(nodes[queue].next)) }

    /// The object that has been in the queue longest; nil where it is empty.
    @inlinable @inline(__always) public func back(_ queue: Int) -> Int? { object(Int(nodes[queue].previous)) }

    /// The next object towards the front; nil at the front. The object must be in a queue.
    @inlinable @inline(__always) public func ahead(of object: Int) -> Int? {
        self.object(Int(nodes[object &+ queues].previous))
    }

    /// The next object towards the back; nil at the back. The object must be in a queue.
    @inlinable @inline(__always) public func behind(_ object: Int) -> Int? {
        self.object(Int(nodes[object &+ queues].next))
    }

    /// Returns the object that has been in the queue longest without a use. Used objects move to the front, each with
    /// one use less.
    ///
    /// - Parameter most: How many uses of an object count.
    @inlinable @inline(__always) func oldestUnused(_ queue: Int, counting most: Int = Self.mostUses) -> Int? {
        while let oldest = back(queue) {
            let count = min(uses(of: oldest), most)
            guard count > 0 else { return oldest }
            moveToFront(oldest, in: queue)
            setUses(oldest, count &- 1)
        }
        return nil
    }

    /// Makes a ghost of an object of `queue`, which leaves. The ghosts' queue holds at most `share`, in the budget's
    /// measure; its oldest ghosts are forgotten.
    @inlinable @inline(__always) func remember(
        _ object: Int, from queue: Int, in ghosts: Int, atMost share: Int, _ budget: Budget
    ) {
        let room = share &- budget.measure(sizes[object])
        guard room >= 0 else { return remove(object, from: queue) }
        while held(ghosts, budget) > room, let oldest = back(ghosts) { remove(oldest, from: ghosts) }
        move(object, from: queue, to: ghosts)
        setUses(object, 0)
    }

    /// The content of the queue, in the measure.
    @inlinable @inline(__always) func held(_ queue: Int, _ budget: Budget) -> Int {
        budget.countsObjects ? objects[queue] : bytes[queue]
    }

    @inlinable @inline(__always) func object(_ node: Int) -> Int? { node < queues ? nil : node &- queues }

    @inlinable @inline(__always) func link(_ node: Int, _ queue: Int) {
        let next = nodes.base[queue].next
        nodes.base[node].previous = UInt32(truncatingIfNeeded: queue)
        nodes.base[node].next = next
        nodes.base[queue].next = UInt32(truncatingIfNeeded: node)
        nodes.base[Int(next)].previous = UInt32(truncatingIfNeeded: node)
    }

    @inlinable @inline(__always) func unlink(_ node: Int) {
        let previous = nodes.base[node].previous
        let next = nodes.base[node].next
        nodes.base[Int(previous)].next = next
        nodes.base[Int(next)].previous = previous
    }

    @inlinable @inline(__always) func count(_ size: Int, _ one: Int, _ queue: Int) {
        objects.base[queue] &+= one
        bytes.base[queue] &+= size
    }
}

/// A policy that consists of one set of queues: the first queues hold objects, the queues behind them remember ghosts.
/// A conforming type implements `lookup`, `admit`, `nextVictim` and `evictNext`.
protocol SegmentedPolicy: VictimOrdered {
    var queues: QueueSet { get set }
    /// How many of the queues hold objects.
    var residentQueues: Int { get }
}

extension SegmentedPolicy {
    @inline(__always) var occupancy: Occupancy {
        var sum = Occupancy()
        for queue in 0..<residentQueues { sum = sum + queues.occupancy(of: queue) }
        return sum
    }

    @inline(__always) func contains(_ object: Int) -> Bool { queues.place(of: object) < residentQueues }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { queues.prefetch(object) }

    @inline(__always) mutating func remove(_ object: Int) {
        let place = queues.place(of: object)
        if place != QueueSet.nowhere { queues.remove(object, from: place) }
    }

    mutating func clear() { queues.removeAll() }
}

/// A policy of one queue, in which hits are counted up to a limit. A conforming type implements `nextVictim` and
/// `evictNext`.
protocol CountingPolicy: SegmentedPolicy {
    var limits: Limits { get }
    /// How many hits of an object count, from 1 to ``QueueSet/mostUses``.
    var mostUses: Int { get }
}

extension CountingPolicy {
    var residentQueues: Int { 1 }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard contains(access.object) else { return .miss }
        queues.countUse(access.object, upTo: mostUses)
        return .hit
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: queues.occupancy(of: 0)), evictNext(&sink) {}
        queues.pushFront(access.object, size: access.size, 0)
        return true
    }
}
