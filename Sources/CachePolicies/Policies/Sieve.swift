/// SIEVE: a queue in which nobody ever moves. The hand goes from the oldest object to newer ones, takes away the marks of those that were
/// hit, and evicts the first that has none; new objects enter in front of everyone, so that the hand sifts old from new.
///
/// Yazhuo Zhang, Juncheng Yang, Yao Yue, Ymir Vigfusson, K. V. Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction
/// Algorithm for Web Caches", NSDI 2024, Algorithm 1. The paper counts objects; with bytes, the hand evicts until the new object fits.
struct Sieve: SegmentedPolicy {
    var queues = QueueSet(queues: 1)
    let limits: Limits
    /// Where the next search begins, an object that is held; nil: at the oldest.
    var hand: Int?
    var residentQueues: Int { 1 }

    init(_ limits: Limits) { self.limits = limits }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard contains(access.object) else { return .miss }
        queues.countUse(access.object, upTo: 1)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: queues.occupancy(of: 0)), let victim = nextVictim() {
            remove(victim)
            sink.evicted(victim, .capacity)
        }
        queues.pushFront(access.object, size: access.size, 0)
        return true
    }

    /// Moves the hand on to the victim, as the eviction does for which it is asked.
    @inline(__always) mutating func nextVictim() -> Int? {
        while let object = hand ?? queues.back(0) {
            hand = object
            guard queues.uses(of: object) > 0 else { return object }
            queues.setUses(object, 0)
            hand = queues.ahead(of: object)
        }
        return nil
    }

    @inline(__always) mutating func remove(_ object: Int) {
        guard contains(object) else { return }
        if hand == object { hand = queues.ahead(of: object) }
        queues.remove(object)
    }

    mutating func removeAll() {
        queues.removeAll()
        hand = nil
    }
}

extension Sieve {
    static let entry = PolicyEntry(
        "sieve", "A hand evicts the first object that was not hit since it last came by; nobody moves.", parameters: [.limits]
    ) { Sieve(try $0.limits()) }
}
