/// A hash of texts: 16 bytes at a time, multiplied to 128 bits and folded, like Wang Yi's wyhash.
///
/// Both numbers that the bytes are combined with are random, so that no file can be made to collide.
struct TextHash {
    private let seed = UInt64.random(in: 0 ... .max)
    private let secret = UInt64.random(in: 0 ... .max)

    /// Returns the hash of `count` bytes.
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
