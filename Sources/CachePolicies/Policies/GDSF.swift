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

    func millionths(_ size: Int) -> Double {
        switch self {
        case .one: 1e6
        case .packets: 1e6 * (2 + Double(size) / 536)
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
