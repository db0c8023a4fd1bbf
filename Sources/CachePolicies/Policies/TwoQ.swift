/// 2Q: new objects wait in a short FIFO queue, A1in. Objects that are requested again soon after they left it, while
/// A1out still remembers them, enter the LRU queue Am. Hits in A1in change nothing: they belong to the same visit.
///
/// Theodore Johnson, Dennis Shasha, "2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm", VLDB
/// 1994, the full version. `in` and `out` are the paper's Kin and Kout as shares of the capacity; A1out holds only the
/// names of objects, and is measured by their sizes.
///
/// Deviations: an object that A1out remembers is taken from it before room is made, not after, so that making room
/// cannot make A1out forget it. With bytes, an object larger than A1in's share may enter A1in all the same. If Am is
/// empty, A1in gives way.
///
/// `compat: libcachesim` refuses objects larger than A1in's share, which is every object if the capacity is below four
/// objects, and bounds Am by the rest of the capacity, which with bytes can make it give way although there is room.
struct TwoQ: VictimOrdered {
    private static let a1in = 0, am = 1, a1out = 2

    private var queues = QueueSet(queues: 3)
    let budget: Budget
    let kin: Int
    let kout: Int
    let compat: Compatibility

    init(_ limits: Limits, in: Double = 0.25, out: Double = 0.5, compat: Compatibility = .paper) {
        budget = Budget(limits)
        kin = budget.share(`in`)
        kout = budget.share(out)
        self.compat = compat
    }

    @inline(__always) var occupancy: Occupancy { queues.occupancy(of: Self.a1in) + queues.occupancy(of: Self.am) }

    func contains(_ object: Int) -> Bool { queues.place(of: object) <= Self.am }

    mutating func reserve(_ count: Int) { queues.reserve(count) }

    func prefetch(_ object: Int) { queues.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let place = queues.place(of: access.object)
        if place == Self.am { queues.moveToFront(access.object, in: Self.am) }
        return place <= Self.am ? .hit : .miss
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let remembered = queues.place(of: access.object) == Self.a1out
        remove(access.object)
        let size = budget.measure(access.size)
        guard budget.fitsAlone(access.size), compat == .paper || size <= kin else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        if remembered, compat != .paper {
            while held(Self.am) > budget.capacity - kin - size, let oldest = queues.back(Self.am) {
                evict(oldest, &sink)
            }
        }
        queues.pushFront(access.object, size: access.size, remembered ? Self.am : Self.a1in)
        return true
    }

    mutating func nextVictim() -> Int? {
        let waiting = queues.back(Self.a1in)
        return isA1inOver ? waiting : queues.back(Self.am) ?? waiting
    }

    @inline(__always) mutating func remove(_ object: Int) {
        let place = queues.place(of: object)
        if place != QueueSet.nowhere { queues.remove(object, from: place) }
    }

    mutating func clear() { queues.removeAll() }

    @inline(__always) private var isA1inOver: Bool { held(Self.a1in) > kin }

    @inline(__always) private func held(_ queue: Int) -> Int { queues.held(queue, budget) }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        if !isA1inOver, let oldest = queues.back(Self.am) {
            evict(oldest, &sink)
            return true
        }
        guard let victim = queues.back(Self.a1in) else { return false }
        queues.remember(victim, from: Self.a1in, in: Self.a1out, atMost: kout, budget)
        sink.evicted(victim, .capacity)
        return true
    }

    /// The object must be in Am.
    @inline(__always) private mutating func evict(_ victim: Int, _ sink: inout some EvictionSink) {
        queues.remove(victim, from: Self.am)
        sink.evicted(victim, .capacity)
    }
}

extension TwoQ {
    static let entry = PolicyEntry(
        "2q", "A FIFO for new objects, and an LRU for objects that are requested again after they left it.",
        parameters: [
            .limits, .fraction("in", default: 0.25), .fraction("out", default: 0.5),
            .compat,
        ]
    ) {
        TwoQ(
            try $0.limits(), in: try $0.fraction("in"), out: try $0.fraction("out"),
            compat: try $0.compat())
    }
}
