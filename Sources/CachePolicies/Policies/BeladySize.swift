import Basics

/// Belady's rule for objects of different sizes: of a few drawn at random, the object with the largest size times
/// distance leaves, the distance being the number of accesses until its next one.
///
/// An object that holds many bytes for a long time until its next hit costs most. The best set of objects of different
/// sizes is NP-hard to find (M. Chrobak, G. J. Woeginger, K. Makino, H. Xu, Caching is hard: even in the fault model,
/// Algorithmica 63, 2012), so this is no bound, but hard to beat. The rule and its 128 samples are libCacheSim's. The
/// victim is exact if no more objects are held than would be drawn.
///
/// An object that is never accessed again is not admitted, and a held one leaves at its last hit.
struct BeladySize: SampledPolicy, ClairvoyantPolicy {
    struct Record: BitwiseCopyable {
        var next = 0
        var size = 0.0
    }

    var table = SlotTable(filler: Record())
    var sizes = SizeTable()
    var position = 0
    var random: SplitMix64
    let limits: Limits
    let samples: Int
    var occupancy = Occupancy()

    init(_ limits: Limits, samples: Int = 128, seed: UInt64 = 0) {
        self.limits = limits
        self.samples = samples
        random = SplitMix64(seed: seed)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        position = access.position
        guard let slot = table.slot(of: access.object) else { return .miss }
        if access.next == .max {
            remove(access.object)
            sink.evicted(access.object, .capacity)
        } else {
            table.accessed(access.object)
            table.records.base[slot].next = access.next
        }
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        position = access.position
        guard access.next != .max, limits.fits(access.size, beside: Occupancy()) else { return false }
        insert(access, Record(next: access.next, size: Double(max(access.size, 1))), &sink)
        return true
    }

    mutating func clear() {
        removeAll()
        position = 0
    }

    mutating func nextVictim() -> Int? {
        let now = position
        let victim = table.victim(of: samples, &random) { record in -record.size * Double(record.next &- now) }
        return victim.map(table.object)
    }
}

extension BeladySize {
    static let entry = PolicyEntry(
        "belady-size",
        """
        Of a few objects drawn at random, the one with the largest size times distance to its next access leaves. \
        Knows the future.
        """,
        parameters: [.limits, .integer("samples", default: 128), .integer("seed", default: 0)]
    ) { BeladySize(try $0.limits(), samples: try $0.integer("samples", in: 1...Int.max), seed: try $0.seed()) }
}
