import CIntrinsics

/// Numbers keys of any bytes 0, 1, 2 … in order of first appearance, with a hash table over copies of the keys. It
/// probes the eight slots of the home cache line first, then the following lines.
///
/// The copy of a key also has the number and the size of its object, so a request of a known object with its known size
/// needs the slot and the copy, and nothing else. Requests are looked up in batches, for which the processor loads many
/// slots and copies at a time.
struct TextTable: ~Copyable {
    /// The hash that all keys of this table have.
    let hash = TextHash()
    private(set) var count = 0
    private var slots = TextSlots()
    private var texts = TextStore()

    /// Returns the number of `key`; nil if the key is new and not UTF-8. A new key gets the number `count`.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt32? { number(of: key, next: UInt32(count)) }

    /// Returns the number of `key`; nil for a key without one.
    func existing(_ key: UnsafeRawBufferPointer) -> UInt32? {
        let tag = TextSlots.tag(hash.of(key.baseAddress ?? UnsafeRawPointer(slots.base), count: key.count))
        return find(key, tag).record?.number
    }

    mutating func number(of key: String) -> UInt32? {
        var key = key
        return key.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    /// Returns the number of `key`, which is `next` for a new key; nil if the key is new and not UTF-8.
    ///
    /// The caller may change the size of the object, so batches do not find it until they have noted its size anew.
    mutating func number(of key: UnsafeRawBufferPointer, next: UInt32) -> UInt32? {
        makeRoom(for: 1)
        // No byte of an empty key is read.
        let tag = TextSlots.tag(hash.of(key.baseAddress ?? UnsafeRawPointer(slots.base), count: key.count))
        let (record, place) = find(key, tag)
        if let record {
            record.setSize(NumberTable.noSize)
            return record.number
        }
        guard String(validating: key, as: UTF8.self) != nil else { return nil }
        insert(key, tag, number: next, at: place)
        return next
    }

    /// Returns the number of a key of a batch, which is ASCII, and `next` if the key is new, with the record of the
    /// key. The table must have room; see ``makeRoom(for:)``.
    mutating func number(
        of batch: borrowing TextBatch, at index: Int, next: UInt32
    ) -> (number: UInt32, record: TextStore.Record) {
        if let record = batch.records[index] { return (record.number, record) }
        let (key, tag) = (batch.keys[index], TextSlots.tag(batch.hashes[index]))
        let (record, place) = find(key, tag)
        if let record { return (record.number, record) }
        return (next, insert(key, tag, number: next, at: place))
    }

    /// Finds the numbers of the requests of a batch. Requests of new keys, of objects with another size, and of keys
    /// whose tag another key has, get ``NumberTable/unused``; see ``number(of:at:next:)``.
    ///
    /// The first loop only touches slots, and the second one only records, so that the processor loads many of them at
    /// a time. ``prefetch(_:)`` has asked for the slots.
    ///
    /// - Returns: The number of requests with ``NumberTable/unused``.
    @inline(__always)
    mutating func find(_ batch: borrowing TextBatch, into numbers: UnsafeMutablePointer<UInt32>) -> Int {
        makeRoom(for: batch.count)
        let (slots, capacity, bases) = (slots.base, slots.capacity, texts.bases)
        for index in 0..<batch.count {
            let tag = TextSlots.tag(batch.hashes[index])
            let home = TextSlots.home(tag, capacity)
            var slot = slots[home]
            if slot.tag != tag, slot.tag != 0 {
                let place = TextSlots.place(of: tag, from: home, slots, capacity)
                // The requested slot moves to its home, where popular objects are then found at once. The slot that was
                // there stays reachable, because all places on its way are taken.
                if slots[place].tag != 0 {
                    slot = slots[place]
                    slots[place] = slots[home]
                    slots[home] = slot
                } else {
                    slot = slots[place]
                }
            }
            guard slot.tag != 0 else {
                batch.records[index] = nil
                continue
            }
            let record = bases.record(at: slot.place)
            batch.records[index] = record
            cachereplay_prefetch(record.address)
            cachereplay_prefetch(record.address + (batch.keys[index].count &+ 8))
        }
        var missing = 0
        for index in 0..<batch.count {
            var number = NumberTable.unused
            if let record = batch.records[index] {
                let (isKey, isSize) = record.compare(batch.keys[index], batch.sizes[index])
                if !isKey { batch.records[index] = nil } else if isSize { number = record.number }
            }
            numbers[index] = number
            missing &+= number == NumberTable.unused ? 1 : 0
        }
        return missing
    }

    /// Asks for the slot of a key that will be looked up soon.
    @inline(__always)
    func prefetch(_ hash: UInt64) {
        cachereplay_prefetch(slots.base + TextSlots.home(TextSlots.tag(hash), slots.capacity))
    }

    /// Returns the keys by number, if keys are numbered from 0.
    func keys() -> [String] {
        var keys = [String](repeating: "", count: count)
        texts.forEach { record, _ in keys[Int(record.number)] = record.text }
        return keys
    }

    consuming func store() -> TextStore { texts }

    /// Returns the record of `key`; without one, the free slot at which it belongs.
    @inline(__always)
    private func find(_ key: UnsafeRawBufferPointer, _ tag: UInt32) -> (record: TextStore.Record?, place: Int) {
        let (slots, capacity, bases) = (slots.base, slots.capacity, texts.bases)
        var place = TextSlots.home(tag, capacity)
        var start = place
        while slots[place].tag != 0 {
            if slots[place].tag == tag {
                let record = bases.record(at: slots[place].place)
                if record.compare(key, 0).isKey { return (record, place) }
            }
            place = TextSlots.next(place, &start, capacity)
        }
        return (nil, place)
    }

    @discardableResult
    private mutating func insert(
        _ key: UnsafeRawBufferPointer, _ tag: UInt32, number: UInt32, at place: Int
    ) -> TextStore.Record {
        let (record, text) = texts.add(key, number: number, size: NumberTable.noSize)
        slots.base[place] = TextSlots.Slot(tag: tag, place: text)
        count += 1
        return record
    }

    /// Makes room for `extra` new keys, at most a quarter of the smallest table.
    @inline(__always)
    private mutating func makeRoom(for extra: Int) {
        if count &+ extra > slots.most { slots.grow() }
    }
}

/// The slots of a ``TextTable``.
///
/// Slots are ordered by their tags, which are the upper bits of the hashes. The slots therefore grow without the keys,
/// in one pass from front to back, which releases the old pages as it proceeds. A large table grows by a quarter, so
/// that it is never less than 60 % full.
///
/// Invariants: `base` has `capacity` places, a multiple of eight, of which at most three in four are taken, so that
/// every probe ends at a free one; a slot that is taken has the place of a record.
struct TextSlots: ~Copyable {
    /// All zeroes: free.
    struct Slot: BitwiseCopyable {
        /// The upper half of the hash of the key, because of which different keys are rarely compared. The lowest bit
        /// is set.
        var tag: UInt32
        /// The place of the key in the ``TextStore``.
        var place: UInt32
    }

    private(set) var base: UnsafeMutablePointer<Slot>
    private(set) var capacity: Int

    init() {
        capacity = 1 << 10
        base = Self.allocate(capacity)
    }

    deinit { HugePages.release(base, length: Self.length(capacity)) }

    /// The number of slots that can be taken.
    var most: Int {
        @inline(__always) get { capacity &>> 2 &* 3 }
    }

    @inline(__always)
    static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash &>> 32) | 1 }

    /// Returns the home of a tag: its share of all tags (Lemire 2019, "Fast random integer generation in an interval").
    @inline(__always)
    static func home(_ tag: UInt32, _ capacity: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(tag) &* UInt64(truncatingIfNeeded: capacity)) &>> 32)
    }

    /// Returns the place to probe after `place`. `start` is the first place that was probed in its line.
    @inline(__always)
    static func next(_ place: Int, _ start: inout Int, _ capacity: Int) -> Int {
        let neighbour = (place & ~7) | ((place &+ 1) & 7)
        if neighbour != start { return neighbour }
        start = (place | 7) &+ 1
        if start == capacity { start = 0 }
        return start
    }

    /// Returns the first place with `tag`, starting at `home`, or the place of a free slot if no key has the tag.
    @inline(__always)
    static func place(of tag: UInt32, from home: Int, _ slots: UnsafeMutablePointer<Slot>, _ capacity: Int) -> Int {
        var place = home
        var start = home
        while slots[place].tag != tag, slots[place].tag != 0 { place = next(place, &start, capacity) }
        return place
    }

    @inline(never)
    mutating func grow() {
        let (old, oldCapacity) = (base, capacity)
        capacity = Self.grown(capacity)
        base = Self.allocate(capacity)
        let (slots, capacity) = (base, capacity)
        let slotsPerChunk = HugePages.length / MemoryLayout<Slot>.stride
        for index in 0..<oldCapacity {
            if index % slotsPerChunk == 0, index > 0 {
                HugePages.discard(old + (index - slotsPerChunk), length: HugePages.length)
            }
            let slot = old[index]
            guard slot.tag != 0 else { continue }
            var place = Self.home(slot.tag, capacity)
            var start = place
            while slots[place].tag != 0 { place = Self.next(place, &start, capacity) }
            slots[place] = slot
        }
        HugePages.release(old, length: Self.length(oldCapacity))
    }

    private static func grown(_ capacity: Int) -> Int {
        if capacity < 1 << 16 { return capacity * 4 }
        return capacity < 1 << 20 ? capacity * 2 : (capacity + capacity / 4) & ~7
    }

    private static func length(_ capacity: Int) -> Int { MemoryLayout<Slot>.stride * capacity }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
        HugePages.zeroes(length: length(capacity)).bindMemory(to: Slot.self, capacity: capacity)
    }
}

extension Requests {
    /// Keeps the keys of all objects, which are numbered from 0.
    mutating func keep(_ texts: consuming TextTable) {
        let kept = KeyTexts(texts.store())
        keys = .texts { kept }
    }
}

/// A hash of texts: 16 bytes at a time, multiplied to 128 bits and folded, like Wang Yi's wyhash.
///
/// Both numbers that the bytes are combined with are random, so that no file can be made to collide.
struct TextHash {
    private let seed = UInt64.random(in: 0 ... .max)
    private let secret = UInt64.random(in: 0 ... .max)

    @inline(__always)
    func of(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        var state = seed
        let (first, second): (UInt64, UInt64)
        if count >= 16 {
            var index = 0
            while index &+ 16 < count {
                state = Self.mix(Self.eight(bytes, index) ^ secret, Self.eight(bytes, index &+ 8) ^ state)
                index &+= 16
            }
            // The last 16 bytes overlap those before them.
            (first, second) = (Self.eight(bytes, count &- 16), Self.eight(bytes, count &- 8))
        } else if count >= 8 {
            (first, second) = (Self.eight(bytes, 0), Self.eight(bytes, count &- 8))
        } else if count >= 4 {
            (first, second) = (Self.four(bytes, 0), Self.four(bytes, count &- 4))
        } else {
            var word: UInt64 = 0
            for index in 0..<count {
                word = word &<< 8 | UInt64(bytes.load(fromByteOffset: index, as: UInt8.self))
            }
            (first, second) = (word, 0)
        }
        let folded = Self.mix(first ^ secret, second ^ state)
        return Self.mix(folded ^ seed, secret ^ UInt64(truncatingIfNeeded: count))
    }

    @inline(__always)
    private static func eight(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private static func four(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    private static func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
