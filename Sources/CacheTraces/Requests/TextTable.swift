import CIntrinsics
import Foundation

/// Numbers keys of any bytes 0, 1, 2 … in order of first appearance, with a hash table with linear probing over copies
/// of the keys.
///
/// Invariants: `slots` has `mask + 1` places, a power of two, of which at most three in four are taken; a slot that is
/// taken names an entry; `text` has the bytes of each entry.
struct TextTable {
    private struct Slot {
        /// The upper half of the hash of the key, because of which different keys are rarely compared.
        var tag: UInt32
        var entry: UInt32
    }

    /// A key: its place in `text`, and its number.
    struct Entry {
        var start: Int
        var count: UInt32
        var number: UInt32
    }

    private static let free = Slot(tag: 0, entry: .max)

    private var slots = [Slot](repeating: free, count: 1024)
    private var mask = 1023
    private var text: [UInt8] = []
    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// Returns the number of `key`; nil if the key is new and not UTF-8. A new key gets the number `count`.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt32? { number(of: key, next: UInt32(count)) }

    mutating func number(of key: String) -> UInt32? {
        var key = key
        return key.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    /// Returns the number of `key`, which is `next` for a new key; nil if the key is new and not UTF-8.
    mutating func number(of key: UnsafeRawBufferPointer, next: UInt32) -> UInt32? {
        let hash = TextHash.of(key)
        let (number, place) = find(key, hash: hash)
        if let number { return number }
        guard String(validating: key, as: UTF8.self) != nil else { return nil }
        return insert(key, hash: hash, number: next, at: place)
    }

    /// Returns the number of `key`, which is ASCII, and whose hash the caller has computed.
    mutating func number(ofASCII key: UnsafeRawBufferPointer, hash: UInt64, next: UInt32) -> UInt32 {
        let (number, place) = find(key, hash: hash)
        return number ?? insert(key, hash: hash, number: next, at: place)
    }

    /// Returns the number of `key`, or the free slot at which it belongs.
    private func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> (number: UInt32?, place: Int) {
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].entry != Self.free.entry {
            let entry = entries[Int(slots[place].entry)]
            if slots[place].tag == tag, isKey(entry, key) { return (entry.number, place) }
            place = (place + 1) & mask
        }
        return (nil, place)
    }

    /// Finds the keys of a batch, and writes their numbers, or ``NumberTable/unused`` for keys that are new, or whose
    /// tag another key has: those need ``number(ofASCII:hash:next:)``.
    ///
    /// Each of the loops loads memory whose address the loop before it has found, so that the processor waits for
    /// many keys at a time.
    ///
    /// - Parameter values: By number: the memory that the caller reads next.
    func find(_ batch: borrowing TextBatch, beforeReading values: UnsafeMutableBufferPointer<Int>) {
        let count = batch.count
        slots.withUnsafeBufferPointer { slots in
            guard let base = slots.baseAddress else { return }
            // Invariant: `mask` is below the number of slots, of which at least one is free.
            for index in 0..<count {
                cachereplay_prefetch(base + (Int(truncatingIfNeeded: batch.hashes[index]) & mask))
            }
            for index in 0..<count {
                let hash = batch.hashes[index]
                let tag = UInt32(truncatingIfNeeded: hash >> 32)
                var place = Int(truncatingIfNeeded: hash) & mask
                while base[place].entry != Self.free.entry, base[place].tag != tag { place = (place &+ 1) & mask }
                batch.found[index] = base[place].entry
            }
        }
        entries.withUnsafeBufferPointer { entries in
            text.withUnsafeBytes { text in
                for index in 0..<count where batch.found[index] != .max {
                    let entry = entries[Int(batch.found[index])]
                    batch.entries[index] = entry
                    guard let key = text.baseAddress, let value = values.baseAddress else { continue }
                    cachereplay_prefetch(key + entry.start)
                    cachereplay_prefetch(key + (entry.start &+ Int(entry.count) &- 1))
                    cachereplay_prefetch(value + Int(entry.number))
                }
            }
        }
        text.withUnsafeBytes { text in
            for index in 0..<count where batch.found[index] != .max {
                let entry = batch.entries[index]
                let isKey = Self.isKey(entry, batch.keys[index], in: text)
                batch.found[index] = isKey ? entry.number : NumberTable.unused
            }
        }
    }

    /// Returns the keys in the order of their first appearance.
    func keys() -> [String] { entries.map(key) }

    /// Calls `body` with every key and its number.
    func forEach(_ body: (String, UInt32) -> Void) {
        for entry in entries { body(key(entry), entry.number) }
    }

    private func key(_ entry: Entry) -> String {
        String(decoding: text[entry.start..<entry.start + Int(entry.count)], as: UTF8.self)
    }

    @inline(__always)
    private func isKey(_ entry: Entry, _ key: UnsafeRawBufferPointer) -> Bool {
        text.withUnsafeBytes { Self.isKey(entry, key, in: $0) }
    }

    /// Returns whether an entry of the text has the bytes of a key.
    @inline(__always)
    private static func isKey(_ entry: Entry, _ key: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
        guard Int(entry.count) == key.count else { return false }
        guard let base = key.baseAddress, let start = text.baseAddress else { return true }
        let bytes = start + entry.start
        guard key.count >= 8 else { return memcmp(bytes, base, key.count) == 0 }
        var differences: UInt64 = 0
        var index = 0
        while index &+ 8 <= key.count {
            differences |= word(bytes, index) ^ word(base, index)
            index &+= 8
        }
        // The last word overlaps the one before it.
        return differences | (word(bytes, key.count &- 8) ^ word(base, key.count &- 8)) == 0
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    private mutating func insert(
        _ key: UnsafeRawBufferPointer, hash: UInt64, number: UInt32, at place: Int
    ) -> UInt32 {
        slots[place] = Slot(tag: UInt32(truncatingIfNeeded: hash >> 32), entry: UInt32(count))
        entries.append(Entry(start: text.count, count: UInt32(key.count), number: number))
        text.append(contentsOf: key)
        if count > (mask + 1) / 4 * 3 { grow() }
        return number
    }

    private mutating func grow() {
        mask = (mask + 1) * 2 - 1
        var grown = [Slot](repeating: Self.free, count: mask + 1)
        text.withUnsafeBytes { text in
            for (index, entry) in entries.enumerated() {
                let key = text[entry.start..<entry.start + Int(entry.count)]
                let hash = TextHash.of(UnsafeRawBufferPointer(rebasing: key))
                var place = Int(truncatingIfNeeded: hash) & mask
                while grown[place].entry != Self.free.entry { place = (place + 1) & mask }
                grown[place] = Slot(tag: UInt32(truncatingIfNeeded: hash >> 32), entry: UInt32(index))
            }
        }
        slots = grown
    }
}

/// A hash of keys: eight bytes at a time, multiplied to 128 bits and folded, like Wang Yi's wyhash.
struct TextHash {
    private var state = seed

    /// Adds eight bytes of the key.
    @inline(__always)
    mutating func add(_ word: UInt64) { state = Self.mix(state ^ word) }

    /// Returns the hash of a key of `count` bytes after its last bytes, fewer than eight. The bytes of `tail` behind
    /// them are 0.
    @inline(__always)
    func finish(_ tail: UInt64, count: Int) -> UInt64 { Self.mix(state ^ tail &+ UInt64(count) &* Self.factor) }

    static func of(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash = TextHash()
        var index = 0
        while index + 8 <= key.count {
            hash.add(UInt64(littleEndian: key.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        var tail: UInt64 = 0
        for (place, byte) in key[index...].enumerated() { tail |= UInt64(byte) << (8 * UInt64(place)) }
        return hash.finish(tail, count: key.count)
    }

    private static let factor: UInt64 = 0x8BB8_4B93_962E_ACC9

    /// A random number, so that no file can be made to collide.
    private static let seed = UInt64.random(in: 0 ... .max)

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0x2D35_8DCC_AA6C_78A5).multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}

/// A batch of requests with texts as keys, as columns. The bytes of the keys stay in the file.
///
/// Invariant: `count` is within `0...capacity`; every pointer has `capacity` places, all initialised.
struct TextBatch: ~Copyable {
    static let capacity = 128

    let keys = UnsafeMutablePointer<UnsafeRawBufferPointer>.allocate(capacity: capacity)
    let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    let times = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    let sizes = UnsafeMutablePointer<Int>.allocate(capacity: capacity)
    /// The numbers that ``TextTable/find(_:beforeReading:)`` has found.
    let found = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    let entries = UnsafeMutablePointer<TextTable.Entry>.allocate(capacity: capacity)
    var count = 0

    init() {
        keys.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: Self.capacity)
        hashes.initialize(repeating: 0, count: Self.capacity)
        times.initialize(repeating: 0, count: Self.capacity)
        sizes.initialize(repeating: 0, count: Self.capacity)
        found.initialize(repeating: 0, count: Self.capacity)
        entries.initialize(repeating: TextTable.Entry(start: 0, count: 0, number: 0), count: Self.capacity)
    }

    deinit {
        keys.deallocate()
        hashes.deallocate()
        times.deallocate()
        sizes.deallocate()
        found.deallocate()
        entries.deallocate()
    }

    var isFull: Bool {
        @inline(__always) get { count == Self.capacity }
    }

    /// Appends a request. The batch must not be full.
    @inline(__always)
    mutating func append(_ key: UnsafeRawBufferPointer, hash: UInt64, at time: Int64, bytes: Int) {
        keys[count] = key
        hashes[count] = hash
        times[count] = time
        sizes[count] = bytes
        count &+= 1
    }
}
