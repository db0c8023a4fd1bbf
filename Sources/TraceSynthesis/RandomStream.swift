import Basics

/// Random numbers that are the same on every machine: xoshiro256** (D. Blackman, S. Vigna, "Scrambled linear
/// pseudorandom number generators", 2018), whose state is filled by ``SplitMix64`` from a seed and a name.
///
/// Each concern of a model draws from a stream of its own, so that turning one knob leaves what the others draw as it
/// was.
struct RandomStream: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)
    private var spareNormal: Double?

    init(seed: UInt64, name: String) {
        // FNV-1a, 64 bits.
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var filler = SplitMix64(seed: seed ^ hash)
        state = (filler.next(), filler.next(), filler.next(), filler.next())
    }

    mutating func next() -> UInt64 {
        let product = state.1 &* 5
        let result = (product << 7 | product >> 57) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }

    /// From 0 (included) to 1 (excluded), in steps of 2^-53.
    mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// From 0 to `count` − 1, by the high word of a product: for counts below 2^32 biased by less than 2^-32.
    mutating func index(below count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(max(count, 1))).high) }

    mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

    /// Of mean 0 and variance 1, by G. Marsaglia's polar method (1964).
    mutating func normal() -> Double {
        if let spare = spareNormal {
            spareNormal = nil
            return spare
        }
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            guard square > 0, square < 1 else { continue }
            let factor = (-2 * PortableMath.log(square) / square).squareRoot()
            spareNormal = y * factor
            return x * factor
        }
    }

    /// Log-normal: half of the values are below `median`; `spread` is the standard deviation of their logarithm. Cut at
    /// four of them.
    mutating func logNormal(median: Double, spread: Double) -> Double {
        median * PortableMath.exp(spread * min(4, max(-4, normal())))
    }

    /// Times between events that happen independently of each other, `mean` apart on average.
    mutating func exponential(mean: Double) -> Double { -mean * PortableMath.log(1 - uniform()) }
}
