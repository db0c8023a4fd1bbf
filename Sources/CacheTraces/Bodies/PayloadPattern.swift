/// The bytes of a generated body, as a function of the key, so that a receiver can verify each byte.
///
/// The bytes are 64-bit little-endian words. The first is the hash of the key (FNV-1a, 64 bits, over its UTF-8); each
/// following word adds a constant. Bytes of another key and shifted or missing parts differ. Additions suffice to make
/// and verify the bytes, at the speed of memory.
public struct PayloadPattern: Sendable, Equatable {
    /// The first word.
    public let seed: UInt64

    /// An odd number near 2^64 divided by the golden ratio, because of which neighbouring words differ in every byte.
    static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let ramp = SIMD8<UInt64>(0, 1, 2, 3, 4, 5, 6, 7) &* step

    public init(key: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        seed = hash
    }

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

    /// Returns whether the buffer contains the bytes from the start of the pattern.
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
