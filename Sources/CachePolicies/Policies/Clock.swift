/// Clock: first in, first out, with a further round for whoever was asked for meanwhile. A hit writes one byte and moves nothing.
///
/// F. J. Corbató, "A Paging Experiment with the Multics System", MIT Project MAC Report MAC-M-384, 1968. The hand that goes round over
/// pages is here a queue whose end is put in front again: the same order. `bits` makes the reference bit a counter that saturates at
/// 2^bits - 1 and loses one with each round. An object enters with a count of 0: its own request is not counted.
///
/// `fifo-reinsertion`, also called second chance, is the same algorithm with one bit, and `fifo-reinsertion(…)` here another name of
/// `clock(…, bits: 1)`.
struct Clock: SegmentedPolicy {
    var queues = FIFOSet(queues: 1)
    let limits: Limits
    let mostUses: Int
    var residentQueues: Int { 1 }

    /// `bits` is from 1 to 4.
    init(_ limits: Limits, bits: Int = 1) {
        self.limits = limits
        mostUses = 1 << bits - 1
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard contains(access.object) else { return .miss }
        queues.countUse(access.object, upTo: mostUses)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        guard limits.fits(access.size, beside: Occupancy()) else { return false }
        while !limits.fits(access.size, beside: queues.occupancy(of: 0)), let victim = nextVictim() {
            queues.removeBack(0)
            sink.evicted(victim, .capacity)
        }
        queues.pushFront(access.object, size: access.size, 0)
        return true
    }

    /// Moves the hand on to the victim, as the eviction does for which it is asked.
    @inline(__always) mutating func nextVictim() -> Int? { queues.oldestUnused(0) }
}

extension Clock {
    static let entry = PolicyEntry(
        "clock", "First in, first out, with another round for objects that were hit.",
        parameters: [.limits, .integer("bits", default: 1)]
    ) { Clock(try $0.limits(), bits: try $0.integer("bits", in: 1...4)) }

    static let reinsertionEntry = PolicyEntry(
        "fifo-reinsertion", "Second chance: clock with one bit, by its other name.", parameters: [.limits]
    ) { Clock(try $0.limits()) }
}
