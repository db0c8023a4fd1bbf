/// Multi-Queue: LRU queues by the logarithm of how often objects were requested. An object that is not requested during
/// a lifetime sinks by one queue. Victims come from the lowest queue that is not empty, and their counts are remembered
/// for a while.
///
/// Yuanyuan Zhou, James F. Philbin, Kai Li, "The Multi-Queue Replacement Algorithm for Second Level Buffer Caches",
/// USENIX Annual Technical Conference 2001. `queues` is the paper's m, `out` the size of its Qout in capacities (there
/// four), `lifetime` its lifeTime, in lookups.
///
/// Deviations: the paper sets lifeTime to the most frequent distance between two requests for one object, which it
/// measures as it runs; here it is a parameter, and 0, the default, stands for twice as many lookups as objects are
/// held. Qout is measured by the sizes of its objects. At each lookup, at most one object sinks from each queue, as in
/// the paper.
struct MQ: SegmentedPolicy {
    var queues: QueueSet
    let budget: Budget
    let residentQueues: Int
    let outShare: Int
    let lifetime: Int
    /// By object: the number of requests since it has been held or remembered.
    private var counts = UncheckedArray<UInt32>(repeating: 0)
    /// By object that is held: the lookup after which it sinks.
    private var expirations = UncheckedArray<Int>(repeating: 0)
    /// Lookups so far.
    private var now = 0

    /// `queues` is from 1 to 14.
    init(_ limits: Limits, queues: Int = 8, lifetime: Int = 0, out: Int = 4) {
        self.queues = QueueSet(queues: queues + 1)
        budget = Budget(limits)
        residentQueues = queues
        outShare = budget.share(Double(out))
        self.lifetime = lifetime
    }

    private var ghosts: Int { residentQueues }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        counts.reserve(count)
        expirations.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        now &+= 1
        adjust()
        guard contains(access.object) else { return .miss }
        count(access.object)
        queues.moveToFront(access.object, queue(of: access.object))
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        // Qout forgets the object only after room has been made for it.
        if queues.place(of: access.object) != ghosts { counts[access.object] = 0 }
        remove(access.object)
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        count(access.object)
        queues.pushFront(access.object, size: access.size, queue(of: access.object))
        return true
    }

    mutating func nextVictim() -> Int? {
        for queue in 0..<residentQueues {
            if let oldest = queues.back(queue) { return oldest }
        }
        return nil
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        queues.remember(victim, from: queues.place(of: victim), in: ghosts, atMost: outShare, budget)
        sink.evicted(victim, .capacity)
        return true
    }

    mutating func clear() {
        queues.removeAll()
        now = 0
    }

    private func count(_ object: Int) {
        if counts[object] < .max { counts[object] &+= 1 }
        renew(object)
    }

    private func renew(_ object: Int) {
        let length = lifetime > 0 ? lifetime : 2 &* occupancy.objects
        expirations[object] = now &+ length
    }

    private func queue(of object: Int) -> Int {
        min(UInt32.bitWidth &- 1 &- counts[object].leadingZeroBitCount, residentQueues &- 1)
    }

    /// Moves the least recent object of each queue but the lowest down by one queue if its lifetime is over.
    private func adjust() {
        for queue in 1..<max(residentQueues, 1) {
            guard let oldest = queues.back(queue), expirations[oldest] < now else { continue }
            queues.moveToFront(oldest, queue &- 1)
            renew(oldest)
        }
    }
}

extension MQ {
    static let entry = PolicyEntry(
        "mq", "LRU queues by the logarithm of how often objects were requested.",
        parameters: [
            .limits, .integer("queues", default: 8), .integer("lifetime", default: 0), .integer("out", default: 4),
        ]
    ) {
        MQ(
            try $0.limits(), queues: try $0.integer("queues", in: 1...14),
            lifetime: try $0.integer("lifetime", in: 0 ... .max / 4),
            out: try $0.integer("out", in: 0...1_000_000))
    }
}
