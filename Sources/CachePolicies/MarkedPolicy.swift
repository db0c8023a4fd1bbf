/// A policy that is one ``MarkedRing``: a hit marks, and objects leave until the new one fits. What remains to be
/// written is where the hand finds the next victim, ``CachePolicy/nextVictim()``, at which it must stand then.
protocol MarkedPolicy: CachePolicy {
    var ring: MarkedRing { get set }
    var limits: Limits { get }
}

extension MarkedPolicy {
    @inline(__always) var occupancy: Occupancy { ring.occupancy }

    func contains(_ object: Int) -> Bool { ring.contains(object) }

    mutating func reserve(_ count: Int) { ring.reserve(count) }

    @inline(__always) func prefetch(_ object: Int) { ring.prefetch(object) }

    @inline(__always) mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        ring.mark(access.object) ? .hit : .miss
    }

    @inline(__always) mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: occupancy), let victim = nextVictim() {
            ring.removeAtHand(victim)
            sink.evicted(victim, .capacity)
        }
        ring.push(access.object, size: access.size)
        return true
    }

    @inline(__always) mutating func remove(_ object: Int) {
        if ring.contains(object) { ring.remove(object) }
    }

    mutating func removeAll() { ring.removeAll() }
}
