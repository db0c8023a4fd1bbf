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
struct TwoQ: CachePolicy {
    private static var a1in: Int { 0 }
    private static var a1out: Int { 1 }

    /// A1in and A1out.
    private var fifos = FIFOSet(queues: 2)
    private var am = QueueSet(queues: 1)
    let budget: Budget
    let kin: Int
    let kout: Int
    let isLibCacheSim: Bool

    init(_ limits: Limits, in: Double = 0.25, out: Double = 0.5, isLibCacheSim: Bool = false) {
        budget = Budget(limits)
        kin = budget.share(`in`)
        kout = budget.share(out)
        self.isLibCacheSim = isLibCacheSim
    }

    @inline(__always) var occupancy: Occupancy { fifos.occupancy(of: Self.a1in) + am.occupancy(of: 0) }

    func contains(_ object: Int) -> Bool { am.place(of: object) == 0 || fifos.place(of: object) == Self.a1in }

    mutating func reserve(_ count: Int) {
        fifos.reserve(count)
        am.reserve(count)
    }

    func prefetch(_ object: Int) {
        fifos.prefetch(object)
        am.prefetch(object)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        if am.place(of: access.object) == 0 {
            am.moveToFront(access.object, 0)
            return .hit
        }
        return fifos.place(of: access.object) == Self.a1in ? .hit : .miss
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let remembered = fifos.place(of: access.object) == Self.a1out
        remove(access.object)
        let size = budget.measure(access.size)
        guard budget.fitsAlone(access.size), !isLibCacheSim || size <= kin else { return false }
        while !budget.fits(access.size, beside: occupancy) { evict(&sink) }
        guard remembered else {
            fifos.pushFront(access.object, size: access.size, Self.a1in)
            return true
        }
        if isLibCacheSim {
            while budget.measure(am.occupancy(of: 0)) > budget.capacity - kin - size, let oldest = am.back(0) { evict(oldest, &sink) }
        }
        am.pushFront(access.object, size: access.size, 0)
        return true
    }

    mutating func nextVictim() -> Int? {
        let waiting = fifos.back(Self.a1in)
        return isA1inOver ? waiting : am.back(0) ?? waiting
    }

    @inline(__always) mutating func remove(_ object: Int) {
        if am.place(of: object) == 0 { am.remove(object) }
        if fifos.place(of: object) != QueueSet.nowhere { fifos.remove(object) }
    }

    mutating func removeAll() {
        fifos.removeAll()
        am.removeAll()
    }

    @inline(__always) private var isA1inOver: Bool { budget.measure(fifos.occupancy(of: Self.a1in)) > kin }

    @inline(__always) private func evict(_ sink: inout some EvictionSink) {
        if !isA1inOver, let oldest = am.back(0) { return evict(oldest, &sink) }
        guard let victim = fifos.back(Self.a1in) else { return }
        fifos.rememberBack(Self.a1in, Self.a1out, atMost: kout, budget)
        sink.evicted(victim, .capacity)
    }

    /// The object must be in Am.
    @inline(__always) private func evict(_ victim: Int, _ sink: inout some EvictionSink) {
        am.remove(victim)
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
