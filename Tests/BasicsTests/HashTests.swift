import Testing

@testable import Basics

@Suite("Hashes")
struct HashTests {
    @Test(
        "XXH64 gives its published values",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
        ] as [(String, UInt64)])
    func checksum(text: String, expected: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes(XXHash64.checksum) == expected)
    }

    @Test("XXH64 of parts is that of all bytes")
    func hashOfParts() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 151) }
        for length in [0, 1, 3, 4, 31, 32, 33, 63, 64, 100, 300] {
            for part in [1, 5, 31, 32, 33, 64, 300] {
                var stream = XXHash64.Stream()
                for start in stride(from: 0, to: length, by: part) {
                    bytes[start..<min(start + part, length)].withUnsafeBytes { stream.add($0) }
                }
                #expect(stream.value == bytes[..<length].withUnsafeBytes(XXHash64.checksum), "\(length) by \(part)")
            }
        }
    }

    @Test("XXH64 of a number is that of its eight bytes", arguments: [0, 1, 0x0123_4567_89AB_CDEF, .max] as [UInt64])
    func number(_ number: UInt64) {
        #expect(withUnsafeBytes(of: number.littleEndian, XXHash64.checksum) == XXHash64.hash(number, seed: 0))
    }

    @Test("The hash of a seed is the first number of its SplitMix64 sequence")
    func firstNumber() {
        // The published sequence of seed 1234567 begins with these numbers.
        var random = SplitMix64(seed: 1_234_567)
        #expect([random.next(), random.next()] == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973])
        #expect(SplitMix64.hash(1_234_567) == 6_457_827_717_110_365_317)
    }

    @Test("Numbers that are passed over are those that follow the state before")
    func skippedNumbers() {
        var random = SplitMix64(seed: 5)
        var skipping = random
        let first = random.next()
        let start = skipping.skip(0)
        #expect(start == 5)
        let second = skipping.next()
        #expect(second == first)
        let numbers = (0..<3).map { _ in random.next() }
        let state = skipping.skip(3)
        #expect((1...3).map { SplitMix64.finished(state &+ $0 &* SplitMix64.increment) } == numbers)
        let (following, expected) = (skipping.next(), random.next())
        #expect(following == expected)
    }
}
