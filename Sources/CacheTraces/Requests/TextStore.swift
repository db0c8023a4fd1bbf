import Foundation

/// Copies of texts, which stay in place. Each is a record of its size code, its length and its bytes.
///
/// A record begins at a multiple of 8 bytes: with the number of bytes of the text, 4 bytes, and the code of the size of
/// the object that the text names, as in ``NumberTable``, 4 bytes. The bytes of the text follow.
///
/// Invariant: `room` bytes at `free` are the end of a chunk, and no record has them.
struct TextStore: ~Copyable {
    /// A record. Its memory lives as long as its store.
    struct Record: BitwiseCopyable {
        fileprivate let memory: UnsafeMutableRawPointer

        /// The number of bytes of the text and the code of the size, as one number.
        @inline(__always)
        fileprivate var head: UInt64 { memory.load(as: UInt64.self) }

        /// The bytes of the text.
        @inline(__always)
        var bytes: UnsafeRawBufferPointer {
            let count = Int(memory.load(as: UInt32.self))
            return UnsafeRawBufferPointer(start: memory + TextStore.headLength, count: count)
        }

        /// The text, which is UTF-8.
        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Sets the code of the size, by which batches find the object.
        @inline(__always)
        func setSize(_ code: UInt32) { memory.storeBytes(of: code, toByteOffset: 4, as: UInt32.self) }

        /// Returns whether the record has the bytes of `key`, and whether it also has the code of the size.
        @inline(__always)
        func compare(_ key: UnsafeRawBufferPointer, _ code: UInt32) -> (isKey: Bool, isSize: Bool) {
            let wanted = UInt64(truncatingIfNeeded: key.count) | UInt64(code) &<< 32
            let differences = head ^ wanted
            guard UInt32(truncatingIfNeeded: differences) == 0 else { return (false, false) }
            guard let base = key.baseAddress else { return (true, differences == 0) }
            let isKey = TextStore.areEqual(memory + TextStore.headLength, base, count: key.count)
            return (isKey, differences == 0)
        }

        /// The first address, for prefetching.
        var address: UnsafeRawPointer { UnsafeRawPointer(memory) }
    }

    fileprivate static let headLength = 8
    private static let longestChunk = 32 << 20

    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var free: UnsafeMutableRawPointer?
    private var room = 0
    private var nextChunk = 64 << 10

    deinit {
        for chunk in chunks {
            if let base = chunk.baseAddress { HugePages.release(base, length: chunk.count) }
        }
    }

    /// Copies a text.
    mutating func add(_ text: UnsafeRawBufferPointer, size code: UInt32) -> Record {
        let length = (Self.headLength + text.count + 7) & ~7
        let memory = allocate(length)
        memory.storeBytes(of: UInt32(text.count), as: UInt32.self)
        if let base = text.baseAddress { memcpy(memory + Self.headLength, base, text.count) }
        let record = Record(memory: memory)
        record.setSize(code)
        return record
    }

    @inline(__always)
    private mutating func allocate(_ length: Int) -> UnsafeMutableRawPointer {
        guard length <= room, let memory = free else { return allocateChunk(length) }
        free = memory + length
        room &-= length
        return memory
    }

    /// Returns `length` bytes of a new chunk.
    @inline(never)
    private mutating func allocateChunk(_ length: Int) -> UnsafeMutableRawPointer {
        // A long text has a chunk of its own, so that little of the present one is left unused.
        let isLong = length > nextChunk / 4
        let size = isLong ? length : nextChunk
        let memory = HugePages.zeroes(length: size)
        chunks.append(UnsafeMutableRawBufferPointer(start: memory, count: size))
        if isLong { return memory }
        nextChunk = min(nextChunk * 2, Self.longestChunk)
        (free, room) = (memory + length, size - length)
        return memory
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
