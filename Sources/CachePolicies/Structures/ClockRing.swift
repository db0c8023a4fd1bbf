/// Objects in a circle around which hands go: the structure of clock policies with several hands.
///
/// Objects stand in slots that are used again, so that what the hands read lies together, however many objects the
/// trace has. A hand is the number of a slot, and its owner keeps it. An object keeps its slot while it is in the ring.
///
/// Invariants: following `next` from any member's slot visits every member's slot once. `slots[object]` is the object's
/// slot, or ``nowhere``. Slots below `used` that no object has are a list that begins at `free` and goes on by `next`.
struct ClockRing {
    /// 24 bytes.
    struct Place: BitwiseCopyable {
        var previous: UInt32 = 0
        var next: UInt32 = 0
        var object: UInt32 = 0
        /// Means what the owner wants.
        var state: UInt8 = 0
        /// In bytes.
        var size = 0
    }

    static var nowhere: UInt32 { .max }

    /// By object.
    var slots = UncheckedArray<UInt32>(repeating: nowhere)
    /// By slot.
    var places = UncheckedArray(repeating: Place(), count: 64)
    private(set) var count = 0
    private var used = 0
    private var free: UInt32 = nowhere

    mutating func reserve(_ count: Int) { slots.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { slots.prefetch(object) }

    /// Nil if the object is not in the ring.
    @inline(__always) func slot(of object: Int) -> Int? {
        let slot = slots[object]
        return slot == Self.nowhere ? nil : Int(slot)
    }

    @inline(__always) func object(at slot: Int) -> Int { Int(places.base[slot].object) }

    @inline(__always) func size(at slot: Int) -> Int { places.base[slot].size }

    @inline(__always) func state(at slot: Int) -> UInt8 { places.base[slot].state }

    @inline(__always) func setState(at slot: Int, _ state: UInt8) { places.base[slot].state = state }

    /// The slot of the next object; the same slot where its object is alone.
    @inline(__always) func next(_ slot: Int) -> Int { Int(places.base[slot].next) }

    /// Returns a slot for an object that has none. The object is not in the ring before ``link(_:before:)``.
    @inline(__always) mutating func allocate(_ object: Int, size: Int) -> Int {
        var slot = Int(free)
        if free != Self.nowhere {
            free = places.base[slot].next
        } else {
            if used == places.count { places.reserve(2 * used) }
            slot = used
            used &+= 1
        }
        places[slot] = Place(object: UInt32(truncatingIfNeeded: object), size: size)
        slots[object] = UInt32(truncatingIfNeeded: slot)
        return slot
    }

    /// Takes the slot from its object, which must not be linked.
    @inline(__always) mutating func release(_ slot: Int) {
        slots[object(at: slot)] = Self.nowhere
        places.base[slot].next = free
        free = UInt32(truncatingIfNeeded: slot)
    }

    /// The object of `slot` must not be in the ring, the object of `other` must, unless the ring is empty.
    @inline(__always) mutating func link(_ slot: Int, before other: Int) {
        count &+= 1
        let new = UInt32(truncatingIfNeeded: slot)
        let previous = count == 1 ? new : places.base[other].previous
        let next = count == 1 ? new : UInt32(truncatingIfNeeded: other)
        places.base[Int(next)].previous = new
        places.base[Int(previous)].next = new
        places.base[slot].previous = previous
        places.base[slot].next = next
    }

    /// The object of the slot must be in the ring. It keeps its slot.
    @inline(__always) mutating func unlink(_ slot: Int) {
        count &-= 1
        let previous = places.base[slot].previous
        let next = places.base[slot].next
        places.base[Int(previous)].next = next
        places.base[Int(next)].previous = previous
    }

    mutating func removeAll() {
        slots.reset()
        (count, used, free) = (0, 0, Self.nowhere)
    }
}
