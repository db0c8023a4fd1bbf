/// A seeded generator of random numbers that gives the same sequence on every machine.
///
/// The algorithm is SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014). Its state is a counter, so every seed is a good seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64
    /// The seed that the generator was created with.
    public let seed: UInt64

    @inlinable public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    @inlinable public mutating func next() -> UInt64 {
        state &+= Self.increment
        return Self.finished(state)
    }

    /// Returns a whole number from 0 to `limit` - 1. `limit` is from 1 to 2^32. The bias is below 2^-32.
    @inlinable public mutating func next(below limit: Int) -> Int {
        Int(truncatingIfNeeded: ((next() >> 32) &* UInt64(truncatingIfNeeded: limit)) >> 32)
    }

    /// Passes over `count` numbers, and returns the state before them: number `n` of them, from 1, is the result of
    /// ``finished(_:)`` for the state and `n` times ``increment``. For code that makes several numbers at a time.
    @inlinable public mutating func skip(_ count: Int) -> UInt64 {
        defer { state &+= Self.increment &* UInt64(truncatingIfNeeded: count) }
        return state
    }

    /// Returns a number from 0 up to, but not including, 1.
    @inlinable public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Restarts the sequence at the seed.
    @inlinable public mutating func reset() { state = seed }

    /// The distance of two states: 2^64 divided by the golden ratio.
    @inlinable public static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

    /// Returns the first number of the sequence of a seed: a hash of the seed.
    @inlinable public static func hash(_ seed: UInt64) -> UInt64 { finished(seed &+ increment) }

    /// Returns the number that the generator makes from a state.
    @inlinable public static func finished(_ state: UInt64) -> UInt64 {
        var number = state
        number = (number ^ (number &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number &>> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number &>> 31)
    }
}
