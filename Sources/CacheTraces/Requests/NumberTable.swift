/// Numbers 64-bit ids 0, 1, 2 … in order of first appearance, with a hash table. It probes the four slots of the home
/// cache line first, then the following lines.
///
/// A slot also contains the size of its object, so a request of a known object with its known size rarely needs a
/// second cache line. Requests are looked up in batches, whose slots the processor loads in parallel.
///
/// Slots are ordered by the upper bits of their hashes. The table therefore grows in one pass from front to back, which
/// releases the old pages as it proceeds, so that the two tables are never in memory completely.
///
/// Invariants: `slots` has `count(shift)` places, a power of two, of which at most three in four are taken, so that
/// every probe ends at a free one; `place & mask` is within them.
struct NumberTable: ~Copyable {
    /// All zeroes: free.
    private struct Slot: BitwiseCopyable {
        var id: UInt64
        /// The object's number and one more.
        var ordinal: UInt32
        /// As ``Requests/code(_:)``, or ``noSize``.
        var size: UInt32
    }

    /// The result of ``find(_:sizes:places:count:next:into:)`` for requests that need ``number(of:next:)``.
    static let unused = UInt32.max
    /// The code in a request of a size that batches do not find.
    static let otherSize = UInt32.max - 1
    /// The code of a size that no request has, in a slot or a record.
    static let noSize = UInt32.max - 2
    /// Sizes below this limit are their own codes.
    static let sizeLimit = Int(UInt32.max - 2)

    private var slots: UnsafeMutablePointer<Slot>
    private var shift: UInt64
    private(set) var count = 0
    private let seed = UInt64.random(in: 0 ... .max) | 1

    init() {
        shift = 64 - 10
        slots = Self.allocate(shift)
    }

    deinit { HugePages.release(slots, length: Self.length(shift)) }

    private var mask: Int { Self.length(shift) / MemoryLayout<Slot>.stride - 1 }

    /// Returns the number of `id`. A new id gets the number `count`.
    @inline(__always)
    mutating func number(of id: UInt64) -> UInt32 { number(of: id, next: UInt32(count)).number }

    /// Returns the number of `id`, which is `next` for a new id, and its place, which is valid until the next id is
    /// added.
    ///
    /// The caller may change the size of the object, so batches do not find it until its size is set anew.
    mutating func number(of id: UInt64, next: UInt32) -> (number: UInt32, place: Int) {
        if count >= (mask + 1) / 4 * 3 { grow() }
        let mask = mask
        var place = Self.place(id, seed, shift)
        var start = place
        while slots[place].ordinal != 0 {
            if slots[place].id == id {
                slots[place].size = Self.noSize
                return (slots[place].ordinal - 1, place)
            }
            place = Self.next(place, &start, mask)
        }
        slots[place] = Slot(id: id, ordinal: next + 1, size: Self.noSize)
        count += 1
        return (next, place)
    }

    /// Returns the number of `id`; nil for an id without one.
    func existing(_ id: UInt64) -> UInt32? {
        let slot = slots[place(of: id, from: Self.place(id, seed, shift))]
        return slot.ordinal == 0 ? nil : slot.ordinal - 1
    }

    /// Sets the code of the size of the object at `place`, by which batches find it; see ``Requests/keptCode(_:)``.
    func setSize(_ code: UInt32, at place: Int) { slots[place].size = code }

    /// Finds the number of the object of each request, and numbers new ids from `next` on. Requests whose object has
    /// another size get ``unused``, and so do new ids from the first one on whose size is ``otherSize``.
    ///
    /// The first passes have no branches and no dependencies between requests. The second pass only touches the slots,
    /// so that many of them are loaded at a time. `places` has room for `count` numbers, at most a table's free slots.
    ///
    /// - Returns: The number of requests with ``unused``, and the number of new ids, whose requests are then the first
    ///   elements of `places`.
    @inline(__always)
    mutating func find(
        _ ids: UnsafePointer<UInt64>, sizes: UnsafePointer<UInt32>, places: UnsafeMutablePointer<Int>, count: Int,
        next: UInt32, into numbers: UnsafeMutablePointer<UInt32>
    ) -> (missing: Int, added: Int) {
        // Room for as many new ids.
        if self.count &+ count > (mask &+ 1) / 4 * 3 { grow() }
        // Copies, because the compiler must assume that writing to `numbers` changes the properties.
        let slots = slots
        let shift = shift
        let seed = seed
        for index in 0..<count { places[index] = Self.place(ids[index], seed, shift) }
        var any: UInt32 = 0
        for index in 0..<count { any |= slots[places[index]].ordinal }
        var missing = 0
        if any == 0 {
            // All slots are free, as in a new table.
            for index in 0..<count { numbers[index] = Self.unused }
            missing = count
        } else {
            for index in 0..<count {
                let slot = slots[places[index]]
                let difference = (slot.id ^ ids[index]) | UInt64(slot.size ^ sizes[index])
                // A free slot's ordinal is 0, and one less than that is `unused`; so is any number with all bits set.
                let isOther: UInt32 = difference == 0 ? 0 : 1
                numbers[index] = (slot.ordinal &- 1) | (0 &- isOther)
                missing &+= numbers[index] == Self.unused ? 1 : 0
            }
        }
        guard missing > 0 else { return (0, 0) }
        var added = 0
        var isAdding = true
        for index in 0..<count where numbers[index] == Self.unused {
            let home = places[index]
            let place = place(of: ids[index], from: home)
            var slot = slots[place]
            if slot.ordinal == 0 {
                // Objects are numbered in order of appearance.
                isAdding = isAdding && sizes[index] != Self.otherSize
                guard isAdding else { continue }
                slot = Slot(id: ids[index], ordinal: next &+ UInt32(added) &+ 1, size: sizes[index])
                // As many places have been read before.
                places[added] = index
                added &+= 1
            }
            if slot.size == sizes[index] {
                numbers[index] = slot.ordinal &- 1
                missing &-= 1
            }
            // The requested slot moves to its home, where the pass above finds popular objects. The slot that was there
            // stays reachable, because all places on its way are taken.
            slots[place] = slots[home]
            slots[home] = slot
        }
        self.count &+= added
        return (missing, added)
    }

    /// Returns the place of `id`, starting at `home`, or a free slot if the id is unknown.
    @inline(__always)
    private func place(of id: UInt64, from home: Int) -> Int {
        let mask = mask
        var place = home
        var start = home
        while slots[place].ordinal != 0 {
            if slots[place].id == id { return place }
            place = Self.next(place, &start, mask)
        }
        return place
    }

    /// Returns the place to probe after `place`. `start` is the first place that was probed in its line.
    @inline(__always)
    static func next(_ place: Int, _ start: inout Int, _ mask: Int) -> Int {
        let neighbour = (place & ~3) | ((place &+ 1) & 3)
        if neighbour != start { return neighbour }
        start = ((place | 3) &+ 1) & mask
        return start
    }

    /// Calls `body` with every id and its number.
    func forEach(_ body: (UInt64, UInt32) -> Void) {
        for place in 0...mask where slots[place].ordinal != 0 { body(slots[place].id, slots[place].ordinal - 1) }
    }

    private mutating func grow() {
        let old = slots
        let oldShift = shift
        let oldCount = mask + 1
        shift -= oldCount < 1 << 16 ? 2 : 1
        slots = Self.allocate(shift)
        let mask = mask
        let slotsPerChunk = HugePages.length / MemoryLayout<Slot>.stride
        for index in 0..<oldCount {
            if index % slotsPerChunk == 0, index > 0 {
                HugePages.discard(old + (index - slotsPerChunk), length: HugePages.length)
            }
            guard old[index].ordinal != 0 else { continue }
            var place = Self.place(old[index].id, seed, shift)
            var start = place
            while slots[place].ordinal != 0 { place = Self.next(place, &start, mask) }
            slots[place] = old[index]
        }
        HugePages.release(old, length: Self.length(oldShift))
    }

    /// Returns the home of an id: multiplied by 2^64 over the golden ratio (Knuth, TAOCP 6.4) because ids are often
    /// consecutive or multiples, folded, and multiplied by a random number, so that no file can be made to collide.
    @inline(__always)
    private static func place(_ id: UInt64, _ seed: UInt64, _ shift: UInt64) -> Int {
        let product = id &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: ((product ^ (product >> 32)) &* seed) &>> shift)
    }

    private static func length(_ shift: UInt64) -> Int { MemoryLayout<Slot>.stride << (64 - Int(shift)) }

    private static func allocate(_ shift: UInt64) -> UnsafeMutablePointer<Slot> {
        HugePages.zeroes(length: length(shift)).bindMemory(
            to: Slot.self, capacity: length(shift) / MemoryLayout<Slot>.stride)
    }
}

/// A batch of requests with 64-bit ids, as columns, which is added to ``Requests``.
///
/// Invariant: `count` is within `0...capacity`; every pointer has `capacity` places, all initialised.
struct NumberedBatch: ~Copyable {
    /// Large enough to load many slots in parallel, and small enough for the first-level cache.
    static let capacity = 256

    let ids = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    /// The codes of the sizes; see ``Requests/code(_:)``.
    let sizes = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    /// The sizes whose code is ``NumberTable/otherSize``.
    let largeSizes = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    let times = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    let places = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    var count = 0

    init() {
        ids.initialize(repeating: 0, count: Self.capacity)
        sizes.initialize(repeating: 0, count: Self.capacity)
        largeSizes.initialize(repeating: 0, count: Self.capacity)
        times.initialize(repeating: 0, count: Self.capacity)
        places.initialize(repeating: 0, count: Self.capacity)
    }

    deinit {
        ids.deallocate()
        sizes.deallocate()
        largeSizes.deallocate()
        times.deallocate()
        places.deallocate()
    }

    var isFull: Bool {
        @inline(__always) get { count == Self.capacity }
    }

    /// Appends a request. The batch must not be full.
    @inline(__always)
    mutating func append(_ id: UInt64, at time: Int64, bytes: Int) {
        set(count, id, at: time, bytes: bytes)
        count &+= 1
    }

    /// Sets the request at `index`, which is below `capacity`. The caller also sets `count`.
    @inline(__always)
    func set(_ index: Int, _ id: UInt64, at time: Int64, bytes: Int) {
        ids[index] = id
        times[index] = time
        let code = Requests.code(bytes)
        sizes[index] = code
        if code == NumberTable.otherSize { largeSizes[index] = bytes }
    }
}
