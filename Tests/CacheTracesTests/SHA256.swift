import Foundation

/// FIPS 180-4, for golden files alone.
enum SHA256 {
    /// The hexadecimal digest.
    static func of(_ message: [UInt8]) -> String {
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        padded += withUnsafeBytes(of: UInt64(message.count * 8).bigEndian, Array.init)
        var hash = primes(8).map { fraction(Double($0).squareRoot()) }
        let constants = primes(64).map { fraction(cbrt(Double($0))) }
        for block in stride(from: 0, to: padded.count, by: 64) {
            var words = (0..<16).map { index in
                padded[block + index * 4..<block + index * 4 + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for index in 16..<64 {
                let (near, far) = (words[index - 15], words[index - 2])
                let low = turned(near, 7) ^ turned(near, 18) ^ near >> 3
                let high = turned(far, 17) ^ turned(far, 19) ^ far >> 10
                words.append(words[index - 16] &+ low &+ words[index - 7] &+ high)
            }
            var state = hash
            for index in 0..<64 {
                let (a, e) = (state[0], state[4])
                let choice = e & state[5] ^ ~e & state[6]
                let majority = a & state[1] ^ a & state[2] ^ state[1] & state[2]
                let first =
                    state[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constants[index]
                    &+ words[index]
                let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
                state = [first &+ second, a, state[1], state[2], state[3] &+ first, e, state[5], state[6]]
            }
            hash = zip(hash, state).map { $0 &+ $1 }
        }
        return hash.map { String(format: "%08x", $0) }.joined()
    }

    private static func turned(_ word: UInt32, _ by: UInt32) -> UInt32 { word >> by | word << (32 - by) }

    /// The first 32 bits behind the point.
    private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 4_294_967_296) }

    private static func primes(_ count: Int) -> [Int] {
        Array((2...400).lazy.filter { number in (2..<number).allSatisfy { number % $0 != 0 } }.prefix(count))
    }
}
