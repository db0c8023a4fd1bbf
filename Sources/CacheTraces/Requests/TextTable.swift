import Foundation

/// Numbers keys of any bytes 0, 1, 2 … in order of first appearance, with a hash table with linear probing over copies
/// of the keys.
///
/// Invariants: `slots` has `mask + 1` places, a power of two, of which at most three in four are taken; a slot that is
/// taken names a key below `count`; key n is `text[ends[n - 1]..<ends[n]]`.
struct TextTable {
    private struct Slot {
        /// The upper half of the hash of the key, because of which different keys are rarely compared.
        var tag: UInt32
        var number: UInt32
    }

    private static let free = Slot(tag: 0, number: .max)

    private var slots = [Slot](repeating: free, count: 1024)
    private var mask = 1023
    private var text: [UInt8] = []
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// Returns the number of `key`; nil if the key is new and not UTF-8.
    mutating func number(of key: UnsafeRawBufferPointer) -> UInt32? {
        let hash = Self.hash(key)
        let tag = UInt32(truncatingIfNeeded: hash >> 32)
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].number != Self.free.number {
            if slots[place].tag == tag, isKey(Int(slots[place].number), key) { return slots[place].number }
            place = (place + 1) & mask
        }
        return insert(key, tag: tag, at: place)
    }

    mutating func number(of key: String) -> UInt32? {
        var key = key
        return key.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    /// Returns the keys in order of their numbers.
    func keys() -> [String] {
        ends.indices.map { String(decoding: text[start(of: $0)..<ends[$0]], as: UTF8.self) }
    }

    private func start(of number: Int) -> Int { number == 0 ? 0 : ends[number - 1] }

    @inline(__always)
    private func isKey(_ number: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        let start = start(of: number)
        guard ends[number] - start == key.count else { return false }
        guard let base = key.baseAddress else { return true }
        return text.withUnsafeBytes { text in text.baseAddress.map { memcmp($0 + start, base, key.count) == 0 } ?? true
        }
    }

    private mutating func insert(_ key: UnsafeRawBufferPointer, tag: UInt32, at place: Int) -> UInt32? {
        guard String(validating: key, as: UTF8.self) != nil else { return nil }
        let number = UInt32(count)
        slots[place] = Slot(tag: tag, number: number)
        text.append(contentsOf: key)
        ends.append(text.count)
        if count > (mask + 1) / 4 * 3 { grow() }
        return number
    }

    private mutating func grow() {
        mask = (mask + 1) * 2 - 1
        var grown = [Slot](repeating: Self.free, count: mask + 1)
        text.withUnsafeBytes { text in
            for number in ends.indices {
                let hash = Self.hash(UnsafeRawBufferPointer(rebasing: text[start(of: number)..<ends[number]]))
                var place = Int(truncatingIfNeeded: hash) & mask
                while grown[place].number != Self.free.number { place = (place + 1) & mask }
                grown[place] = Slot(tag: UInt32(truncatingIfNeeded: hash >> 32), number: UInt32(number))
            }
        }
        slots = grown
    }

    /// Hashes eight bytes at a time, multiplied to 128 bits and folded, like Wang Yi's wyhash.
    @inline(__always)
    private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(key.count)
        var index = 0
        while index + 8 <= key.count {
            hash = mix(hash ^ key.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var tail: UInt64 = 0
        while index < key.count {
            tail = tail << 8 | UInt64(key[index])
            index += 1
        }
        return mix(hash ^ tail)
    }

    /// A random number, so that no file can be made to collide.
    private static let seed = UInt64.random(in: 0 ... .max)

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0x2D35_8DCC_AA6C_78A5).multipliedFullWidth(by: 0x8BB8_4B93_962E_ACC9)
        return product.high ^ product.low
    }
}
