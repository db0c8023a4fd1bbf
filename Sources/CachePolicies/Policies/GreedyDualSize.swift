/// GreedyDual-Size: every object is worth its cost divided by its size. An access restores that worth, and an eviction
/// takes the victim's worth from all other objects.
///
/// P. Cao, S. Irani, Cost-aware WWW proxy caching algorithms, USENIX Symposium on Internet Technologies and Systems
/// (USITS), 1997: H = L + cost / size, with L the rank of the last victim, so that nothing need be subtracted. Of equal
/// ranks the least recently used object leaves first; the paper leaves that open. With objects of one size and `cost:
/// one` it is LRU.
///
/// `cost: one` aims at few misses; `cost: packets`, 2 + size / 536, at little traffic. The paper's other costs, the
/// latency and the hops of a fetch, are not known here. An object of 0 bytes is ranked as one of 1.
struct GreedyDualSize: RankedPolicy {
    var ranked: RankedObjects
    var inflation = 0.0
    let cost: FetchCost

    init(_ limits: Limits, cost: FetchCost = .one) {
        ranked = RankedObjects(limits: limits)
        self.cost = cost
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        ranked.access(access.object) { Self.worth($0, inflation, cost) } ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        ranked.remove(access.object)
        guard ranked.fitsAlone(access.size) else { return false }
        while !ranked.fits(access.size), evictNext(&sink) {}
        ranked.insert(access) { Self.worth($0, inflation, cost) }
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let rank = ranked.evictLowest(&sink) else { return false }
        inflation = rank
        return true
    }

    mutating func resetRule() { inflation = 0 }

    private static func worth(_ record: RankedObjects.Record, _ inflation: Double, _ cost: FetchCost) -> Double {
        inflation + cost.millionths(record.size) / Double(max(record.size, 1))
    }
}

extension GreedyDualSize {
    static let entry = PolicyEntry(
        "greedy-dual-size", "Keeps objects that are small, recent and costly to fetch.",
        parameters: [.limits, FetchCost.parameter]
    ) { GreedyDualSize(try $0.limits(), cost: try FetchCost($0)) }
}
