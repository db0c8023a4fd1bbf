/// Clock with one reference bit: first in, first out, with a further round for whoever was asked for meanwhile. A hit writes one bit and moves
/// nothing. An object enters without its bit: its own request is not counted.
///
/// F. J. Corbató, "A Paging Experiment with the Multics System", MIT Project MAC Report MAC-M-384, 1968. Second chance and
/// FIFO-reinsertion are other names of it: a hand that goes on leaves whom it passes behind everyone, as reinsertion does.
struct SecondChance: CachePolicy {
    private var ring: MarkedRing
    let limits: Limits

    init(_ limits: Limits) {
        self.limits = limits
        ring = MarkedRing(limits)
    }

    @inline(__always) var occupancy: Occupancy { ring.occupancy }

    func contains(_ object: Int) -> Bool { ring.contains(object) }

    mutating func reserve(_ count: Int) { ring.reserve(count) }

    func prefetch(_ object: Int) { ring.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        ring.mark(access.object) ? .hit : .miss
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), let victim = ring.renewMarked() {
            ring.removeAtHand(victim)
            sink.evicted(victim, .capacity)
        }
        ring.push(access.object, size: access.size)
        return true
    }

    /// Moves the hand on to the victim, as the eviction does for which it is asked.
    mutating func nextVictim() -> Int? { ring.renewMarked() }

    @inline(__always) mutating func remove(_ object: Int) {
        if contains(object) { ring.remove(object) }
    }

    mutating func removeAll() { ring.removeAll() }
}

extension SecondChance {
    static let entry = PolicyEntry(
        "fifo-reinsertion", "Second chance: clock with one bit, by its other name.", parameters: [.limits]
    ) { SecondChance(try $0.limits()) }
}
