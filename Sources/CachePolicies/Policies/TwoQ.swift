/// 2Q: new objects wait in a short FIFO, A1in. Those that are asked for again soon after they left it, while A1out still remembers them,
/// enter the LRU of the proven, Am. Hits in A1in change nothing: they belong to the same visit.
///
/// Theodore Johnson, Dennis Shasha, "2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm", VLDB 1994, the full
/// version. `in` and `out` are the paper's Kin and Kout as parts of the capacity; A1out holds no objects, only their names, and is measured
/// by what they would take.
///
/// Deviations: an object that A1out remembers is taken from it before room is made, not after, and cannot be forgotten by the room made for it.
/// With bytes, an object larger than A1in's share may enter A1in all the same. Where Am is empty, A1in gives way.
///
/// `compat: libcachesim` refuses objects larger than A1in's share, which is every object where the capacity is below four objects, and bounds Am
/// by what that share leaves, which with bytes can make it give way although there is room.
struct TwoQ: SegmentedPolicy {
    /// The queues.
    private static var a1in: Int { 0 }
    private static var am: Int { 1 }
    private static var a1out: Int { 2 }

    var queues = QueueSet(queues: 3)
    let budget: Budget
    let kin: Int
    let kout: Int
    let isLibCacheSim: Bool
    var residentQueues: Int { 2 }

    init(_ limits: Limits, in: Double = 0.25, out: Double = 0.5, isLibCacheSim: Bool = false) {
        budget = Budget(limits)
        kin = budget.share(`in`)
        kout = budget.share(out)
        self.isLibCacheSim = isLibCacheSim
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        switch queues.place(of: access.object) {
        case Self.am:
            queues.moveToFront(access.object, Self.am)
            return .hit
        case Self.a1in: return .hit
        default: return .miss
        }
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let remembered = queues.place(of: access.object) == Self.a1out
        remove(access.object)
        guard budget.fitsAlone(access.size), !isLibCacheSim || budget.measure(access.size) <= kin else { return false }
        while !budget.fits(access.size, beside: occupancy), let victim = nextVictim() { evict(victim, &sink) }
        if isLibCacheSim, remembered {
            while held(Self.am) > budget.capacity - kin - budget.measure(access.size), let oldest = queues.back(Self.am) { evict(oldest, &sink) }
        }
        queues.pushFront(access.object, size: access.size, remembered ? Self.am : Self.a1in)
        return true
    }

    mutating func nextVictim() -> Int? {
        let a1in = queues.back(Self.a1in)
        if held(Self.a1in) > kin { return a1in }
        return queues.back(Self.am) ?? a1in
    }

    private func held(_ queue: Int) -> Int { budget.measure(queues.occupancy(of: queue)) }

    private mutating func evict(_ victim: Int, _ sink: inout some EvictionSink) {
        if queues.place(of: victim) == Self.a1in {
            remember(victim, Self.a1out, atMost: kout, budget)
        } else {
            queues.remove(victim)
        }
        sink.evicted(victim, .capacity)
    }
}

extension TwoQ {
    static let entry = PolicyEntry(
        "2q", "A FIFO for new objects, an LRU for those asked for again after they left it.",
        parameters: [
            .limits, .fraction("in", default: 0.25), .fraction("out", default: 0.5),
            .choice("compat", ["paper", "libcachesim"], default: "paper"),
        ]
    ) {
        TwoQ(
            try $0.limits(), in: try $0.fraction("in"), out: try $0.fraction("out"),
            isLibCacheSim: try $0.choice("compat") == "libcachesim")
    }
}
