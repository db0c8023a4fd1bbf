/// SipHash-2-4 with 128 bits of output: a keyed hash that needs little code, for systems without CryptoKit.
///
/// Source: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", 2012, and the 128-bit variant of the
/// authors' reference code. As far as is known, the output reveals nothing of the input without the key. With the key
/// it offers no protection: it is not designed to resist collisions.
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    /// Returns the 16 bytes of the hash of a message, in the byte order of the reference code.
    static func hash(_ message: some Collection<UInt8>, key: (UInt64, UInt64)) -> [UInt8] {
        var state = SipHash(key: key)
        var word: UInt64 = 0
        var shift: UInt64 = 0
        for byte in message {
            word |= UInt64(byte) << shift
            shift += 8
            if shift == 64 {
                state.compress(word)
                word = 0
                shift = 0
            }
        }
        state.compress(word | UInt64(truncatingIfNeeded: message.count) << 56)
        return state.finish()
    }

    private init(key: (UInt64, UInt64)) {
        v0 = 0x736f_6d65_7073_6575 ^ key.0
        v1 = 0x646f_7261_6e64_6f6d ^ key.1 ^ 0xee
        v2 = 0x6c79_6765_6e65_7261 ^ key.0
        v3 = 0x7465_6462_7974_6573 ^ key.1
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        for _ in 0..<2 { round() }
        v0 ^= word
    }

    private mutating func finish() -> [UInt8] {
        v2 ^= 0xee
        for _ in 0..<4 { round() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<4 { round() }
        let high = v0 ^ v1 ^ v2 ^ v3
        return [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    private mutating func round() {
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    }

    private func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
