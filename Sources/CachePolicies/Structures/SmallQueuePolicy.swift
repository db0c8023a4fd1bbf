/// A policy of three queues: a small one for new objects, S, a main one, M, and the ghosts of S, G. Objects that were
/// hit often enough in S move to M. A conforming type implements `lookup` and `admit`.
protocol SmallQueuePolicy: SegmentedPolicy {
    var budget: Budget { get }
    var smallShare: Int { get }
    var mainShare: Int { get }
    var ghostShare: Int { get }
    var compat: Compatibility { get }
    /// The hits that lift an object from S to M.
    var threshold: Int { get }
    /// How many hits of an object count in M.
    var mostMainUses: Int { get }
    /// Whether an object has been evicted.
    var hasEvicted: Bool { get set }
    /// The result of ``VictimOrdered/nextVictim()`` until the eviction: the moves of the search may have made it
    /// another queue's turn.
    var victim: Int? { get set }
}

extension SmallQueuePolicy {
    static var small: Int { 0 }
    static var main: Int { 1 }
    static var ghost: Int { 2 }

    var residentQueues: Int { 2 }

    @inline(__always) var isPaper: Bool { compat == .paper }

    @inline(__always) func held(_ queue: Int) -> Int { queues.held(queue, budget) }

    /// Moves the objects before the victim to their next round, or from S to M, as the eviction would do.
    @inline(__always) mutating func nextVictim() -> Int? {
        if let victim, contains(victim) {
            let queue = queues.place(of: victim)
            if queues.back(queue) == victim, queues.uses(of: victim) < (queue == Self.small ? threshold : 1) {
                return victim
            }
        }
        victim = findVictim()
        return victim
    }

    @inline(__always) private mutating func findVictim() -> Int? {
        let smallGivesWay = isPaper ? held(Self.small) >= smallShare : held(Self.main) <= mainShare
        if smallGivesWay || queues.back(Self.main) == nil {
            while let oldest = queues.back(Self.small) {
                guard queues.uses(of: oldest) >= threshold else { return oldest }
                queues.move(oldest, from: Self.small, to: Self.main)
                queues.setUses(oldest, 0)
                if isPaper, held(Self.main) > mainShare { break }
            }
        }
        return queues.oldestUnused(Self.main, counting: mostMainUses) ?? queues.back(Self.small)
    }

    @inline(__always) mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        hasEvicted = true
        self.victim = nil
        if queues.place(of: victim) == Self.small {
            queues.remember(victim, from: Self.small, in: Self.ghost, atMost: ghostShare, budget)
        } else {
            queues.remove(victim, from: Self.main)
        }
        sink.evicted(victim, .capacity)
        return true
    }

    /// Empties the queues.
    mutating func removeAll() {
        queues.removeAll()
        hasEvicted = false
        victim = nil
    }
}
