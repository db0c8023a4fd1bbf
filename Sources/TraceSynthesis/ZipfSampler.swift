import Basics

/// Draws ranks 0 ..< N with Zipf's law, exactly and in constant time: A. Walker's alias table (1977), filled as M. Vose
/// does (1991).
struct ZipfSampler: Sendable {
    /// In each column, the share that belongs to its own rank; the rest belongs to ``alias``.
    private var share: [Double]
    private var alias: [UInt32]

    var count: Int { share.count }

    /// `exponent` 0 makes all ranks equally likely. `count` is at least 1 and below 2^32.
    init(exponent: Double, count: Int) {
        let count = max(1, count)
        var weights = (1...count).map { PortableMath.exp(-exponent * PortableMath.log(Double($0))) }
        let total = weights.reduce(0, +)
        for index in weights.indices { weights[index] *= Double(count) / total }
        share = [Double](repeating: 1, count: count)
        alias = (0..<UInt32(count)).map(\.self)
        // Weights fall with the rank, so the rich are a prefix and the poor a suffix.
        var poor = (0..<count).filter { weights[$0] < 1 }
        var rich = (0..<count).filter { weights[$0] >= 1 }
        while let small = poor.popLast(), let large = rich.last {
            share[small] = weights[small]
            alias[small] = UInt32(large)
            weights[large] -= 1 - weights[small]
            if weights[large] < 1 {
                rich.removeLast()
                poor.append(large)
            }
        }
    }

    func next(_ random: inout RandomStream) -> Int { rank(column: random.next(), coin: random.next()) }

    /// The rank that a place in an endless list shows: always the same for one place and seed.
    func rank(place: Int, seed: UInt64) -> Int {
        var random = SplitMix64(seed: seed ^ UInt64(bitPattern: Int64(place)) &* 0xD134_2543_DE82_EF95)
        return rank(column: random.next(), coin: random.next())
    }

    private func rank(column: UInt64, coin: UInt64) -> Int {
        let index = Int(column.multipliedFullWidth(by: UInt64(share.count)).high)
        return Double(coin >> 11) * 0x1p-53 < share[index] ? index : Int(alias[index])
    }
}
