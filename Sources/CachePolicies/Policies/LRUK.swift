/// The object whose k-th last access is longest ago leaves first. With k = 2, objects that were requested only once
/// leave before objects that were requested twice. Access times are remembered for a while after an object has left.
///
/// Elizabeth J. O'Neil, Patrick E. O'Neil and Gerhard Weikum: The LRU-K Page Replacement Algorithm For Database Disk
/// Buffering, SIGMOD 1993. HIST, LAST and the correlated reference period are the paper's; time is counted in accesses,
/// as there.
/// - `correlated`: accesses to an object that are at most so far apart count as one, and it does not leave so soon
///   after an access (unless no other can).
/// - `retained`: the share of the capacity up to which the histories of evicted objects are kept, measured by their
///   sizes; the object that left first is forgotten first. The paper keeps histories for a period of time, which bounds
///   no memory.
/// - Among objects with fewer than k accesses, as for the paper's subsidiary policy, the least recently used leaves
///   first.
///
/// The history of an object that returns is not forgotten while victims are chosen for it. An object that is admitted
/// again while it is held keeps its history.
struct LRUK: VictimOrdered {
    static let absent: UInt8 = 0, resident: UInt8 = 1, remembered: UInt8 = 2

    let budget: Budget
    let k: Int
    let correlated: Int
    let retained: Int
    var states = UncheckedArray<UInt8>(repeating: Self.absent)
    var sizes = UncheckedArray<Int>(repeating: 0)
    /// HIST: k times for each object, the latest first; 0 where there was no such access.
    var times = UncheckedArray<Int>(repeating: 0)
    /// LAST: the last access, correlated or not.
    var last = UncheckedArray<Int>(repeating: 0)
    /// Residents by HIST(k), then LAST. Both only rise: an entry may be out of date until it is the lowest.
    var heap = IndexedHeap(filler: RankAndTie(0, tie: 0))
    /// Evicted objects, the latest in front.
    var memory = LinkedQueue()
    var memorized = Occupancy()
    /// Scratch space: objects that were accessed too recently to leave.
    var spared = UncheckedArray<UInt32>(repeating: 0)
    var occupancy = Occupancy()
    var clock = 1
    /// The latest time that was noted: no two accesses share one.
    var noted = 0

    init(_ limits: Limits, k: Int = 2, correlated: Int = 0, retained: Double = 1) {
        budget = Budget(limits)
        self.k = k
        self.correlated = correlated
        self.retained = budget.share(retained)
    }

    func contains(_ object: Int) -> Bool { states[object] == Self.resident }

    mutating func reserve(_ count: Int) {
        states.reserve(count)
        sizes.reserve(count)
        times.reserve(count * k)
        last.reserve(count)
        heap.reserve(count)
        memory.reserve(count)
        spared.reserve(count)
    }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        clock &+= 1
        let object = access.object
        guard states[object] == Self.resident else { return .miss }
        let now = note()
        let previous = last[object]
        last[object] = now
        if now &- previous > correlated {
            let first = object &* k
            shift(object, by: previous &- times[first])
            times[first] = now
        }
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        let object = access.object
        let state = states[object]
        remove(object)
        guard budget.fitsAlone(access.size) else { return false }
        while !budget.fits(access.size, beside: occupancy), evictNext(&sink) {}
        if state != Self.resident {
            if state == Self.remembered { shift(object, by: 0) } else { clearHistory(object) }
            let now = note()
            times[object &* k] = now
            last[object] = now
        }
        states[object] = Self.resident
        sizes[object] = access.size
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
        insert(object)
        return true
    }

    /// HIST(i) becomes HIST(i - 1), moved by the length of the correlated accesses that ended.
    func shift(_ object: Int, by period: Int) {
        let base = times.base + object &* k
        var index = k &- 1
        while index > 0 {
            base[index] = base[index &- 1] == 0 ? 0 : base[index &- 1] &+ period
            index &-= 1
        }
    }

    func clearHistory(_ object: Int) {
        (times.base + object &* k).update(repeating: 0, count: k)
    }

    mutating func note() -> Int {
        if noted == clock { clock &+= 1 }
        noted = clock
        return clock
    }

    mutating func insert(_ object: Int) {
        heap.insert(object, rank(object))
    }

    /// HIST(k), then LAST.
    func rank(_ object: Int) -> RankAndTie<Int> { RankAndTie(times[object &* k &+ k &- 1], tie: last[object]) }

    mutating func nextVictim() -> Int? {
        var count = 0
        var found: Int?
        while found == nil, let object = heap.lowest(byRisen: rank) {
            if clock &- last[object] > correlated {
                found = object
            } else {
                heap.remove(object)
                spared[count] = UInt32(truncatingIfNeeded: object)
                count &+= 1
            }
        }
        for index in 0..<count { insert(Int(spared[index])) }
        return found ?? (count > 0 ? Int(spared[0]) : nil)
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        remove(victim)
        states[victim] = Self.remembered
        memory.pushFront(victim)
        memorized.objects &+= 1
        memorized.bytes &+= sizes[victim]
        while budget.measure(memorized) > retained, let oldest = memory.back() { remove(oldest) }
        sink.evicted(victim, .capacity)
        return true
    }

    mutating func remove(_ object: Int) {
        switch states[object] {
        case Self.resident:
            heap.remove(object)
            occupancy.objects &-= 1
            occupancy.bytes &-= sizes[object]
        case Self.remembered:
            memory.remove(object)
            memorized.objects &-= 1
            memorized.bytes &-= sizes[object]
        default: return
        }
        states[object] = Self.absent
    }

    mutating func clear() {
        states.reset()
        heap.removeAll()
        memory.removeAll()
        memorized = Occupancy()
        occupancy = Occupancy()
        clock = 1
        noted = 0
    }
}

extension LRUK {
    static let entry = PolicyEntry(
        "lru-k", "The object whose k-th last access is longest ago leaves first.",
        parameters: [
            .limits, .integer("k", default: 2), .integer("correlated", default: 0), .fraction("retained", default: 1),
        ]
    ) {
        LRUK(
            try $0.limits(), k: try $0.integer("k", in: 1...64),
            correlated: try $0.integer("correlated", in: 0...Int.max), retained: try $0.fraction("retained"))
    }
}
