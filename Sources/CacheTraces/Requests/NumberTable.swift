import Foundation

/// Numbers 64-bit ids 0, 1, 2 … in order of first appearance: a hash table with linear probing.
///
/// A slot also holds the size that its object was last seen with, so that a request of a known object needs to look at one cache line
/// only. Requests are looked up in batches, whose slots the processor then fetches from memory all at once.
///
/// Invariants: `slots` has `mask + 1` places, a power of two, of which at most half are taken, so that every probe ends at
/// a free one; a slot's `number` is that of its id, ``unused`` where there is none.
struct NumberTable: ~Copyable {
    private struct Slot {
        var id: UInt64
        var number: UInt32
        var size: UInt32
    }

    /// What ``find(_:sizes:count:into:)`` gives for those that need ``number(of:size:next:)``.
    static let unused = UInt32.max
    /// In a request: a size that is not found in a batch.
    static let otherSize = UInt32.max - 1
    /// In a slot: a size that no request has.
    private static let noSize = UInt32.max - 2
    /// Sizes below are kept as they are.
    static let sizeLimit = Int(UInt32.max - 2)

    private var slots: UnsafeMutablePointer<Slot>
    private var mask: Int
    private(set) var count = 0

    init() {
        mask = 1023
        slots = Self.allocate(mask + 1)
    }

    deinit { free(slots) }

    /// The number of `id`, a new one at its first appearance: `count` of this table.
    @inline(__always)
    mutating func number(of id: UInt64) -> UInt32 { number(of: id, size: Self.otherSize, next: UInt32(count)) }

    /// The number of `id`, or `next`, which it then has; from now on `size` is what it was last seen with.
    mutating func number(of id: UInt64, size: UInt32, next: UInt32) -> UInt32 {
        let size = size == Self.otherSize ? Self.noSize : size
        var place = Self.hash(id) & mask
        while slots[place].number != Self.unused {
            if slots[place].id == id {
                slots[place].size = size
                return slots[place].number
            }
            place = (place + 1) & mask
        }
        slots[place] = Slot(id: id, number: next, size: size)
        count += 1
        if count > (mask + 1) / 2 { grow() }
        return next
    }

    /// For each of `count` requests the number of its object, if that is known and was last seen with that size; else ``unused``.
    ///
    /// The first pass has neither branches nor an order between requests, so that slots are fetched from memory many at a time.
    @inline(__always)
    func find(_ ids: UnsafePointer<UInt64>, sizes: UnsafePointer<UInt32>, count: Int, into numbers: UnsafeMutablePointer<UInt32>) {
        // Copies, because writing to `numbers` could change the properties for all that the compiler knows.
        let slots = slots
        let mask = mask
        for index in 0..<count {
            let slot = slots[Self.hash(ids[index]) & mask]
            let difference = (slot.id ^ ids[index]) | UInt64(slot.size ^ sizes[index])
            // `unused` has all bits set.
            numbers[index] = slot.number | (0 &- UInt32(truncatingIfNeeded: min(difference, 1)))
        }
        for index in 0..<count where numbers[index] == Self.unused {
            var place = Self.hash(ids[index]) & mask
            while slots[place].number != Self.unused {
                if slots[place].id == ids[index] {
                    if slots[place].size == sizes[index] { numbers[index] = slots[place].number }
                    break
                }
                place = (place + 1) & mask
            }
        }
    }

    /// Calls `body` with every id and its number.
    func forEach(_ body: (UInt64, UInt32) -> Void) {
        for place in 0...mask where slots[place].number != Self.unused { body(slots[place].id, slots[place].number) }
    }

    private mutating func grow() {
        let old = slots
        let oldMask = mask
        mask = (mask + 1) * 2 - 1
        slots = Self.allocate(mask + 1)
        for index in 0...oldMask where old[index].number != Self.unused {
            var place = Self.hash(old[index].id) & mask
            while slots[place].number != Self.unused { place = (place + 1) & mask }
            slots[place] = old[index]
        }
        free(old)
    }

    /// Multiplication by 2^64 over the golden ratio (Knuth, TAOCP 6.4), high bits folded down: ids are often runs or multiples.
    @inline(__always)
    private static func hash(_ id: UInt64) -> Int {
        let product = id &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product ^ (product >> 32))
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
        let length = count * MemoryLayout<Slot>.stride
        var memory: UnsafeMutableRawPointer?
        // As with ``ByteBuffer``: being out of memory cannot be answered.
        guard posix_memalign(&memory, length < HugePages.length ? 64 : HugePages.length, length) == 0, let memory else { abort() }
        HugePages.advise(memory, length: length)
        let slots = memory.bindMemory(to: Slot.self, capacity: count)
        slots.initialize(repeating: Slot(id: 0, number: unused, size: noSize), count: count)
        return slots
    }
}
