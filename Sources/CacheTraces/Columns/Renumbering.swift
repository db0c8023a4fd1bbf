import Basics

/// New numbers for some objects of a trace: 0, 1, 2 … in the order in which ``number(of:)`` is first called for them.
///
/// The table has two to four slots for each of these objects. For a sample of 1 % of a million objects, the table takes
/// a quarter of a megabyte, which stays in the processor's caches.
///
/// Invariant: fewer objects than slots have numbers, so that each search ends.
struct Renumbering: ~Copyable {
    /// The numbers that the objects have in the whole trace, by new number.
    private(set) var objects: [UInt32] = []
    private let slots: UnsafeMutablePointer<Slot>
    private let mask: Int
    /// The number of objects of the trace, if each has its own slot.
    private let direct: Int?

    /// The number is ``unassigned`` in a free slot.
    private struct Slot: BitwiseCopyable {
        var object: UInt32
        var number: UInt32
    }

    private static var unassigned: UInt32 { .max }

    /// - Parameter all: The number of objects of the trace. Objects are below it.
    init(atMost most: Int, of all: Int) {
        // Half of the slots stay free. A table of all objects needs no search.
        let hashed = 1 << (Int.bitWidth - (max(most, 8) * 2 - 1).leadingZeroBitCount)
        direct = hashed > all ? all : nil
        mask = hashed - 1
        let count = max(direct ?? hashed, 1)
        slots = .allocate(capacity: count)
        slots.initialize(repeating: Slot(object: 0, number: Self.unassigned), count: count)
    }

    deinit { slots.deallocate() }

    /// Returns the new number of an object, which gets one if it has none.
    @inline(__always)
    mutating func number(of object: UInt32) -> UInt32 {
        let slot = slot(of: object)
        if slots[slot].number == Self.unassigned {
            slots[slot] = Slot(object: object, number: UInt32(truncatingIfNeeded: objects.count))
            objects.append(object)
        }
        return slots[slot].number
    }

    /// Returns the new number of an object, or nil if it has none.
    func existing(_ object: UInt32) -> UInt32? {
        if let direct, object >= direct { return nil }
        let number = slots[slot(of: object)].number
        return number == Self.unassigned ? nil : number
    }

    /// Returns the slot of an object, or the free one for it.
    @inline(__always)
    private func slot(of object: UInt32) -> Int {
        if direct != nil { return Int(object) }
        // The objects of a sample have similar products with the multiplier of ``ObjectSample``: here, another one.
        var slot = Int(truncatingIfNeeded: SplitMix64.hash(UInt64(object))) & mask
        while slots[slot].number != Self.unassigned, slots[slot].object != object { slot = (slot &+ 1) & mask }
        return slot
    }
}
