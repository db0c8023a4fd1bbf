import Basics
import Foundation

/// Copies of texts, which stay in place. Each is a record of the number and the size of the object that the text names,
/// and of its bytes.
///
/// A record has, one behind the other: the number of the object, 4 bytes; the code of its size, as in ``NumberTable``,
/// 4 bytes; the number of bytes of the text, 1 byte, and another 4 bytes if it is at least ``longText``; the bytes of
/// the text.
///
/// A place is a number of 32 bits: the number of a chunk of memory, 10 bits, and an offset in it, which counts units.
/// The unit is 4 bytes, and doubles with every 128 chunks, and so does the size of new chunks. Places therefore reach
/// far: the first 128 chunks have 2 GB, and all of them 500 GB.
///
/// Invariants: `room` bytes at `free` are the end of the last chunk, and no record has them; `bases` has
/// ``mostChunks`` places, of which the first `lengths.count` are initialised.
struct TextStore: ~Copyable {
    /// A record. Its memory lives as long as its store.
    struct Record: BitwiseCopyable {
        fileprivate let memory: UnsafeMutableRawPointer

        @inline(__always)
        var number: UInt32 { memory.load(as: UInt32.self) }

        @inline(__always)
        var bytes: UnsafeRawBufferPointer {
            let short = Int(memory.load(fromByteOffset: 8, as: UInt8.self))
            guard short == TextStore.longText else {
                return UnsafeRawBufferPointer(start: memory + TextStore.headLength, count: short)
            }
            let count = Int(memory.loadUnaligned(fromByteOffset: TextStore.headLength, as: UInt32.self))
            return UnsafeRawBufferPointer(start: memory + TextStore.longHeadLength, count: count)
        }

        /// The text, which is UTF-8.
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Sets the code of the size, by which batches find the object.
        @inline(__always)
        func setSize(_ code: UInt32) { memory.storeBytes(of: code, toByteOffset: 4, as: UInt32.self) }

        /// Returns whether the record has the bytes of `key`, and whether it also has the code of the size.
        @inline(__always)
        func compare(_ key: UnsafeRawBufferPointer, _ code: UInt32) -> (isKey: Bool, isSize: Bool) {
            let count = key.count
            let short = count < TextStore.longText ? count : TextStore.longText
            // The code and the short number of bytes, in one load.
            let head = UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) &>> 24
            let differences = head ^ (UInt64(code) | UInt64(truncatingIfNeeded: short) &<< 32)
            guard differences &>> 32 == 0 else { return (false, false) }
            guard short < TextStore.longText else { return (isLong(key), differences == 0) }
            guard let base = key.baseAddress else { return (true, differences == 0) }
            let isKey = TextStore.areEqual(memory + TextStore.headLength, base, count: count)
            return (isKey, differences == 0)
        }

        /// Returns whether the record, which belongs to a long text, has the bytes of `key`.
        @inline(never)
        private func isLong(_ key: UnsafeRawBufferPointer) -> Bool {
            let own = bytes
            guard own.count == key.count, let one = own.baseAddress, let other = key.baseAddress else { return false }
            return TextStore.areEqual(one, other, count: key.count)
        }

        /// The first address, for prefetching.
        @inline(__always)
        var address: UnsafeRawPointer { UnsafeRawPointer(memory) }
    }

    /// Where the chunks begin, for loops that look up many places.
    struct Bases: BitwiseCopyable {
        fileprivate let bases: UnsafeMutablePointer<UnsafeMutableRawPointer>

        @inline(__always)
        func record(at place: UInt32) -> Record {
            let chunk = Int(truncatingIfNeeded: place &>> TextStore.placeBits)
            let offset = Int(truncatingIfNeeded: place & (1 &<< TextStore.placeBits - 1))
            return Record(memory: bases[chunk] + offset &<< TextStore.unitBits(chunk))
        }
    }

    /// The number of bytes from which on a text is long.
    static let longText = 255
    fileprivate static let headLength = 9
    fileprivate static let longHeadLength = 13
    private static let placeBits: UInt32 = 22
    private static let mostChunks = 1 << 10
    private static let firstChunk = 64 << 10

    let bases: Bases
    /// The number of bytes of each chunk, and of its records.
    private var lengths: [(chunk: Int, used: Int)] = []
    private var free: UnsafeMutableRawPointer?
    private var room = 0
    private(set) var count = 0

    init() { bases = Bases(bases: .allocate(capacity: Self.mostChunks)) }

    deinit {
        for chunk in lengths.indices { HugePages.release(bases.bases[chunk], length: lengths[chunk].chunk) }
        bases.bases.deallocate()
    }

    /// Copies a text, which names the object `number`.
    ///
    /// - Returns: The record, and its place.
    mutating func add(_ text: UnsafeRawBufferPointer, number: UInt32, size code: UInt32) -> (Record, place: UInt32) {
        let isLong = text.count >= Self.longText
        let headLength = isLong ? Self.longHeadLength : Self.headLength
        let (memory, place) = allocate(headLength + text.count)
        memory.storeBytes(of: number, as: UInt32.self)
        let short = isLong ? Self.longText : text.count
        memory.storeBytes(of: UInt8(truncatingIfNeeded: short), toByteOffset: 8, as: UInt8.self)
        if isLong { memory.storeBytes(of: UInt32(text.count), toByteOffset: Self.headLength, as: UInt32.self) }
        if let base = text.baseAddress { memcpy(memory + headLength, base, text.count) }
        let record = Record(memory: memory)
        record.setSize(code)
        count &+= 1
        return (record, place)
    }

    /// Calls `body` with every record and its place, in the order in which they were added.
    func forEach(_ body: (Record, _ place: UInt32) throws -> Void) rethrows {
        for chunk in lengths.indices {
            let unitBits = Self.unitBits(chunk)
            let used = chunk == lengths.count - 1 ? lengths[chunk].chunk - room : lengths[chunk].used
            var offset = 0
            while offset < used {
                let record = Record(memory: bases.bases[chunk] + offset)
                try body(record, UInt32(chunk) &<< Self.placeBits | UInt32(truncatingIfNeeded: offset &>> unitBits))
                let bytes = record.bytes
                let head = bytes.count < Self.longText ? Self.headLength : Self.longHeadLength
                offset += Self.rounded(head + bytes.count, unitBits)
            }
        }
    }

    /// The number of bits by which an offset in a chunk is shifted.
    @inline(__always)
    private static func unitBits(_ chunk: Int) -> Int { 2 &+ chunk &>> 7 }

    @inline(__always)
    private static func rounded(_ length: Int, _ unitBits: Int) -> Int {
        let unit = 1 &<< unitBits
        return (length &+ unit &- 1) & ~(unit &- 1)
    }

    @inline(__always)
    private mutating func allocate(_ length: Int) -> (UnsafeMutableRawPointer, place: UInt32) {
        let chunk = lengths.count - 1
        let wanted = Self.rounded(length, Self.unitBits(max(chunk, 0)))
        guard wanted <= room, let memory = free else { return allocateChunk(length) }
        free = memory + wanted
        room &-= wanted
        let offset = (memory - bases.bases[chunk]) &>> Self.unitBits(chunk)
        return (memory, UInt32(chunk) &<< Self.placeBits | UInt32(truncatingIfNeeded: offset))
    }

    /// Returns `length` bytes at the start of a new chunk. The rest of the last chunk stays without pages.
    @inline(never)
    private mutating func allocateChunk(_ length: Int) -> (UnsafeMutableRawPointer, place: UInt32) {
        let chunk = lengths.count
        if chunk > 0 { lengths[chunk - 1].used = lengths[chunk - 1].chunk - room }
        // More than places reach is more than the memory of a computer.
        guard chunk < Self.mostChunks else { Memory.exhausted(length) }
        let unitBits = Self.unitBits(chunk)
        let wanted = Self.rounded(length, unitBits)
        // The last record of a chunk begins within it. A long text can make its chunk longer.
        let usual = min(Self.firstChunk << chunk, 1 << (Int(Self.placeBits) + unitBits))
        let size = max(chunk < 16 ? usual : 1 << (Int(Self.placeBits) + unitBits), wanted)
        let memory = HugePages.zeroes(length: size)
        (bases.bases + chunk).initialize(to: memory)
        lengths.append((size, wanted))
        (free, room) = (memory + wanted, size - wanted)
        return (memory, UInt32(chunk) &<< Self.placeBits)
    }

    /// Returns whether two texts of `count` bytes are equal.
    @inline(__always)
    private static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, count: Int) -> Bool {
        if count >= 16 {
            var differences = SIMD2<UInt64>()
            var index = 0
            while index &+ 16 < count {
                differences |= difference(one, other, index, SIMD2<UInt64>.self)
                index &+= 16
            }
            // The last 16 bytes overlap those before them.
            differences |= difference(one, other, count &- 16, SIMD2<UInt64>.self)
            return differences[0] | differences[1] == 0
        }
        if count >= 8 {
            return difference(one, other, 0, UInt64.self) | difference(one, other, count &- 8, UInt64.self) == 0
        }
        if count >= 4 {
            return difference(one, other, 0, UInt32.self) | difference(one, other, count &- 4, UInt32.self) == 0
        }
        for index in 0..<count where difference(one, other, index, UInt8.self) != 0 { return false }
        return true
    }

    @inline(__always)
    private static func difference<Word: FixedWidthInteger & BitwiseCopyable>(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ offset: Int, _ type: Word.Type
    ) -> Word {
        one.loadUnaligned(fromByteOffset: offset, as: type) ^ other.loadUnaligned(fromByteOffset: offset, as: type)
    }

    @inline(__always)
    private static func difference(
        _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ offset: Int, _ type: SIMD2<UInt64>.Type
    ) -> SIMD2<UInt64> {
        one.loadUnaligned(fromByteOffset: offset, as: type) ^ other.loadUnaligned(fromByteOffset: offset, as: type)
    }
}
