/// Says who leaves first when a ``Trim`` lets objects go. Knows the objects that are held, and nothing of sizes.
protocol TrimOrder {
    /// Makes room for objects 0 ..< `count`.
    mutating func reserve(_ count: Int)

    func contains(_ object: Int) -> Bool

    /// See ``CachePolicy/prefetch(_:)``.
    func prefetch(_ object: Int)

    /// The object must not be held.
    mutating func insert(_ access: Access)

    /// An object that was held before the app was launched. Those that should leave first come first.
    mutating func restore(_ access: Access, expiration: Int64?)

    /// The object is held, and stored again.
    mutating func replace(_ access: Access)

    /// The object is held, and read.
    mutating func hit(_ access: Access)

    /// See ``TimedPolicy/noteOuterExpiration(of:at:)``. The object must be held.
    mutating func noteExpiration(of object: Int, at expiration: Int64)

    /// Who would leave next; nil where that would be the one to come.
    var next: Int? { get }

    /// Removes the one that leaves next, and returns it; nil where nothing is held.
    mutating func removeNext() -> Int?

    /// The object must be held.
    mutating func remove(_ object: Int)

    mutating func removeAll()
}

/// Who was stored first, or accessed least recently.
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

/// Who was stored first, with another round for those that were read, or stored again, meanwhile: they keep their place
/// until their turn comes. A newcomer has no mark. Where everyone else has one, it leaves itself.
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

    /// Found without a step of the hand, which would give those it passes a place behind the one to come.
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

/// Who has the earliest date: that of its last access, in units that may be coarse, or that on which it expires. Of
/// equal dates, who was stored first.
struct DateOrder: TrimOrder {
    enum Date {
        /// Restored objects are older than any that was accessed since.
        case lastAccess(granularity: Int64)
        /// As ``TimedPolicy/noteOuterExpiration(of:at:)`` tells it, or a restored object's file; whoever has none stays longest.
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
