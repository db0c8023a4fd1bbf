/// GreedyDual-Size-Frequency: small, often requested and costly objects stay.
///
/// L. Cherkasova, Improving WWW proxies performance with Greedy-Dual-Size-Frequency caching policy, HP Laboratories,
/// HPL-98-69 (R.1), 1998: Pr = Clock + Fr * Cost / Size, with Clock the rank of the last victim and Fr the accesses
/// since admission. Of equal ranks the least recently used object leaves first; the paper leaves that open.
///
/// `cost: one` aims at few misses; `cost: packets`, 2 + size / 536, at little traffic. Costs are in millionths, as in
/// libCacheSim: ranks are in proportion, and so are their roundings. An object of 0 bytes is ranked as one of 1.
///
/// `compat: libcachesim` inserts a new object first and then evicts, until the rest fits. The new object competes with
/// its own rank, so it may be the one that leaves.
struct GDSF: RankedPolicy {
    var ranked: RankedObjects
    var clock = 0.0
    let cost: FetchCost
    private let insertsFirst: Bool

    init(_ limits: Limits, cost: FetchCost = .one, compat: Compatibility = .paper) {
        ranked = RankedObjects(limits: limits)
        self.cost = cost
        insertsFirst = compat == .libCacheSim
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        ranked.access(access.object) { Self.priority($0, clock, cost) } ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        ranked.remove(access.object)
        guard ranked.fitsAlone(access.size) else { return false }
        if insertsFirst {
            ranked.insert(access) { Self.priority($0, clock, cost) }
            while ranked.isOverfull, evictNext(&sink) {}
            return contains(access.object)
        }
        while !ranked.fits(access.size), evictNext(&sink) {}
        ranked.insert(access) { Self.priority($0, clock, cost) }
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let rank = ranked.evictLowest(&sink) else { return false }
        clock = rank
        return true
    }

    mutating func resetRule() { clock = 0 }

    private static func priority(_ record: RankedObjects.Record, _ clock: Double, _ cost: FetchCost) -> Double {
        clock + Double(record.frequency) * cost.millionths(record.size) / Double(max(record.size, 1))
    }
}

/// The cost of a fetch in the GreedyDual family.
enum FetchCost: String {
    case one
    /// Packets of a TCP segment's usual size, and two for the connection.
    case packets

    func millionths(_ size: Int) -> Double { 1e6 * units(size) }

    /// Returns the cost in fetches, or in packets.
    func units(_ size: Int) -> Double {
        switch self {
        case .one: 1
        case .packets: 2 + Double(size) / 536
        }
    }

    static let parameter = PolicyParameter.choice("cost", ["one", "packets"], default: "one")

    init(_ arguments: PolicyArguments) throws {
        self = FetchCost(rawValue: try arguments.choice("cost")) ?? .one
    }
}

extension GDSF {
    static let entry = PolicyEntry(
        "gdsf", "GreedyDual-Size-Frequency: keeps objects that are small, often requested and costly to fetch.",
        parameters: [.limits, FetchCost.parameter, .compat]
    ) { GDSF(try $0.limits(), cost: try FetchCost($0), compat: try $0.compat()) }
}

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
