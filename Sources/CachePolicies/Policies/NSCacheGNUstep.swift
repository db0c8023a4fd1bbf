/// NSCache of GNUstep base, for objects with discardable content (`NSDiscardableContent`), with its default settings:
/// read in its source as of 2026, and compared with the class itself, version 1.28.
///
/// Room is made before an object is stored, if its cost would not fit or if the count limit is reached. The class
/// visits objects, least recently used first, and asks each that was read less often than the average, computed as ⌊0.2
/// · mean⌋ + 1, to discard its content, until more than the missing cost is free or all have been asked. A missing
/// place does not end the search. Consequences:
/// - A count limit of 0 is always reached: even without any limit, each store discards content that was never read.
/// - If all objects were read often, nothing leaves, and the limits have no effect.
/// - An object whose content is gone stays in the map without cost. A lookup finds it there, but an app cannot use it:
///   a miss here. Until it is stored again or removed, it counts as an object, and so do its reads.
/// - The cost of an object that is stored again or removed stays forever in the sum that is compared with the cost
///   limit.
///
/// Objects without discardable content are never evicted, whatever the limits: `unbounded`. ``clear()`` here is a new
/// cache; the class's own `removeAllObjects` would keep the costs.
struct GNUstepNSCache: VictimOrdered {
    private static let absent: Int32 = -1

    /// Objects that have their content, in the order of their last accesses.
    private var byAccess = LinkedQueue()
    /// By object: reads since it was stored; `absent` where it is not in the map.
    private var reads = UncheckedArray(repeating: absent)
    private var sizes = SizeTable()
    /// Objects in the map, with content or without, and the sum of their reads.
    private var entries = 0
    private var allReads = 0
    /// The cost of the objects according to the class.
    private var cost = 0
    private(set) var occupancy = Occupancy()
    /// 0: none.
    let costLimit: Int
    let countLimit: Int

    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = countLimit
    }

    func contains(_ object: Int) -> Bool { byAccess.contains(object) }

    mutating func reserve(_ count: Int) {
        byAccess.reserve(count)
        reads.reserve(count)
        sizes.reserve(count)
    }

    func prefetch(_ object: Int) { reads.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        guard reads[access.object] != Self.absent else { return .miss }
        reads[access.object] &+= 1
        allReads &+= 1
        guard byAccess.contains(access.object) else { return .miss }
        byAccess.moveToFront(access.object)
        return .hit
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        makeRoom(for: access.size, &sink)
        byAccess.pushFront(access.object)
        reads[access.object] = 0
        sizes[access.object] = access.size
        entries &+= 1
        cost &+= access.size
        occupancy = occupancy + Occupancy(objects: 1, bytes: access.size)
        return true
    }

    private mutating func makeRoom(for size: Int, _ sink: inout some EvictionSink) {
        var missing = costLimit > 0 ? max(0, cost &+ size &- costLimit) : 0
        guard entries > 0, missing > 0 || entries >= countLimit else { return }
        let average = averageReads
        var next = byAccess.back()
        while let object = next {
            next = byAccess.ahead(of: object)
            guard reads[object] < average else { continue }
            let freed = sizes[object]
            evict(object, &sink)
            if freed > missing { return }
            missing &-= freed
        }
    }

    /// The mean number of reads as the class takes it. Objects that were read less often leave.
    private var averageReads: Int { Int(Double(allReads) / Double(max(1, entries)) * 0.2 + 1) }

    /// Returns the least recently used of the objects that were read less often than the average, or nil if every
    /// object was read as often: the class then evicts nothing.
    func nextVictim() -> Int? {
        let average = averageReads
        var next = byAccess.back()
        while let object = next, reads[object] >= average { next = byAccess.ahead(of: object) }
        return next
    }

    mutating func evictNext(_ sink: inout some EvictionSink) -> Bool {
        guard let victim = nextVictim() else { return false }
        evict(victim, &sink)
        return true
    }

    private mutating func evict(_ object: Int, _ sink: inout some EvictionSink) {
        discard(object)
        cost &-= sizes[object]
        sink.evicted(object, .capacity)
    }

    private mutating func discard(_ object: Int) {
        byAccess.remove(object)
        occupancy.objects &-= 1
        occupancy.bytes &-= sizes[object]
    }

    mutating func remove(_ object: Int) {
        guard reads[object] != Self.absent else { return }
        if byAccess.contains(object) { discard(object) }
        entries &-= 1
        allReads &-= Int(reads[object])
        reads[object] = Self.absent
    }

    mutating func clear() {
        byAccess.removeAll()
        reads.reset()
        (entries, allReads, cost) = (0, 0, 0)
        occupancy = Occupancy()
    }
}
