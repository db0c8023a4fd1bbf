import Basics

/// Portable random numbers: xoshiro256** (D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators",
/// 2018), seeded by `SplitMix64` from a seed and a name.
///
/// Each part of a model has its own stream, so that changing one parameter does not change the numbers of other parts.
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

    /// Returns a number from 0 to below 1, in steps of 2^-53.
    mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// Returns a number from 0 to `count` − 1, from the high word of a product. For counts below 2^32 the bias is
    /// below 2^-32.
    mutating func index(below count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(max(count, 1))).high) }

    mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

    /// Returns a normal number of mean 0 and variance 1, by G. Marsaglia's polar method (1964).
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

    /// Returns a log-normal number. `spread` is the standard deviation of the logarithm, which is limited to four
    /// standard deviations.
    mutating func logNormal(median: Double, spread: Double) -> Double {
        median * PortableMath.exp(spread * min(4, max(-4, normal())))
    }

    /// Returns an exponential number, such as the time between independent events.
    mutating func exponential(mean: Double) -> Double { -mean * PortableMath.log(1 - uniform()) }

    /// Returns a geometric number from 0, such as how often something happens before it stops.
    mutating func geometric(mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        // The smallest uniform number, 2^-53, gives at most 37 times the mean.
        return Int(PortableMath.log(1 - uniform()) / PortableMath.log(mean / (1 + mean)))
    }
}

/// Draws ranks 0 ..< N from Zipf's law, exactly and in constant time, with A. Walker's alias table (1977), built by M.
/// Vose's method (1991).
struct ZipfSampler: Sendable {
    /// The share of each column that belongs to its own rank; the rest belongs to ``alias``.
    private var share: [Double]
    private var alias: [UInt32]

    var count: Int { share.count }

    /// Creates a sampler of `count` ranks, at least 1 and below 2^32. With exponent 0 all ranks are equally likely.
    init(exponent: Double, count: Int) {
        let count = max(1, count)
        var weights = (1...count).map { PortableMath.exp(-exponent * PortableMath.log(Double($0))) }
        let total = weights.reduce(0, +)
        for index in weights.indices { weights[index] *= Double(count) / total }
        share = [Double](repeating: 1, count: count)
        alias = (0..<UInt32(count)).map(\.self)
        // Weights fall with the rank, so those above average are a prefix and those below a suffix.
        var below = (0..<count).filter { weights[$0] < 1 }
        var above = (0..<count).filter { weights[$0] >= 1 }
        while let small = below.popLast(), let large = above.last {
            share[small] = weights[small]
            alias[small] = UInt32(large)
            weights[large] -= 1 - weights[small]
            if weights[large] < 1 {
                above.removeLast()
                below.append(large)
            }
        }
    }

    func next(_ random: inout RandomStream) -> Int {
        let index = Int(random.next().multipliedFullWidth(by: UInt64(share.count)).high)
        return random.uniform() < share[index] ? index : Int(alias[index])
    }
}
