/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the same seed gives the same numbers on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64
    public let seed: UInt64

    @inlinable public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    @inlinable public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 to `limit` - 1, `limit` being from 1 to 2^32. Scaled, not rejected: the bias is below 2^-32.
    @inlinable public mutating func next(below limit: Int) -> Int {
        Int(truncatingIfNeeded: ((next() >> 32) &* UInt64(truncatingIfNeeded: limit)) >> 32)
    }

    /// From 0 to 1, without 1.
    @inlinable public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Begins again.
    @inlinable public mutating func reset() { state = seed }
}
