/// NSCache of GNUstep base, for objects with discardable content (`NSDiscardableContent`), as left by default: read in
/// its source as of 2026, and held against the class itself, of version 1.28.
///
/// Room is made before an object is stored, if its cost would not fit or if as many objects are held as the count limit
/// allows. Objects are gone through, least recently used first, and each that was read less often than the average,
/// taken as ⌊0.2 · mean⌋ + 1, is told to discard its content, until more than the missing cost is free, or all have
/// been asked: a missing place is no reason to stop. Consequences:
/// - A count limit of 0 is always reached: even without any limit, each store has content discarded that was never
///   read.
/// - Where all were read often, nothing leaves, and the limits mean nothing.
/// - An object whose content is gone stays in the map without cost. It is found there, of no use to an app: a miss
///   here. It still counts as an object, and so do its reads, until it is stored again or removed.
/// - An object that is stored again or removed leaves its cost behind for ever, in the sum that is compared with the
///   cost limit.
///
/// Objects without discardable content are never evicted, whatever the limits: `unbounded`. ``removeAll()`` here is a
/// new cache; the class's own `removeAllObjects` would keep the costs.
struct GNUstepNSCache: CachePolicy {
    private static let absent: Int32 = -1

    /// Objects that have their content, in the order of their last accesses.
    private var byAccess = LinkedQueue()
    /// By object: reads since it was stored; `absent` where it is not in the map.
    private var reads = Column(repeating: absent)
    private var sizes = ObjectSizes()
    /// Objects in the map, with content or without, and the sum of their reads.
    private var entries = 0
    private var allReads = 0
    /// What the class believes that its objects cost.
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
        let average = Int(Double(allReads) / Double(entries) * 0.2 + 1)
        var next = byAccess.back()
        while let object = next {
            next = byAccess.ahead(of: object)
            guard reads[object] < average else { continue }
            let freed = sizes[object]
            discard(object)
            cost &-= freed
            sink.evicted(object, .capacity)
            if freed > missing { return }
            missing &-= freed
        }
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

    mutating func removeAll() {
        byAccess.removeAll()
        reads.reset()
        (entries, allReads, cost) = (0, 0, 0)
        occupancy = Occupancy()
    }
}
