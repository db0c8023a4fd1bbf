/// The object with the highest product of age and size leaves first: the time since its last access, in whole units,
/// times its bytes and ``overhead``. Of equal products, the object that was stored first leaves first.
///
/// Chromium orders its disk cache in this way (`SimpleIndex::StartEvictionIfNeeded`), in whole seconds. A small object
/// without reads can outlive a large one that was read more recently. An object that was accessed in the present unit
/// of time has the product 0.
///
/// The products grow at different speeds, so that no order of the objects lasts. A trim that evicts one object looks
/// through all of them, and a trim that evicts several sorts them once.
struct AgeSizeOrder: TrimOrder {
    /// The bytes that Chromium adds to the size of each entry.
    static let overhead = 512

    private struct Record: BitwiseCopyable {
        /// In units since the start of the trace.
        var lastAccess: Int64 = 0
        var size = 0
    }

    /// In the order of storing, the oldest at the back.
    private var queue = LinkedQueue()
    private var records = UncheckedArray(repeating: Record())
    private let granularity: Int64
    /// In units.
    private var now: Int64 = 0
    /// The objects of a trim in progress, the next victim at the end.
    private var ranking: [Int] = []
    /// Whether the last call has removed an object: a trim is in progress.
    private var isTrimming = false

    /// - Parameter granularity: The unit of dates, in microseconds.
    init(granularity: Int64) { self.granularity = granularity }

    mutating func reserve(_ count: Int) {
        queue.reserve(count)
        records.reserve(count)
    }

    func contains(_ object: Int) -> Bool { queue.contains(object) }

    func prefetch(_ object: Int) { queue.prefetch(object) }

    static var usesTime: Bool { true }

    mutating func passTime(to time: Int64) {
        now = max(now, time / granularity)
        endTrim()
    }

    mutating func insert(_ access: Access) {
        passTime(to: access.time)
        queue.pushFront(access.object)
        records[access.object] = Record(lastAccess: access.time / granularity, size: access.size)
    }

    mutating func restore(_ access: Access, expiration: Int64?) { insert(access) }

    mutating func replace(_ access: Access) {
        queue.remove(access.object)
        insert(access)
    }

    mutating func hit(_ access: Access) {
        passTime(to: access.time)
        records[access.object].lastAccess = access.time / granularity
    }

    mutating func noteExpiration(of object: Int, at expiration: Int64) {}

    var next: Int? {
        if let last = ranking.last { return last }
        guard var best = queue.back() else { return nil }
        var highest = product(best)
        var candidate = queue.ahead(of: best)
        while let object = candidate {
            let product = product(object)
            if highest < product { (best, highest) = (object, product) }
            candidate = queue.ahead(of: object)
        }
        return best
    }

    mutating func removeNext() -> Int? {
        if isTrimming, ranking.isEmpty { rank() }
        guard let victim = next else { return nil }
        queue.remove(victim)
        if !ranking.isEmpty { ranking.removeLast() }
        isTrimming = true
        return victim
    }

    mutating func remove(_ object: Int) {
        endTrim()
        queue.remove(object)
    }

    mutating func removeAll() {
        endTrim()
        queue.removeAll()
        now = 0
    }

    private mutating func endTrim() {
        isTrimming = false
        if !ranking.isEmpty { ranking.removeAll(keepingCapacity: true) }
    }

    /// Sorts all objects, the next victim to the end.
    private mutating func rank() {
        var found: [(object: Int, product: Product, place: Int)] = []
        var candidate = queue.back()
        while let object = candidate {
            found.append((object, product(object), found.count))
            candidate = queue.ahead(of: object)
        }
        found.sort { one, other in
            one.product < other.product || !(other.product < one.product) && one.place > other.place
        }
        ranking = found.map(\.object)
    }

    private func product(_ object: Int) -> Product {
        let record = records[object]
        // A restored object can have a date that was rounded up.
        let age = UInt64(max(0, now &- record.lastAccess))
        let (high, low) = age.multipliedFullWidth(by: UInt64(max(0, record.size)) &+ UInt64(Self.overhead))
        return Product(high: high, low: low)
    }

    /// A product of two numbers of 64 bits.
    private struct Product: Comparable {
        var high: UInt64
        var low: UInt64

        static func < (one: Self, other: Self) -> Bool {
            one.high < other.high || one.high == other.high && one.low < other.low
        }
    }
}
