/// QD-LP-FIFO: quick demotion and lazy promotion. New objects pass a small FIFO queue. Objects that were not hit there
/// leave, and ghosts remember them. Objects that were hit there, or that are requested while a ghost remembers them,
/// enter the main queue, a clock of two bits.
///
/// Juncheng Yang, Ziyue Qiu, Yazhuo Zhang, Yao Yue, K. V. Rashmi, "FIFO Can Be Better than LRU: the Power of Lazy
/// Promotion and Quick Demotion", HotOS 2023, section 4. `small` and `ghost` are the shares of the capacity for the
/// small queue and the ghosts; the rest is the main queue's. Ghosts are measured by the sizes of their objects. An
/// object moves to the main queue after `threshold` hits; `bits` are the bits of its clock.
///
/// Both queues keep to their shares even while the other has room, as in the paper, which gives the small queue a tenth
/// of the cache: objects leave it though everything would fit. With bytes, an object larger than the small queue's
/// share enters it when it is empty, and the main queue gives way.
///
/// `compat: libcachesim`: no object leaves until the whole cache is full, and then the small queue always gives way
/// first. An object that a ghost remembers makes the main queue give way too, if it exceeds its share with the object.
/// Objects as large as the small queue's share or larger are refused, which is every object if the capacity is below 20
/// objects.
struct QDLP: SegmentedPolicy {
    private static var small: Int { 0 }
    private static var main: Int { 1 }
    private static var ghost: Int { 2 }

    var queues = QueueSet(queues: 3)
    let budget: Budget
    let smallShare: Int
    let mainShare: Int
    let ghostShare: Int
    let threshold: Int
    let mostUses: Int
    let compat: Compatibility
    var residentQueues: Int { 2 }

    /// `threshold` is from 1 to 15, `bits` from 1 to 4.
    init(
        _ limits: Limits, small: Double = 0.1, ghost: Double = 0.9, threshold: Int = 1, bits: Int = 2,
        compat: Compatibility = .paper
    ) {
        budget = Budget(limits)
        smallShare = compat == .paper ? budget.capacity - budget.share(1 - small) : budget.share(small)
        mainShare = budget.capacity - smallShare
        ghostShare = budget.share(ghost)
        self.threshold = threshold
        mostUses = 1 << bits - 1
        self.compat = compat
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let queue = queues.place(of: access.object)
        guard queue < residentQueues else { return .miss }
        queues.countUse(access.object, upTo: queue == Self.small ? threshold : mostUses)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let remembered = queues.place(of: access.object) == Self.ghost
        let size = budget.measure(access.size)
        remove(access.object)
        guard budget.fitsAlone(access.size), compat == .paper || size <= smallShare else { return false }
        if compat != .paper {
            while !budget.fits(access.size, beside: occupancy) { demote(&sink) }
            guard remembered || size < smallShare else { return false }
            if remembered { makeRoomInMain(size, &sink) }
        } else {
            if remembered { makeRoomInMain(size, &sink) }
            while !remembered, held(Self.small) > smallShare &- size, queues.back(Self.small) != nil { demote(&sink) }
            while !budget.fits(access.size, beside: occupancy) { evictFromMain(&sink) }
        }
        queues.pushFront(access.object, size: access.size, remembered ? Self.main : Self.small)
        return true
    }

    /// Returns the object that leaves for a new one that enters a full small queue. Objects of the small queue that
    /// were hit go to the main queue before, as far as it has room.
    mutating func nextVictim() -> Int? {
        while let oldest = queues.back(Self.small), queues.uses(of: oldest) >= threshold {
            let size = budget.measure(queues.size(of: oldest))
            if held(Self.main) > mainShare &- size, let victim = queues.oldestUnused(Self.main) { return victim }
            promote(oldest)
        }
        return queues.back(Self.small) ?? queues.oldestUnused(Self.main)
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        if queues.place(of: victim) == Self.small {
            queues.remember(victim, from: Self.small, in: Self.ghost, atMost: ghostShare, budget)
        } else {
            queues.remove(victim)
        }
        sink.evicted(victim, .capacity)
        return true
    }

    private mutating func promote(_ object: Int) {
        queues.move(object, from: Self.small, to: Self.main)
        queues.setUses(object, 0)
    }

    private func held(_ queue: Int) -> Int { queues.held(queue, budget) }

    /// Moves the oldest object of the small queue to the main queue, or evicts it. If the small queue is empty, an
    /// object leaves the main queue.
    private mutating func demote(_ sink: inout some EvictionSink) {
        guard let oldest = queues.back(Self.small) else { return evictFromMain(&sink) }
        if queues.uses(of: oldest) >= threshold {
            makeRoomInMain(budget.measure(queues.size(of: oldest)), &sink)
            promote(oldest)
        } else {
            queues.remember(oldest, from: Self.small, in: Self.ghost, atMost: ghostShare, budget)
            sink.evicted(oldest, .capacity)
        }
    }

    private mutating func makeRoomInMain(_ size: Int, _ sink: inout some EvictionSink) {
        while held(Self.main) > mainShare &- size, queues.back(Self.main) != nil { evictFromMain(&sink) }
    }

    private mutating func evictFromMain(_ sink: inout some EvictionSink) {
        guard let victim = queues.oldestUnused(Self.main) ?? queues.back(Self.small) else { return }
        queues.remove(victim)
        sink.evicted(victim, .capacity)
    }
}

extension QDLP {
    static let entry = PolicyEntry(
        "qdlp", "A small FIFO for new objects before a clock of two bits, and ghosts.",
        parameters: [
            .limits, .fraction("small", default: 0.1), .fraction("ghost", default: 0.9),
            .integer("threshold", default: 1),
            .integer("bits", default: 2), .compat,
        ]
    ) {
        QDLP(
            try $0.limits(), small: try $0.fraction("small"), ghost: try $0.fraction("ghost"),
            threshold: try $0.integer("threshold", in: 1...15), bits: try $0.integer("bits", in: 1...4),
            compat: try $0.compat())
    }
}
