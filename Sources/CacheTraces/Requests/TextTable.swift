import CIntrinsics

/// Numbers keys of any bytes 0, 1, 2 … in order of first appearance, with a hash table over copies of the keys. It
/// probes the four slots of the home cache line first, then the following lines, like ``NumberTable``.
///
/// The copy of a key also has the size of its object, so a request of a known object with its known size needs the slot
/// and the copy, and nothing else. Requests are looked up in batches, for which the processor loads many slots and
/// copies at a time.
///
/// Slots are ordered by the upper bits of their hashes, which are also their tags. The table therefore grows without
/// the keys, in one pass from front to back, which releases the old pages as it proceeds.
///
/// Invariants: `slots` has `mask + 1` places, a power of two, of which at most three in four are taken, so that every
/// probe ends at a free one; `place & mask` is within them; a slot that is taken has a record.
struct TextTable: ~Copyable {
    /// All zeroes: free.
    private struct Slot: BitwiseCopyable {
        /// The upper half of the hash of the key, because of which different keys are rarely compared. The lowest bit
        /// is set.
        var tag: UInt32
        var number: UInt32
        var record: TextStore.Record?
    }

    /// The hash that all keys of this table have.
    let hash = TextHash()
    private(set) var count = 0
    private var slots: UnsafeMutablePointer<Slot>
    private var shift: UInt64
    private var texts = TextStore()

    init() {
        shift = 64 - 10
        slots = Self.allocate(shift)
    }

    deinit { HugePages.release(slots, length: Self.length(shift)) }

    private var mask: Int { Self.length(shift) / MemoryLayout<Slot>.stride - 1 }

    /// Returns the number of `key`; nil if the key is new and not UTF-8. A new key gets the number `count`.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt32? { number(of: key, next: UInt32(count)) }

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
        let tag = Self.tag(hash.of(key.baseAddress ?? UnsafeRawPointer(slots), count: key.count))
        let (slot, place) = find(key, tag)
        if let record = slot.record {
            record.setSize(NumberTable.noSize)
            return slot.number
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
        if let record = batch.records[index] { return (batch.numbers[index], record) }
        let (key, tag) = (batch.keys[index], Self.tag(batch.hashes[index]))
        let (slot, place) = find(key, tag)
        if let record = slot.record { return (slot.number, record) }
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
        let (slots, shift, mask) = (slots, shift, mask)
        for index in 0..<batch.count {
            let tag = Self.tag(batch.hashes[index])
            let home = Self.place(tag, shift)
            var slot = slots[home]
            if slot.tag != tag, slot.tag != 0 {
                let place = Self.place(of: tag, from: home, slots, mask)
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
            batch.records[index] = slot.record
            batch.numbers[index] = slot.number
            guard let record = slot.record else { continue }
            cachereplay_prefetch(record.address)
            cachereplay_prefetch(record.address + (batch.keys[index].count &+ 7))
        }
        var missing = 0
        for index in 0..<batch.count {
            var number = NumberTable.unused
            if let record = batch.records[index] {
                let (isKey, isSize) = record.compare(batch.keys[index], batch.sizes[index])
                if !isKey { batch.records[index] = nil } else if isSize { number = batch.numbers[index] }
            }
            numbers[index] = number
            missing &+= number == NumberTable.unused ? 1 : 0
        }
        return missing
    }

    /// Asks for the slot of a key that will be looked up soon.
    @inline(__always)
    func prefetch(_ hash: UInt64) { cachereplay_prefetch(slots + Self.place(Self.tag(hash), shift)) }

    /// Returns the keys by number, if keys are numbered from 0.
    func keys() -> [String] {
        var keys = [String](repeating: "", count: count)
        forEach { keys[Int($1)] = $0 }
        return keys
    }

    /// Calls `body` with every key and its number.
    func forEach(_ body: (String, UInt32) -> Void) {
        for place in 0...mask {
            if let record = slots[place].record { body(record.text, slots[place].number) }
        }
    }

    /// Returns the slot of `key`, or the free slot at which it belongs.
    @inline(__always)
    private func find(_ key: UnsafeRawBufferPointer, _ tag: UInt32) -> (slot: Slot, place: Int) {
        let mask = mask
        var place = Self.place(tag, shift)
        var start = place
        while let record = slots[place].record {
            if slots[place].tag == tag, record.compare(key, 0).isKey { break }
            place = NumberTable.next(place, &start, mask)
        }
        return (slots[place], place)
    }

    /// Returns the first place with `tag`, starting at `home`; that of a free slot if no key has the tag.
    @inline(__always)
    private static func place(
        of tag: UInt32, from home: Int, _ slots: UnsafeMutablePointer<Slot>, _ mask: Int
    ) -> Int {
        var place = home
        var start = home
        while slots[place].tag != tag, slots[place].tag != 0 { place = NumberTable.next(place, &start, mask) }
        return place
    }

    @discardableResult
    private mutating func insert(
        _ key: UnsafeRawBufferPointer, _ tag: UInt32, number: UInt32, at place: Int
    ) -> TextStore.Record {
        let record = texts.add(key, size: NumberTable.noSize)
        slots[place] = Slot(tag: tag, number: number, record: record)
        count += 1
        return record
    }

    /// Makes room for `extra` new keys, at most a quarter of the smallest table.
    @inline(__always)
    private mutating func makeRoom(for extra: Int) {
        if count &+ extra > (mask &+ 1) / 4 &* 3 { grow() }
    }

    @inline(never)
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
            let slot = old[index]
            guard slot.tag != 0 else { continue }
            var place = Self.place(slot.tag, shift)
            var start = place
            while slots[place].tag != 0 { place = NumberTable.next(place, &start, mask) }
            slots[place] = slot
        }
        HugePages.release(old, length: Self.length(oldShift))
    }

    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash &>> 32) | 1 }

    /// Returns the home of a tag.
    @inline(__always)
    private static func place(_ tag: UInt32, _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: (UInt64(tag) &<< 32) &>> shift)
    }

    private static func length(_ shift: UInt64) -> Int { MemoryLayout<Slot>.stride << (64 - Int(shift)) }

    private static func allocate(_ shift: UInt64) -> UnsafeMutablePointer<Slot> {
        HugePages.zeroes(length: length(shift)).bindMemory(
            to: Slot.self, capacity: length(shift) / MemoryLayout<Slot>.stride)
    }
}

/// A ``TextTable`` whose keys are listed on demand.
private final class KeptTexts {
    private let table: TextTable

    init(_ table: consuming TextTable) { self.table = table }

    func keys() -> [String] { table.keys() }
}

extension Requests {
    /// Keeps the keys of all objects, which are numbered from 0.
    mutating func keep(_ texts: consuming TextTable) {
        let kept = KeptTexts(texts)
        keys = .texts { kept.keys() }
    }
}
