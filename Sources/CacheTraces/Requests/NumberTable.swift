/// Numbers 64-bit ids 0, 1, 2 … in order of first appearance: a hash table with linear probing.
///
/// Invariants: `slots` has `mask + 1` places, a power of two, of which at most three in four are taken, so that every probe ends at
/// a free one; a slot's `number` is that of its id, ``free`` where there is none.
struct NumberTable: ~Copyable {
    private struct Slot {
        var id: UInt64
        var number: UInt32
    }

    private static let free = UInt32.max

    private var slots: UnsafeMutablePointer<Slot>
    private var mask: Int
    private(set) var count = 0

    init() {
        mask = 1023
        slots = Self.allocate(mask + 1)
    }

    deinit { slots.deallocate() }

    /// The number of `id`, a new one at its first appearance.
    @inline(__always)
    mutating func number(of id: UInt64) -> UInt32 {
        var place = Self.hash(id) & mask
        while slots[place].number != Self.free {
            if slots[place].id == id { return slots[place].number }
            place = (place + 1) & mask
        }
        return insert(id, at: place)
    }

    /// The ids in order of their numbers.
    func ids() -> [UInt64] {
        var ids = [UInt64](repeating: 0, count: count)
        for place in 0...mask where slots[place].number != Self.free { ids[Int(slots[place].number)] = slots[place].id }
        return ids
    }

    @inline(never)
    private mutating func insert(_ id: UInt64, at place: Int) -> UInt32 {
        let number = UInt32(count)
        slots[place] = Slot(id: id, number: number)
        count += 1
        if count > (mask + 1) / 4 * 3 { grow() }
        return number
    }

    private mutating func grow() {
        let old = slots
        let oldMask = mask
        mask = (mask + 1) * 2 - 1
        slots = Self.allocate(mask + 1)
        for index in 0...oldMask where old[index].number != Self.free {
            var place = Self.hash(old[index].id) & mask
            while slots[place].number != Self.free { place = (place + 1) & mask }
            slots[place] = old[index]
        }
        old.deallocate()
    }

    /// Multiplication by 2^64 over the golden ratio (Knuth, TAOCP 6.4), high bits folded down: ids are often runs or multiples.
    @inline(__always)
    private static func hash(_ id: UInt64) -> Int {
        let product = id.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low ^ (product.low >> 32))
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        slots.initialize(repeating: Slot(id: 0, number: free), count: count)
        return slots
    }
}
