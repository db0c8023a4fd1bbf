import Basics
import CIntrinsics
import Testing

@testable import CacheTraces

/// The numbers of keys that are texts, also of keys that are made to collide.
@Suite("Tables of texts")
struct TextTableTests {
    /// Reads requests in batches, and checks their objects and their sizes against a dictionary.
    ///
    /// - Parameter hash: Returns the hash of a key; nil: its own.
    private static func check(_ keys: [String], sizes: [Int]? = nil, hash: ((String) -> UInt64)? = nil) {
        var requests = Requests()
        var table = TextTable()
        var batch = TextBatch()
        // The keys stand one behind the other, as in a file.
        keys.joined().withContiguousText { text in
            var start = 0
            for (index, key) in keys.enumerated() {
                let bytes = UnsafeRawBufferPointer(rebasing: text[start..<start + key.utf8.count])
                start += bytes.count
                let own = bytes.baseAddress.map { table.hash.of($0, count: bytes.count) } ?? 0
                batch.append(bytes, hash: hash?(key) ?? own, at: Int64(index), bytes: sizes?[index] ?? 1)
                if batch.isFull { requests.append(&batch, numbering: &table) }
            }
            requests.append(&batch, numbering: &table)
        }
        var numbers: [String: UInt32] = [:]
        var first: [(key: String, size: Int)] = []
        let expected = keys.indices.map { index in
            if let number = numbers[keys[index]] { return number }
            numbers[keys[index]] = UInt32(first.count)
            first.append((keys[index], sizes?[index] ?? 1))
            return UInt32(first.count - 1)
        }
        #expect(table.count == first.count)
        requests.keep(table)
        #expect(requests.keys() == first.map(\.key))
        let dense = requests.dense(usesSizes: true, varying: .insertion)
        #expect(Array(dense.objects) == expected)
        #expect(dense.sizes.map(Array.init) == first.map(\.size))
        #expect(keys.indices.map { dense.size(ofAccess: $0) } == (sizes ?? keys.map { _ in 1 }))
        #expect(dense.requestBytes == (sizes ?? keys.map { _ in 1 }).reduce(0, +))
    }

    /// 0 is the tag of a free slot, and the last tag belongs at the end of the table, behind which probes go on at its
    /// start.
    @Test("Keys with equal hashes and equal tags are told apart", arguments: [0, 1 << 32, .max, 0x8000_0000_0000_0000])
    func equalHashes(hash: UInt64) {
        var random = SplitMix64(seed: 3)
        let keys = (0..<3_000).map { _ in "https://example.com/\(random.next(below: 400))" }
        Self.check(keys) { _ in hash }
        // Some keys share a hash, and others are neighbours of it.
        Self.check(keys) { key in hash &+ UInt64(key.utf8.count) &<< 32 }
    }

    @Test("Keys of all lengths are told apart by each of their bytes")
    func everyByte() {
        var keys = [""]
        for length in 1...40 {
            let plain = [UInt8](repeating: 0x61, count: length)
            keys.append(String(decoding: plain, as: UTF8.self))
            for place in 0..<length {
                var other = plain
                other[place] = 0x62
                keys.append(String(decoding: other, as: UTF8.self))
            }
        }
        Self.check(keys + keys.reversed())
        Self.check(keys + keys.reversed()) { _ in 7 << 40 }
    }

    @Test("A table grows while it is read, and keeps its keys")
    func growth() {
        var random = SplitMix64(seed: 8)
        Self.check((0..<600_000).map { _ in "k\(random.next(below: 250_000))" })
    }

    /// From 2^20 slots on, a table grows by a quarter: with the keys 786,433, 983,041 and 1,228,801.
    @Test("A large table grows by a quarter, and keeps its keys")
    func quarters() {
        var table = TextTable()
        let keys = 0..<1_230_000 as Range<UInt32>
        #expect(keys.allSatisfy { table.number(of: "\($0 &* 2_654_435_761)") == $0 })
        #expect(keys.reversed().allSatisfy { table.number(of: "\($0 &* 2_654_435_761)") == $0 })
        #expect(table.count == keys.count)
    }

    /// The texts take 60 MB, more than three of the largest of the first chunks of memory. A text of 20 MB is longer
    /// than such a chunk.
    @Test("Places lead to the texts, which come in the order in which they were added")
    func places() {
        var random = SplitMix64(seed: 12)
        var store = TextStore()
        var kept: [(text: [UInt8], place: UInt32)] = []
        for number in 0..<2_000 as Range<UInt32> {
            let length = number == 700 ? 20_000_000 : random.next(below: number % 100 == 0 ? 2_000_000 : 600)
            let text = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: length)
            kept.append((text, text.withUnsafeBytes { store.add($0, number: number &* 7, size: 5).place }))
        }
        #expect(store.count == kept.count)
        let bases = store.bases
        for (number, (text, place)) in kept.enumerated() {
            let record = bases.record(at: place)
            #expect(record.number == UInt32(number) * 7)
            #expect(record.bytes.elementsEqual(text))
            let found = text.withUnsafeBytes { (record.compare($0, 5), record.compare($0, 6)) }
            #expect(found.0 == (true, true))
            #expect(found.1 == (true, false))
        }
        var places: [UInt32] = []
        store.forEach { record, place in
            #expect(record.number == UInt32(places.count) * 7)
            places.append(place)
        }
        #expect(places == kept.map(\.place))
    }

    @Test("A text is not one of another length, also where the short number of bytes is the same")
    func lengths() {
        var store = TextStore()
        let text = [UInt8](repeating: 0x61, count: 400)
        for length in [0, 1, 254, 255, 256, 300, 400] {
            let (record, _) = text.prefix(length).withUnsafeBytes { store.add($0, number: 1, size: 2) }
            for other in [0, 1, 2, 253, 254, 255, 256, 257, 300, 399, 400] {
                let isKey = text.prefix(other).withUnsafeBytes { record.compare($0, 2).isKey }
                #expect(isKey == (other == length), "\(length) and \(other)")
            }
        }
    }

    @Test("Keys that are numbers join those that are texts")
    func mixedKeys() {
        var numbers = NumberTable()
        var texts = TextTable()
        #expect(texts.number(of: "a", next: 0) == 0)
        #expect(numbers.number(of: 999_999_999_999_999_999, next: 1).number == 1)
        #expect(texts.number(of: "é", next: 2) == 2)
        #expect(numbers.number(of: 0, next: 3).number == 3)
        #expect(texts.number(of: "", next: 4) == 4)
        let keys = KeyTexts(texts.store(), numbers)
        #expect(keys.count == 5)
        #expect(keys.all() == ["a", "999999999999999999", "é", "0", ""])
        #expect(keys.text(of: 1) == "999999999999999999")
        #expect(KeyTexts([16, 3, 255]) { String($0, radix: 16) }.all() == ["10", "3", "ff"])
        #expect(KeyTexts(TextStore()).all() == [])
    }

    /// 0 is not replaced in this format. The sizes from 4,294,967,293 on have no code.
    @Test("Sizes that change are those of the requests")
    func sizes() {
        var random = SplitMix64(seed: 21)
        let choices = [0, 1, 1, 1, 1, 4_294_967_292, 4_294_967_293, 4_294_967_294, 4_294_967_295, 5_000_000_000]
        let keys = (0..<2_000).map { _ in "k\(random.next(below: 90))" }
        Self.check(keys, sizes: keys.map { _ in choices[random.next(below: choices.count)] })
        Self.check(keys, sizes: keys.map { 5_000_000_000 + $0.utf8.count })
    }

    @Test("A key is the same one by one, as a text and in batches, also an empty one and one that is not ASCII")
    func oneByOne() {
        var table = TextTable()
        let keys = ["", "a", "https://example.com/1", "é", "https://example.com/2"]
        #expect(keys.map { table.number(of: $0) } == [0, 1, 2, 3, 4])
        #expect(table.number(of: UnsafeRawBufferPointer(start: nil, count: 0)) == 0)
        var requests = Requests()
        for _ in 0..<5 { requests.append(requests.next, at: 0, bytes: 1) }
        var batch = TextBatch()
        keys.joined().withContiguousText { text in
            var start = 0
            for key in keys {
                guard let base = text.baseAddress else { return }
                let hash = table.hash.of(base + start, count: key.utf8.count)
                let bytes = UnsafeRawBufferPointer(start: base + start, count: key.utf8.count)
                batch.append(bytes, hash: hash, at: 0, bytes: 1)
                start += bytes.count
            }
            requests.append(&batch, numbering: &table)
        }
        #expect(Array(requests.dense(usesSizes: true).objects) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
        #expect(table.keys() == keys)
    }

    @Test("A new key that is not UTF-8 has no number, and leaves none out")
    func notUTF8() {
        var table = TextTable()
        let bytes: [UInt8] = [0x61, 0xFF]
        #expect(bytes.withUnsafeBytes { table.number(of: $0) } == nil)
        #expect(table.number(of: "a") == 0)
        #expect(bytes.withUnsafeBytes { table.number(of: $0) } == nil)
        #expect(table.count == 1)
    }

    @Test("Hashes depend on every byte and on the length, and not on the address")
    func hashes() {
        let hash = TextHash()
        var seen: Set<UInt64> = []
        var texts = 0
        for length in 0...100 {
            var text = [UInt8](repeating: 0, count: length + 3)
            for place in -1..<length {
                if place >= 0 { text[place] ^= 1 }
                let shifted = [9, 9, 9] + text
                text.withUnsafeBytes { one in
                    shifted.withUnsafeBytes { other in
                        guard let one = one.baseAddress, let other = other.baseAddress else { return }
                        let value = hash.of(one, count: length)
                        #expect(value == hash.of(other + 3, count: length))
                        seen.insert(value)
                    }
                }
                texts += 1
                if place >= 0 { text[place] ^= 1 }
            }
        }
        #expect(seen.count == texts)
    }

    @Test("Marks are those of a search byte by byte")
    func marks() {
        var random = SplitMix64(seed: 2)
        for round in 0..<2_000 {
            let ascii = round % 2 == 0
            let bytes = (0..<64).map { _ in UInt8(random.next(below: round % 3 == 0 ? 4 : ascii ? 128 : 256)) }
            let sought = (0..<4).map { _ in UInt8(random.next(below: round % 3 == 0 ? 6 : 256)) }
            let found = bytes.withUnsafeBytes {
                cachereplay_find_marks($0.baseAddress, sought[0], sought[1], sought[2], sought[3])
            }
            var places: UInt64 = 0
            for (place, byte) in bytes.enumerated() where sought.contains(byte) { places |= 1 << UInt64(place) }
            #expect(found.places == places)
            #expect((found.others == 0) == bytes.allSatisfy { $0 < 0x80 })
        }
    }
}

extension TextTable {
    /// Returns the number of a text, which is `next` for a new one.
    fileprivate mutating func number(of key: String, next: UInt32) -> UInt32? {
        var key = key
        return key.withUTF8 { number(of: UnsafeRawBufferPointer($0), next: next) }
    }
}

extension String {
    /// Calls `body` with the bytes of the text.
    fileprivate func withContiguousText(_ body: (UnsafeRawBufferPointer) -> Void) {
        var text = self
        text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
