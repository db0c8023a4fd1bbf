/// Ranks objects by the distance between their last two accesses, instead of the time since the last one. Objects with
/// a short distance (LIR) hold most of the cache. All others (HIR) pass through a small queue, and are remembered for a
/// while in case they return soon.
///
/// Song Jiang and Xiaodong Zhang: LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy to Improve
/// Buffer Cache Performance, SIGMETRICS 2002. The stack S and the queue Q are the paper's. `hir` is the HIR objects'
/// share, 1 % there. The paper leaves open how long S may grow; here, while S holds more than `stack` times the
/// capacity, non-resident objects leave it in the order of their evictions.
///
/// For sizes, everything is measured in bytes, see ``Budget``:
/// - LIR objects hold at most the capacity less the HIR share; HIR objects may use all that LIR objects leave, so that
///   an object larger than the HIR share can enter.
/// - As many LIR objects as necessary become HIR for one that becomes LIR; an object larger than the LIR share stays
///   HIR.
/// - New objects become LIR while they fit into the LIR share, as they do in the paper until it is full for the first
///   time.
///
/// `compat: libcachesim` differs even with one size:
/// - An object that is hit in Q, but is not in S, stays HIR, and yet LIR objects become HIR as if for it.
/// - HIR objects never hold more than their share; new objects larger than that are refused.
/// - If that evicts the very object that was hit in Q, libCacheSim continues to count it as held, above its capacity.
///   Here it is not held: its next access is a miss, where it is a hit in libCacheSim.
///
/// An object that is admitted again while it is held stays LIR or HIR.
struct LIRS: VictimOrdered {
    /// The states of an object, one byte each: a lookup reads nothing else.
    static let absent: UInt8 = 0, lir: UInt8 = 1, hirInBoth: UInt8 = 2, hirInQ: UInt8 = 3, nonresident: UInt8 = 4

    /// The queues of `lists`: the paper's Q, and the non-resident objects by eviction.
    static let q = 0, history = 1

    let budget: Budget
    let lirLimit: Int
    let hirLimit: Int
    let stackLimit: Int
    let compat: Compatibility
    var states = UncheckedArray<UInt8>(repeating: Self.absent)
    var sizes = SizeTable()
    /// S; its last object is LIR, see ``prune()``.
    var stack = LinkedQueue()
    var stacked = 0
    var lists = LinkedQueue(queues: 2)
    var lirHeld = Occupancy()
    var hirHeld = Occupancy()

    init(_ limits: Limits, hir: Double = 0.01, stack: Int = 2, compat: Compatibility = .paper) {
        budget = Budget(limits)
        hirLimit = max(1, budget.share(hir))
        lirLimit = max(0, budget.capacity - hirLimit)
        let (product, overflows) = budget.capacity.multipliedReportingOverflow(by: stack)
        stackLimit = overflows ? .max : product
        self.compat = compat
    }

    var occupancy: Occupancy { lirHeld + hirHeld }

    func contains(_ object: Int) -> Bool { states[object] &- Self.lir <= Self.hirInQ &- Self.lir }

    mutating func reserve(_ count: Int) {
        states.reserve(count)
        sizes.reserve(count)
        stack.reserve(count)
        lists.reserve(count)
    }

    func prefetch(_ object: Int) {
        states.prefetch(object)
        stack.prefetch(object)
        lists.prefetch(object)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let object = access.object
        switch states[object] {
        case Self.lir:
            let wasLast = stack.back() == object
            stack.moveToFront(object)
            if wasLast { prune() }
        case Self.hirInBoth:
            stack.moveToFront(object)
            hitInStack(object, &sink)
        case Self.hirInQ:
            lists.moveToFront(object, Self.q)
            hitInQueue(object, &sink)
        default: return .miss
        }
        return .hit
    }

    /// Makes an HIR object that has returned soon an LIR object.
    mutating func hitInStack(_ object: Int, _ sink: inout some EvictionSink) {
        let size = budget.measure(sizes[object])
        guard size <= lirLimit else { return lists.moveToFront(object, Self.q) }
        lists.remove(object)
        leave(&hirHeld, object)
        // Before the pruning, which would otherwise remove it.
        states[object] = Self.lir
        makeRoomForLIR(size, &sink)
        enter(&lirHeld, object)
    }

    mutating func hitInQueue(_ object: Int, _ sink: inout some EvictionSink) {
        if compat != .paper { makeRoomForLIR(budget.measure(sizes[object]), &sink) }
        stack.pushFront(object)
        stacked &+= budget.measure(sizes[object])
        if states[object] == Self.absent {
            states[object] = Self.nonresident
            lists.pushFront(object, Self.history)
        } else {
            states[object] = Self.hirInBoth
        }
        prune()
        limitStack()
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let size = budget.measure(access.size)
        // A non-resident object that is still in S has returned soon.
        let isHot = (states[object] == Self.nonresident || states[object] == Self.lir) && size <= lirLimit
        remove(object)
        guard budget.fitsAlone(access.size), isHot || compat == .paper || size <= min(lirLimit, hirLimit) else {
            return false
        }
        let becomesLIR = isHot || size <= lirLimit &- measure(lirHeld)
        if becomesLIR {
            makeRoomForLIR(size, &sink)
        } else if compat != .paper {
            while size > hirLimit &- measure(hirHeld) { evictFromQueue(&sink) }
        }
        while !budget.fits(access.size, beside: occupancy) { makeRoom(&sink) }
        sizes[object] = access.size
        stack.pushFront(object)
        stacked &+= size
        if becomesLIR {
            states[object] = Self.lir
            enter(&lirHeld, object)
        } else {
            states[object] = Self.hirInBoth
            lists.pushFront(object, Self.q)
            enter(&hirHeld, object)
        }
        prune()
        limitStack()
        return true
    }

    mutating func makeRoomForLIR(_ size: Int, _ sink: inout some EvictionSink) {
        while size > lirLimit &- measure(lirHeld), lirHeld.objects > 0 { demoteLast(&sink) }
    }

    /// The LIR object at the bottom of S becomes HIR.
    mutating func demoteLast(_ sink: inout some EvictionSink) {
        guard let object = stack.back() else { return }
        leaveStack(object)
        leave(&lirHeld, object)
        let size = budget.measure(sizes[object])
        if compat != .paper {
            while size > hirLimit &- measure(hirHeld), hirHeld.objects > 0 { evictFromQueue(&sink) }
        }
        if compat != .paper && size > hirLimit {
            states[object] = Self.absent
            sink.evicted(object, .capacity)
        } else {
            states[object] = Self.hirInQ
            lists.pushFront(object, Self.q)
            enter(&hirHeld, object)
        }
        prune()
    }

    mutating func evictFromQueue(_ sink: inout some EvictionSink) {
        guard let victim = lists.back(Self.q) else { return }
        lists.remove(victim)
        leave(&hirHeld, victim)
        if states[victim] == Self.hirInBoth {
            states[victim] = Self.nonresident
            lists.pushFront(victim, Self.history)
        } else {
            states[victim] = Self.absent
        }
        sink.evicted(victim, .capacity)
    }

    /// Takes objects off the bottom of S until there is an LIR one.
    mutating func prune() {
        while let last = stack.back(), states[last] != Self.lir {
            leaveStack(last)
            if states[last] == Self.hirInBoth {
                states[last] = Self.hirInQ
            } else {
                lists.remove(last)
                states[last] = Self.absent
            }
        }
    }

    mutating func limitStack() {
        while stacked > stackLimit, let oldest = lists.back(Self.history) {
            lists.remove(oldest)
            leaveStack(oldest)
            states[oldest] = Self.absent
        }
    }

    mutating func leaveStack(_ object: Int) {
        stack.remove(object)
        stacked &-= budget.measure(sizes[object])
    }

    func measure(_ held: Occupancy) -> Int { budget.measure(held) }

    func enter(_ held: inout Occupancy, _ object: Int) {
        held.objects &+= 1
        held.bytes &+= sizes[object]
    }

    func leave(_ held: inout Occupancy, _ object: Int) {
        held.objects &-= 1
        held.bytes &-= sizes[object]
    }

    mutating func nextVictim() -> Int? { lists.back(Self.q) ?? stack.back() }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        let before = occupancy.objects
        while occupancy.objects > 0, occupancy.objects == before { makeRoom(&sink) }
        return before > 0
    }

    /// Evicts the last object of Q, or fills an empty Q from S.
    mutating func makeRoom(_ sink: inout some EvictionSink) {
        if hirHeld.objects > 0 { evictFromQueue(&sink) } else { demoteLast(&sink) }
    }

    mutating func remove(_ object: Int) {
        let state = states[object]
        guard state != Self.absent else { return }
        states[object] = Self.absent
        if state != Self.hirInQ { leaveStack(object) }
        if state != Self.lir { lists.remove(object) }
        if state == Self.lir { leave(&lirHeld, object) } else if state != Self.nonresident { leave(&hirHeld, object) }
        prune()
    }

    mutating func clear() {
        states.reset()
        stack.removeAll()
        lists.removeAll()
        stacked = 0
        lirHeld = Occupancy()
        hirHeld = Occupancy()
    }
}

extension LIRS {
    static let entry = PolicyEntry(
        "lirs", "Objects whose last two accesses were close together stay; all others pass through a small queue.",
        parameters: [
            .limits, .fraction("hir", default: 0.01), .integer("stack", default: 2),
            .compat,
        ]
    ) {
        LIRS(
            try $0.limits(), hir: try $0.fraction("hir"), stack: try $0.integer("stack", in: 0...Int.max),
            compat: try $0.compat())
    }
}
