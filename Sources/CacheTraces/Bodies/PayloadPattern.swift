/// The bytes of an object, as a function of its key: whoever receives them can tell whether each one is right.
///
/// 64-bit little-endian words: the key's hash (FNV-1a, 64 bits, over its UTF-8), then the hash plus a constant for each
/// word on. A byte of another key, a shifted, torn or missing part all differ. Made and checked with additions alone,
/// at the speed of memory.
public struct PayloadPattern: Sendable, Equatable {
    /// The first word.
    public let seed: UInt64

    /// 2^64 divided by the golden ratio, made odd: neighbouring words differ in every byte.
    static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let ramp = SIMD8<UInt64>(0, 1, 2, 3, 4, 5, 6, 7) &* step

    public init(key: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        seed = hash
    }

    /// Writes the object's bytes from `offset` on.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int = 0) {
        let aligned = offset % 8 == 0 ? buffer.count & ~63 : 0
        if aligned > 0 {
            var words = Self.ramp &+ word(offset / 8)
            for index in stride(from: 0, to: aligned, by: 64) {
                buffer.storeBytes(of: words, toByteOffset: index, as: SIMD8<UInt64>.self)
                words &+= Self.step &* 8
            }
        }
        for index in aligned..<buffer.count { buffer[index] = byte(offset + index) }
    }

    /// Whether the buffer holds the object's bytes from its beginning.
    public func matches(_ buffer: UnsafeRawBufferPointer) -> Bool {
        let aligned = buffer.count & ~63
        var words = Self.ramp &+ seed
        var difference = SIMD8<UInt64>()
        for index in stride(from: 0, to: aligned, by: 64) {
            difference |= words ^ buffer.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt64>.self)
            words &+= Self.step &* 8
        }
        guard difference == SIMD8<UInt64>() else { return false }
        for index in aligned..<buffer.count where buffer[index] != byte(index) { return false }
        return true
    }

    private func word(_ index: Int) -> UInt64 { seed &+ UInt64(index) &* Self.step }

    private func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word(index / 8) >> (UInt64(index % 8) * 8)) }
}
