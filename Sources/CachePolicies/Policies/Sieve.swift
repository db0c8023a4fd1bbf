/// SIEVE: a queue in which nobody ever moves. The hand goes from the oldest object to newer ones, takes away the marks
/// of those that were hit, and evicts the first that has none; new objects enter in front of everyone, so that the hand
/// sifts old from new.
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

    /// Moves the hand on to the victim, as the eviction does for which it is asked.
    @inline(__always) mutating func nextVictim() -> Int? { ring.passMarked() }
}

extension Sieve {
    static let entry = PolicyEntry(
        "sieve", "A hand evicts the first object that was not hit since it last came by; nobody moves.",
        parameters: [.limits]
    ) { Sieve(try $0.limits()) }
}
