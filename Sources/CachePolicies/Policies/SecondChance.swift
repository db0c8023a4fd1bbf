/// Clock with one reference bit: first in, first out, with another round for objects that were requested meanwhile. A
/// hit writes one bit and moves nothing. An object enters without its bit: its own request is not counted.
///
/// F. J. Corbató, "A Paging Experiment with the Multics System", MIT Project MAC Report MAC-M-384, 1968. Second chance
/// and FIFO-reinsertion are other names of it: an object that the hand passes is then behind all others, as after a
/// reinsertion.
struct SecondChance: MarkedPolicy {
    var ring: MarkedRing
    let limits: Limits

    init(_ limits: Limits) {
        self.limits = limits
        ring = MarkedRing(limits)
    }

    /// Moves the hand to the victim, as the eviction would do.
    @inline(__always) mutating func nextVictim() -> Int? { ring.advanceReinsertingMarked() }
}

extension SecondChance {
    static let entry = PolicyEntry(
        "fifo-reinsertion", "Second chance: clock with one bit, by its other name.", parameters: [.limits]
    ) { SecondChance(try $0.limits()) }
}
