/// SIEVE: a queue in which objects never move. The hand goes from the oldest object to newer ones, removes the marks of
/// objects that were hit, and evicts the first object without a mark. New objects enter in front of all others, so the
/// hand separates old from new.
///
/// Yazhuo Zhang, Juncheng Yang, Yao Yue, Ymir Vigfusson, K. V. Rashmi, "SIEVE is Simpler than LRU: an Efficient
/// Turn-Key Eviction Algorithm for Web Caches", NSDI 2024, Algorithm 1. The paper counts objects; with bytes, the hand
/// evicts until the new object fits.
struct Sieve: MarkedPolicy {
    var ring: MarkedRing
    let limits: Limits

    init(_ limits: Limits) {
        self.limits = limits
        ring = MarkedRing(limits)
    }

    /// Moves the hand to the victim, as the eviction would do.
    @inline(__always) mutating func nextVictim() -> Int? { ring.advanceClearingMarks() }
}

/// SIEVE-k: ``Sieve`` with a counter in place of the mark. A hit adds one, up to `k`, and the hand takes one as it
/// passes. So an object that was hit often survives a scan that is longer than the cache.
///
/// Marc Brooker, "Why Aren't We SIEVE-ing?", 2023. With a `k` of 1, ``Sieve`` gives the same result faster. An eviction
/// passes each object at most `k` times.
struct CountingSieve: CountingPolicy {
    var queues = QueueSet(queues: 1)
    let limits: Limits
    let mostUses: Int
    /// Where the search for the next object without a use begins; nil: at the oldest.
    private var hand: Int?

    /// `k` is from 1 to 15.
    init(_ limits: Limits, k: Int) {
        self.limits = limits
        mostUses = k
    }

    /// Moves the hand to the victim, as the eviction would do.
    @inline(__always) mutating func nextVictim() -> Int? {
        while let object = hand ?? queues.back(0) {
            hand = object
            let uses = queues.uses(of: object)
            guard uses > 0 else { return object }
            queues.setUses(object, uses &- 1)
            hand = queues.ahead(of: object)
        }
        return nil
    }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        remove(victim)
        sink.evicted(victim, .capacity)
        return true
    }

    @inline(__always) mutating func remove(_ object: Int) {
        guard contains(object) else { return }
        if hand == object { hand = queues.ahead(of: object) }
        queues.remove(object, from: 0)
    }

    mutating func clear() {
        queues.removeAll()
        hand = nil
    }
}

extension Sieve {
    static let entry = PolicyEntry(
        "sieve",
        """
        A hand evicts the first object that was not hit since it last passed; objects never move. Up to k hits count, \
        and each pass takes one.
        """,
        parameters: [.limits, .integer("k", default: 1)]
    ) {
        let k = try $0.integer("k", in: 1...15)
        return k == 1 ? Sieve(try $0.limits()) : CountingSieve(try $0.limits(), k: k)
    }
}
