/// Objects in the order in which they came, each with one mark, and a hand that goes round in search of one without.
/// Names stand in a ring, marks in bits beside it: the hand passes 64 objects at a time, and one instruction finds
/// where it stops, instead of a branch that would be unpredictable.
///
/// Invariants: going up from the hand's slot, and from the last slot on to the first, the hand meets its objects in
/// order; between `end`, the slot behind the newest object, and the oldest one all slots are empty. `slots[object]` is
/// the object's slot, or ``nowhere``. A slot's bit in `live` says whether an object stands there, its bit in `unmarked`
/// whether that object has no mark. Copies share storage.
struct MarkedRing {
    private final class Storage {
        let names: UnsafeMutablePointer<UInt32>
        let live: UnsafeMutablePointer<UInt64>
        let unmarked: UnsafeMutablePointer<UInt64>
        let words: Int

        init(capacity: Int) {
            words = (capacity + 63) / 64
            names = .allocate(capacity: capacity)
            live = .allocate(capacity: words)
            unmarked = .allocate(capacity: words)
            reset()
        }

        func reset() {
            live.initialize(repeating: 0, count: words)
            unmarked.initialize(repeating: 0, count: words)
        }

        deinit {
            names.deallocate()
            live.deallocate()
            unmarked.deallocate()
        }
    }

    private static var nowhere: UInt32 { .max }

    private var slots = UncheckedArray<UInt32>(repeating: nowhere)
    private var names: UnsafeMutablePointer<UInt32>
    private var live: UnsafeMutablePointer<UInt64>
    private var unmarked: UnsafeMutablePointer<UInt64>
    /// The place at which the search for the next object without a mark begins.
    private var hand = 0
    private var end = 0
    private var capacity: Int
    // Objects and bytes lie apart: reading a pair as one after writing its halves makes the processor wait.
    private var objects = 0
    /// By slot, so that the hand reads them in their order.
    private var sizes = SizeTable()
    private var bytes = 0
    private var storage: Storage
    /// How many objects may ever be held at once.
    private let mostObjects: Int

    init(_ limits: Limits) {
        mostObjects = max(1, limits.objects)
        capacity = min(64, mostObjects)
        storage = Storage(capacity: capacity)
        sizes.reserve(capacity)
        (names, live, unmarked) = (storage.names, storage.live, storage.unmarked)
    }

    @inline(__always) var occupancy: Occupancy { Occupancy(objects: objects, bytes: bytes) }

    mutating func reserve(_ count: Int) { slots.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { slots.prefetch(object) }

    @inline(__always) func contains(_ object: Int) -> Bool { slots[object] != Self.nowhere }

    /// Marks the object if it is held, and returns whether it is.
    @inline(__always) func mark(_ object: Int) -> Bool {
        let slot = slots[object]
        guard slot != Self.nowhere else { return false }
        unmarked[Int(slot &>> 6)] &= ~(1 &<< UInt64(slot & 63))
        return true
    }

    /// Moves the hand to the first object without a mark, and returns it. Passed objects lose their marks and keep
    /// their places.
    @inline(__always) mutating func advanceClearingMarks() -> Int? {
        guard objects > 0 else { return nil }
        var word = hand &>> 6
        var ahead = ~UInt64(0) &<< UInt64(truncatingIfNeeded: hand & 63)
        while true {
            let found = unmarked[word] & ahead
            // The lowest bit that was found, and all below it; all, where none was.
            unmarked[word] |= live[word] & ahead & (found ^ (found &- 1))
            if found != 0 {
                hand = word &<< 6 | found.trailingZeroBitCount
                return Int(names[hand])
            }
            word &+= 1
            if word &<< 6 >= capacity { word = 0 }
            ahead = ~0
        }
    }

    /// Moves the hand from the oldest object to the first without a mark, and returns it. Passed objects lose their
    /// marks, and become the newest: in a full ring, they keep their places. Only this method may move the hand of a
    /// ring.
    @inline(__always) mutating func advanceReinsertingMarked() -> Int? {
        guard hand == end else { return advanceMovingMarked() }
        let victim = advanceClearingMarks()
        end = hand
        return victim
    }

    private mutating func advanceMovingMarked() -> Int? {
        guard objects > 0 else { return nil }
        while true {
            let word = hand &>> 6
            let ahead = ~UInt64(0) &<< UInt64(truncatingIfNeeded: hand & 63)
            let found = unmarked[word] & ahead
            var passed = live[word] & ahead & (found ^ (found &- 1)) & ~found
            live[word] &= ~passed
            let behindAll = end
            while passed != 0 {
                let slot = word &<< 6 | passed.trailingZeroBitCount
                place(Int(names[slot]), size: sizes[slot])
                passed &= passed &- 1
            }
            if found != 0 {
                hand = word &<< 6 | found.trailingZeroBitCount
                return Int(names[hand])
            }
            if behindAll &>> 6 == word, behindAll > hand {
                // All were passed.
                hand = behindAll
            } else {
                hand = (word &+ 1) &<< 6 < capacity ? (word &+ 1) &<< 6 : 0
            }
        }
    }

    /// Puts the object, which must not be held, behind the newest, without a mark.
    @inline(__always) mutating func push(_ object: Int, size: Int) {
        if live[end &>> 6] &>> UInt64(truncatingIfNeeded: end & 63) & 1 != 0 { closeGaps() }
        let waits = hand == end
        place(object, size: size)
        // No object is left before the hand: it moves to the oldest.
        if waits { hand = end }
        objects &+= 1
        bytes &+= size
    }

    /// The object must be held.
    @inline(__always) mutating func remove(_ object: Int) { remove(object, at: Int(slots[object])) }

    /// Removes the object that the hand has just been moved to.
    @inline(__always) mutating func removeAtHand(_ object: Int) { remove(object, at: hand) }

    mutating func removeAll() {
        slots.reset()
        storage.reset()
        (hand, end, objects, bytes) = (0, 0, 0, 0)
    }

    @inline(__always) private func slot(after slot: Int) -> Int { slot &+ 1 == capacity ? 0 : slot &+ 1 }

    @inline(__always) private mutating func place(_ object: Int, size: Int) {
        names[end] = UInt32(truncatingIfNeeded: object)
        sizes[end] = size
        slots[object] = UInt32(truncatingIfNeeded: end)
        let bit = 1 &<< UInt64(truncatingIfNeeded: end & 63)
        live[end &>> 6] |= bit
        unmarked[end &>> 6] |= bit
        end = slot(after: end)
    }

    @inline(__always) private mutating func remove(_ object: Int, at slot: Int) {
        slots[object] = Self.nowhere
        let others = ~(1 &<< UInt64(truncatingIfNeeded: slot & 63))
        live[slot &>> 6] &= others
        unmarked[slot &>> 6] &= others
        objects &-= 1
        bytes &-= sizes[slot]
        if self.slot(after: slot) == end { retractEnd() }
    }

    /// Moves `end` after the newest object has left. A hand that stood there waits for the oldest object.
    @inline(never) private mutating func retractEnd() {
        guard objects > 0 else { return }
        repeat { end = (end == 0 ? capacity : end) &- 1 } while live[end &>> 6] &>> UInt64(end & 63) & 1 == 0
        end = slot(after: end)
    }

    /// Moves the objects of a full ring together, into one with room for twice as many again: each push pays for one
    /// move at most. A ring without gaps grows no further than to the number of objects that it may ever hold.
    @inline(never) private mutating func closeGaps() {
        let hasGaps = objects < capacity
        let newCapacity = hasGaps ? 3 * objects + 64 : min(3 * objects + 64, mostObjects)
        let new = Storage(capacity: newCapacity)
        var newSizes = sizes.emptied(reserving: newCapacity)
        var count = 0
        var newHand: Int?
        func age(_ slot: Int) -> Int { slot < end ? slot + capacity - end : slot - end }
        // The oldest object stands where the newest one ends.
        for range in [end..<capacity, 0..<end] where !range.isEmpty {
            for word in range.lowerBound / 64...(range.upperBound - 1) / 64 {
                let first = max(range.lowerBound - word * 64, 0)
                let behind = range.upperBound - word * 64
                var left = live[word] & ~0 << UInt64(first) & (behind < 64 ? ~(~0 << UInt64(behind)) : ~0)
                while left != 0 {
                    let slot = word * 64 + left.trailingZeroBitCount
                    left &= left &- 1
                    if newHand == nil, age(slot) >= age(hand) { newHand = count }
                    new.names[count] = names[slot]
                    newSizes[count] = sizes[slot]
                    slots[Int(names[slot])] = UInt32(truncatingIfNeeded: count)
                    new.live[count / 64] |= 1 << UInt64(count % 64)
                    new.unmarked[count / 64] |= (unmarked[word] >> UInt64(slot % 64) & 1) << UInt64(count % 64)
                    count += 1
                }
            }
        }
        hand = newHand ?? count
        end = count
        capacity = newCapacity
        storage = new
        sizes = newSizes
        (names, live, unmarked) = (new.names, new.live, new.unmarked)
    }
}

/// A policy that consists of one ``MarkedRing``: a hit marks, and objects leave until the new one fits. A conforming
/// type implements ``VictimOrdered/nextVictim()``, after which the hand stands at the victim.
protocol MarkedPolicy: VictimOrdered {
    var ring: MarkedRing { get set }
    var limits: Limits { get }
}

extension MarkedPolicy {
    @inline(__always) var occupancy: Occupancy { ring.occupancy }

    func contains(_ object: Int) -> Bool { ring.contains(object) }

    mutating func reserve(_ count: Int) { ring.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { ring.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        ring.mark(access.object) ? .hit : .miss
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        ring.push(access.object, size: access.size)
        return true
    }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        ring.removeAtHand(victim)
        sink.evicted(victim, .capacity)
        return true
    }

    @inline(__always) mutating func remove(_ object: Int) {
        if ring.contains(object) { ring.remove(object) }
    }

    mutating func clear() { ring.removeAll() }
}
