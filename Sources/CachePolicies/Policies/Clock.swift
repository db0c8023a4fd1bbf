/// Clock with a counter in place of the reference bit: first in, first out, with another round for objects that were
/// requested meanwhile.
///
/// F. J. Corbató, "A Paging Experiment with the Multics System", MIT Project MAC Report MAC-M-384, 1968. The hand that
/// goes round over pages is here a queue whose end moves to the front again: the same order. The counter of `bits` bits
/// saturates at 2^bits - 1 and loses one with each round. An object enters with a count of 0: its own request is not
/// counted. With one bit, ``SecondChance`` gives the same result faster.
struct Clock: CountingPolicy {
    var queues = QueueSet(queues: 1)
    let limits: Limits
    let mostUses: Int

    /// `bits` is from 1 to 4.
    init(_ limits: Limits, bits: Int) {
        self.limits = limits
        mostUses = 1 << bits - 1
    }

    /// Moves the hand to the victim, as the eviction would do.
    @inline(__always) mutating func nextVictim() -> Int? { queues.oldestUnused(0) }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        queues.remove(victim, from: 0)
        sink.evicted(victim, .capacity)
        return true
    }
}

extension Clock {
    static let entry = PolicyEntry(
        "clock", "First in, first out, with another round for objects that were hit.",
        parameters: [.limits, .integer("bits", default: 1)]
    ) {
        let bits = try $0.integer("bits", in: 1...4)
        return bits == 1 ? SecondChance(try $0.limits()) : Clock(try $0.limits(), bits: bits)
    }
}
