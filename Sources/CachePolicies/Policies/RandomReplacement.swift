import Basics

/// The victim is drawn evenly from all held objects: the baseline for other policies.
///
/// L. A. Belady, "A Study of Replacement Algorithms for a Virtual-Storage Computer", IBM Systems Journal 5(2), 1966,
/// compares with it.
struct RandomReplacement: VictimOrdered {
    private var members = ObjectSet()
    private var sizes = UncheckedArray<Int>(repeating: 0)
    private let limits: Limits
    private var random: SplitMix64
    /// The victim that was drawn for ``nextVictim()`` and has not left yet.
    private var drawn: Int?
    private(set) var occupancy = Occupancy()

    init(_ limits: Limits, seed: UInt64) {
        self.limits = limits
        random = SplitMix64(seed: seed)
    }

    func contains(_ object: Int) -> Bool { members.contains(object) }

    mutating func reserve(_ count: Int) {
        members.reserve(count)
        sizes.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        contains(access.object) ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        members.insert(access.object)
        sizes[access.object] = access.size
        occupancy = occupancy + Occupancy(objects: 1, bytes: access.size)
        return true
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool { removeNextVictim(&sink) }

    mutating func nextVictim() -> Int? {
        if drawn == nil, members.count > 0 { drawn = members[random.next(below: members.count)] }
        return drawn
    }

    mutating func remove(_ object: Int) {
        guard contains(object) else { return }
        members.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
        if drawn == object { drawn = nil }
    }

    mutating func clear() {
        members.removeAll()
        occupancy = Occupancy()
        random.reset()
        drawn = nil
    }
}

extension RandomReplacement {
    static let entry = PolicyEntry(
        "random", "Evicts an object drawn at random; the seed decides which.",
        parameters: [.limits, .integer("seed", default: 0)]
    ) { RandomReplacement(try $0.limits(), seed: try $0.seed()) }
}
