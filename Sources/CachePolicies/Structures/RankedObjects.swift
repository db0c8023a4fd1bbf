/// Objects by a rank that only accesses change and that never falls, with their sizes: the structure of policies that
/// rank every object. The lowest rank leaves first, and of equal ranks the least recently used.
///
/// An access writes the object's record and leaves the heap alone. The heap is corrected when an eviction meets a
/// record that has risen since, see ``IndexedHeap/lowest(byRisen:)``.
///
/// An evicted object stays at the top of the heap until the next call, because most evictions make room for an object
/// that takes its place there: one walk through the heap instead of two.
///
/// Invariant: an object is in the heap exactly if its record's `frequency` is not 0 or it is `evicted`, which is then
/// the lowest; a key there is not above the key of its record.
struct RankedObjects {
    struct Record: BitwiseCopyable {
        var rank = 0.0
        /// On a clock of accesses and admissions.
        var lastAccess = 0
        /// Accesses since admission, with it; 0: not held.
        var frequency = 0
        var size = 0

        var key: RankAndTie<Double> { RankAndTie(rank, tie: lastAccess) }
    }

    var records = UncheckedArray(repeating: Record())
    var byRank = IndexedHeap(filler: RankAndTie(0.0, tie: 0))
    /// The object that was evicted and is still at the top of the heap.
    private var evicted: Int?
    var clock = 0
    let limits: Limits
    var occupancy = Occupancy()

    init(limits: Limits) { self.limits = limits }

    /// See ``CachePolicy/prefetch(_:)``.
    func prefetch(_ object: Int) { records.prefetch(object) }

    func contains(_ object: Int) -> Bool { records[object].frequency != 0 }

    mutating func reserve(_ count: Int) {
        records.reserve(count)
        byRank.reserve(count)
    }

    /// Whether an object of this size could be held if nothing else were.
    func fitsAlone(_ size: Int) -> Bool { limits.fits(size, beside: Occupancy()) }

    func fits(_ size: Int) -> Bool { limits.fits(size, beside: occupancy) }

    /// Notes an access, with the rank that follows from it; false if the object is not held.
    mutating func access(_ object: Int, rank: (Record) -> Double) -> Bool {
        var record = records[object]
        guard record.frequency != 0 else { return false }
        clock &+= 1
        record.frequency &+= 1
        record.lastAccess = clock
        record.rank = rank(record)
        records[object] = record
        return true
    }

    /// Whether the objects exceed the limits, which only an ``insert(_:rank:)`` of an object that does not fit brings
    /// about.
    var isOverfull: Bool { !limits.fits(0, beside: Occupancy(objects: occupancy.objects &- 1, bytes: occupancy.bytes)) }

    /// The object must not be held.
    mutating func insert(_ access: Access, rank: (Record) -> Double) {
        clock &+= 1
        var record = Record(lastAccess: clock, frequency: 1, size: access.size)
        record.rank = rank(record)
        records[access.object] = record
        if evicted != nil {
            byRank.replaceLowest(with: access.object, record.key)
            evicted = nil
        } else {
            byRank.insert(access.object, record.key)
        }
        occupancy.objects &+= 1
        occupancy.bytes &+= access.size
    }

    mutating func lowest() -> Int? {
        settle()
        return byRank.lowest(byRisen: { records[$0].key })
    }

    mutating func lowestRank() -> Double? { lowest().map { records[$0].rank } }

    /// Removes the evicted object from the heap.
    private mutating func settle() {
        guard let object = evicted else { return }
        byRank.remove(object)
        evicted = nil
    }

    /// Evicts the object of the lowest rank, and returns that rank, or nil if there is no object.
    mutating func evictLowest(_ sink: inout some EvictionSink) -> Double? {
        guard let victim = lowest() else { return nil }
        let rank = records[victim].rank
        forget(victim)
        evicted = victim
        sink.evicted(victim, .capacity)
        return rank
    }

    mutating func remove(_ object: Int) {
        guard contains(object) else { return }
        settle()
        byRank.remove(object)
        forget(object)
    }

    private mutating func forget(_ object: Int) {
        occupancy.objects &-= 1
        occupancy.bytes &-= records[object].size
        records[object] = Record()
    }

    mutating func removeAll() {
        records.reset()
        byRank.removeAll()
        evicted = nil
        clock = 0
        occupancy = Occupancy()
    }
}

/// A policy that consists of ``RankedObjects`` and a rule for ranks.
protocol RankedPolicy: VictimOrdered {
    var ranked: RankedObjects { get set }
    /// Forgets everything but the objects.
    mutating func resetRule()
}

extension RankedPolicy {
    var occupancy: Occupancy { ranked.occupancy }

    func contains(_ object: Int) -> Bool { ranked.contains(object) }

    mutating func reserve(_ count: Int) { ranked.reserve(count) }

    func prefetch(_ object: Int) { ranked.prefetch(object) }

    mutating func nextVictim() -> Int? { ranked.lowest() }

    mutating func remove(_ object: Int) { ranked.remove(object) }

    mutating func clear() {
        ranked.removeAll()
        resetRule()
    }
}
