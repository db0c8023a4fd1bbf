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

extension Sieve {
    static let entry = PolicyEntry(
        "sieve", "A hand evicts the first object that was not hit since it last passed; objects never move.",
        parameters: [.limits]
    ) { Sieve(try $0.limits()) }
}
