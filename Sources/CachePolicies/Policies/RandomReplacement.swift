import Basics

/// The victim is drawn evenly from all held objects: the baseline for other policies.
///
/// L. A. Belady, "A Study of Replacement Algorithms for a Virtual-Storage Computer", IBM Systems Journal 5(2), 1966,
/// compares with it.
struct RandomReplacement: VictimOrdered {
    private var members = ObjectSet()
    /// By position among the members, so that sizes of held objects lie together.
    private var sizes = SizeTable()
    private let limits: Limits
    private var random: SplitMix64
    /// The victim that was drawn for ``nextVictim()`` and has not left yet; -1 if there is none.
    private var drawn = -1
    // Objects and bytes lie apart: reading a pair as one after writing its halves makes the processor wait.
    private var bytes = 0

    init(_ limits: Limits, seed: UInt64) {
        self.limits = limits
        random = SplitMix64(seed: seed)
    }

    @inline(__always) var occupancy: Occupancy { Occupancy(objects: members.count, bytes: bytes) }

    @inline(__always) func contains(_ object: Int) -> Bool { members.contains(object) }

    mutating func reserve(_ count: Int) {
        members.reserve(count)
        sizes.reserve(count)
    }

    @inline(__always) func prefetch(_ object: Int) { members.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        contains(access.object) ? .hit : .miss
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), evictNext(&sink) {}
        sizes[members.count] = access.size
        members.insert(access.object)
        bytes &+= access.size
        return true
    }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard drawn < 0 else { return removeNextVictim(&sink) }
        guard members.count > 0 else { return false }
        // `nextVictim()` draws the same number, and its position is known.
        let position = random.next(below: members.count)
        let victim = members[position]
        remove(victim, at: position)
        sink.evicted(victim, .capacity)
        return true
    }

    mutating func nextVictim() -> Int? {
        if drawn < 0, members.count > 0 { drawn = members[random.next(below: members.count)] }
        return drawn < 0 ? nil : drawn
    }

    @inline(__always) mutating func remove(_ object: Int) {
        guard let position = members.position(of: object) else { return }
        remove(object, at: position)
        if drawn == object { drawn = -1 }
    }

    /// The object is the member at `position`.
    @inline(__always) private mutating func remove(_ object: Int, at position: Int) {
        bytes &-= sizes[position]
        sizes.copy(from: members.count &- 1, to: position)
        members.remove(object, at: position)
    }

    mutating func clear() {
        members.removeAll()
        bytes = 0
        random.reset()
        drawn = -1
    }
}

extension RandomReplacement {
    static let entry = PolicyEntry(
        "random", "Evicts an object drawn at random; the seed decides which.",
        parameters: [.limits, .integer("seed", default: 0)]
    ) { RandomReplacement(try $0.limits(), seed: try $0.seed()) }
}
