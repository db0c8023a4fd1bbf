/// Cost Adaptive Multi-queue eviction Policy: GreedyDual-Size with rounded worths, so that a few LRU queues do for all
/// objects.
///
/// S. Ghandeharizadeh, S. Irani, J. Lam, J. Yap, CAMP: a cost adaptive multi-queue eviction policy for key-value
/// stores, Middleware 2014. The details follow the authors' simulator (github.com/scdblab/CAMP), which is also
/// the source of the default precision. An access ranks an object:
///
///     H = L + round(largest / size * cost)
///
/// - `largest` is the size of the largest object that was admitted so far. With it, the ratio of cost and size is at
///   least 1. The ratio loses its fraction.
/// - `round` keeps the `precision` most significant bits of that whole number, and makes the others 0.
/// - L is the lowest rank that the last eviction left behind.
///
/// The paper keeps an LRU queue for each rounded ratio, and a heap of the queues' oldest objects. Ranks never fall
/// along such a queue, so the object of the lowest rank is the same victim. This policy looks for it. Here the least
/// recently used object of equal ranks leaves first.
///
/// `cost: one` aims at few misses; `cost: packets`, 2 + size / 536, at little traffic. An object of 0 bytes is ranked
/// as one of 1.
struct CAMP: RankedPolicy {
    var ranked: RankedObjects
    /// L.
    var inflation = 0.0
    /// Bytes; at least 1.
    var largest = 1
    let cost: FetchCost
    let precision: Precision

    init(_ limits: Limits, cost: FetchCost = .one, precision: Int = 4) {
        ranked = RankedObjects(limits: limits)
        self.cost = cost
        self.precision = Precision(bits: precision)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let worth = Worth(inflation: inflation, largest: largest, cost: cost, precision: precision)
        return ranked.access(access.object) { worth.rank($0.size) } ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        ranked.remove(access.object)
        guard ranked.fitsAlone(access.size) else { return false }
        largest = max(largest, access.size)
        while !ranked.fits(access.size), evictNext(&sink) {}
        let worth = Worth(inflation: inflation, largest: largest, cost: cost, precision: precision)
        ranked.insert(access) { worth.rank($0.size) }
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard ranked.evictLowest(&sink) != nil else { return false }
        if let lowest = ranked.lowestRank() { inflation = lowest }
        return true
    }

    mutating func resetRule() {
        inflation = 0
        largest = 1
    }

    /// The worth of an object, from its size at an access.
    private struct Worth {
        let inflation: Double
        let largest: Int
        let cost: FetchCost
        let precision: Precision

        func rank(_ size: Int) -> Double {
            inflation + precision.rounded(Double(largest) / Double(max(size, 1)) * cost.units(size))
        }
    }

    /// Rounding to the most significant bits. A whole number in a `Double` has them at the top of its significand, so
    /// no number is too large.
    struct Precision {
        private let mask: UInt64

        /// `bits` is from 1 to 53, the number of bits in a `Double`.
        init(bits: Int) { mask = ~0 << UInt64(Double.significandBitCount + 1 - bits) }

        /// Returns a number from 1 up without its fraction and its lower bits.
        func rounded(_ number: Double) -> Double {
            Double(bitPattern: number.rounded(.down).bitPattern & mask)
        }
    }
}

extension CAMP {
    static let entry = PolicyEntry(
        "camp", "GreedyDual-Size with ratios of cost and size that are rounded to a few bits.",
        parameters: [.limits, FetchCost.parameter, .integer("precision", default: 4)]
    ) {
        CAMP(
            try $0.limits(), cost: try FetchCost($0),
            precision: try $0.integer("precision", in: 1...(Double.significandBitCount + 1)))
    }
}
