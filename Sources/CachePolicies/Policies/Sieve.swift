/// SIEVE: a queue in which nobody ever moves. The hand goes from the oldest object to newer ones, takes away the marks of those that were
/// hit, and evicts the first that has none; new objects enter in front of everyone, so that the hand sifts old from new.
///
/// Yazhuo Zhang, Juncheng Yang, Yao Yue, Ymir Vigfusson, K. V. Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction
/// Algorithm for Web Caches", NSDI 2024, Algorithm 1. The paper counts objects; with bytes, the hand evicts until the new object fits.
struct Sieve: CachePolicy {
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
        while !limits.fits(access.size, beside: occupancy), let victim = ring.passMarked() {
            ring.removeAtHand(victim)
            sink.evicted(victim, .capacity)
        }
        ring.push(access.object, size: access.size)
        return true
    }

    /// Moves the hand on to the victim, as the eviction does for which it is asked.
    mutating func nextVictim() -> Int? { ring.passMarked() }

    @inline(__always) mutating func remove(_ object: Int) {
        if contains(object) { ring.remove(object) }
    }

    mutating func removeAll() { ring.removeAll() }
}

extension Sieve {
    static let entry = PolicyEntry(
        "sieve", "A hand evicts the first object that was not hit since it last came by; nobody moves.", parameters: [.limits]
    ) { Sieve(try $0.limits()) }
}
