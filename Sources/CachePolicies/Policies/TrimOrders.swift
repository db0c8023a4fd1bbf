/// The order in which objects leave when a ``Trim`` evicts. An order knows the objects that are held, but not their
/// sizes.
protocol TrimOrder {
    /// Makes room for objects 0 ..< `count`.
    mutating func reserve(_ count: Int)

    func contains(_ object: Int) -> Bool

    /// See ``CachePolicy/prefetch(_:)``.
    func prefetch(_ object: Int)

    /// Whether ``passTime(to:)`` has an effect.
    static var usesTime: Bool { get }

    /// Notes the time, in microseconds. An order that depends on the present time needs it.
    mutating func passTime(to time: Int64)

    /// The object must not be held.
    mutating func insert(_ access: Access)

    /// Inserts an object that was held before the app started. Objects come in the order in which they would leave.
    mutating func restore(_ access: Access, expiration: Int64?)

    /// Notes that a held object is stored again.
    mutating func replace(_ access: Access)

    /// Notes that a held object is read.
    mutating func hit(_ access: Access)

    /// See ``TimedPolicy/noteOuterExpiration(of:at:)``. The object must be held.
    mutating func noteExpiration(of object: Int, at expiration: Int64)

    /// The object that leaves next, or nil if that would be an object that comes now.
    var next: Int? { get }

    /// Removes and returns the object that leaves next, or returns nil if no object is held.
    mutating func removeNext() -> Int?

    /// The object must be held.
    mutating func remove(_ object: Int)

    mutating func removeAll()
}

extension TrimOrder {
    /// Most orders do not depend on the present time.
    static var usesTime: Bool { false }

    @inline(__always) mutating func passTime(to time: Int64) {}
}

/// The object that was stored first, or accessed least recently, leaves first.
struct QueueOrder: TrimOrder {
    private var queue = LinkedQueue()
    let movesOnHit: Bool

    init(movesOnHit: Bool) { self.movesOnHit = movesOnHit }

    mutating func reserve(_ count: Int) { queue.reserve(count) }

    func contains(_ object: Int) -> Bool { queue.contains(object) }

    func prefetch(_ object: Int) { queue.prefetch(object) }

    mutating func insert(_ access: Access) { queue.pushFront(access.object) }

    mutating func restore(_ access: Access, expiration: Int64?) { insert(access) }

    mutating func replace(_ access: Access) { queue.moveToFront(access.object) }

    mutating func noteExpiration(of object: Int, at expiration: Int64) {}

    mutating func hit(_ access: Access) {
        if movesOnHit { queue.moveToFront(access.object) }
    }

    var next: Int? { queue.back() }

    mutating func removeNext() -> Int? {
        guard let oldest = queue.back() else { return nil }
        queue.remove(oldest)
        return oldest
    }

    mutating func remove(_ object: Int) { queue.remove(object) }

    mutating func removeAll() { queue.removeAll() }
}

/// The object that was stored first leaves first. Objects that were read or stored again since the last round have a
/// mark, stay for another round, and keep their place until then. A new object has no mark. If all others have one, the
/// new object leaves itself.
struct ClockOrder: TrimOrder {
    private var queue = LinkedQueue()
    private var marks = UncheckedArray(repeating: false)

    mutating func reserve(_ count: Int) {
        queue.reserve(count)
        marks.reserve(count)
    }

    func contains(_ object: Int) -> Bool { queue.contains(object) }

    func prefetch(_ object: Int) { queue.prefetch(object) }

    mutating func insert(_ access: Access) {
        queue.pushFront(access.object)
        marks[access.object] = false
    }

    mutating func restore(_ access: Access, expiration: Int64?) { insert(access) }

    mutating func noteExpiration(of object: Int, at expiration: Int64) {}

    mutating func replace(_ access: Access) { marks[access.object] = true }

    mutating func hit(_ access: Access) { marks[access.object] = true }

    /// Found without moving the hand: the move would place the objects that it passes behind an object that comes now.
    var next: Int? {
        var candidate = queue.back()
        while let object = candidate, marks[object] { candidate = queue.ahead(of: object) }
        return candidate
    }

    mutating func removeNext() -> Int? {
        while let oldest = queue.back() {
            guard marks[oldest] else {
                queue.remove(oldest)
                return oldest
            }
            marks[oldest] = false
            queue.moveToFront(oldest)
        }
        return nil
    }

    mutating func remove(_ object: Int) { queue.remove(object) }

    mutating func removeAll() { queue.removeAll() }
}

/// The object with the earliest date leaves first: the date of its last access, in units that may be coarse, or its
/// expiration. Of equal dates, the object that was stored first leaves first.
struct DateOrder: TrimOrder {
    enum Date {
        /// Restored objects are older than any that was accessed since.
        case lastAccess(granularity: Int64)
        /// From ``TimedPolicy/noteOuterExpiration(of:at:)``, or from a restored object's file. Objects without one
        /// leave last.
        case expiration
    }

    private var byDate = IndexedHeap(filler: RankAndTie(Int64(0), tie: 0))
    private var stored = 0
    let date: Date

    init(_ date: Date) { self.date = date }

    mutating func reserve(_ count: Int) { byDate.reserve(count) }

    func contains(_ object: Int) -> Bool { byDate.contains(object) }

    func prefetch(_ object: Int) {}

    mutating func insert(_ access: Access) {
        switch date {
        case .lastAccess(let granularity): insert(access.object, access.time / granularity)
        case .expiration: insert(access.object, .max)
        }
    }

    mutating func restore(_ access: Access, expiration: Int64?) {
        switch date {
        case .lastAccess: insert(access.object, .min)
        case .expiration: insert(access.object, expiration ?? .max)
        }
    }

    mutating func hit(_ access: Access) {
        if case .lastAccess(let granularity) = date { update(access.object, access.time / granularity) }
    }

    mutating func replace(_ access: Access) {
        remove(access.object)
        insert(access)
    }

    mutating func noteExpiration(of object: Int, at expiration: Int64) {
        if case .expiration = date { update(object, expiration) }
    }

    var next: Int? { byDate.lowest }

    mutating func removeNext() -> Int? {
        guard let lowest = byDate.lowest else { return nil }
        byDate.remove(lowest)
        return lowest
    }

    mutating func remove(_ object: Int) { byDate.remove(object) }

    mutating func removeAll() {
        byDate.removeAll()
        stored = 0
    }

    private mutating func insert(_ object: Int, _ date: Int64) {
        stored &+= 1
        byDate.insert(object, RankAndTie(date, tie: stored))
    }

    private func update(_ object: Int, _ date: Int64) {
        let old = byDate.key(of: object)
        if old.rank != date { byDate.update(object, to: RankAndTie(date, tie: old.tie)) }
    }
}
