/// The times for which a cache has to keep an object so that its next request is a hit.
///
/// Accesses are numbered 0, 1, 2 … in the order of the trace. *Gap* k is the time between the accesses k and k + 1. An
/// *interval* is a pair of consecutive accesses of one object. Its end is a request, the object fits into the cache,
/// and nothing empties the cache or removes the object in between. An object enters a cache only at an access of it, so
/// a request is a hit only if the cache keeps the object through all gaps of the interval that ends at the request.
///
/// Fill in the accesses in order, and call ``finish()``.
///
/// An object whose size varies takes its smallest size in a bound, and its largest one in a schedule.
struct ReuseIntervals: Sendable {
    struct Interval: BitwiseCopyable {
        /// The interval covers the gaps `start` ..< `end`.
        var start, end: UInt32
        var object: UInt32
        /// The room that the object takes at least.
        var size: Int
        /// What a miss at the end costs. Positive.
        var weight: Int

        /// The number of gaps.
        var length: Int { Int(end &- start) }
    }

    /// The room in the cache, in the unit of the sizes.
    let capacity: Int
    /// The intervals, in the order of their ends.
    private(set) var all: [Interval] = []
    private(set) var accessCount = 0
    /// What the misses cost if every request is a miss.
    private(set) var totalWeight = 0
    /// By object: the room that a schedule reserves for it; `Int.max` if no schedule can rely on its fetches.
    private(set) var reserved: [Int]
    /// By object: its smallest size so far.
    private var smallest: [Int]
    /// By object: its last access, or -1.
    private var lastAccess: [Int]
    /// The first access after the cache was last emptied.
    private var firstAfterLoss = 0
    /// Larger sizes and weights count as this one. It keeps all sums below 2^63, and makes a bound only looser.
    private let largest: Int

    var gapCount: Int { max(0, accessCount - 1) }

    /// - Parameters:
    ///   - capacity: The room in the cache. A negative one is 0.
    ///   - objectCount: Objects are numbers below this one.
    ///   - accessCount: The number of accesses at most.
    init(capacity: Int, objectCount: Int, accessCount: Int) {
        // Below the mark of objects whose fetches may fail.
        self.capacity = min(max(0, capacity), .max - 1)
        largest = Int.max / (accessCount + 1)
        reserved = Array(repeating: 0, count: objectCount)
        smallest = Array(repeating: .max, count: objectCount)
        lastAccess = Array(repeating: -1, count: objectCount)
        all.reserveCapacity(accessCount)
    }

    /// Adds an access.
    ///
    /// - Parameters:
    ///   - object: The object's number.
    ///   - size: The room that the object takes after this access.
    ///   - weight: What a miss costs; 0 for a prefetch.
    mutating func access(_ object: Int, size: Int, weight: Int) {
        let weight = min(max(0, weight), largest)
        smallest[object] = min(smallest[object], max(0, size))
        reserved[object] = max(reserved[object], size)
        let last = lastAccess[object]
        if weight > 0, last >= firstAfterLoss {
            all.append(
                Interval(
                    start: UInt32(last), end: UInt32(accessCount), object: UInt32(object), size: 0, weight: weight))
        }
        totalWeight += weight
        lastAccess[object] = accessCount
        accessCount += 1
    }

    /// Empties the cache before the next access.
    mutating func clear() { firstAfterLoss = accessCount }

    /// Removes an object before the next access.
    mutating func remove(_ object: Int) { lastAccess[object] = -1 }

    /// States that a fetch of an object may fail. A bound ignores it; a schedule does not keep the object.
    mutating func distrust(_ object: Int) { reserved[object] = .max }

    /// Gives the intervals their sizes, and drops those of objects that do not fit.
    mutating func finish() {
        for index in all.indices { all[index].size = smallest[Int(all[index].object)] }
        all.removeAll { $0.size > capacity }
        for index in all.indices { all[index].size = min(all[index].size, largest) }
    }

    /// By gap: the sum of the sizes of all intervals that cover it.
    var loads: [Int] {
        var loads = [Int](repeating: 0, count: accessCount)
        for interval in all {
            loads[Int(interval.start)] += interval.size
            loads[Int(interval.end)] -= interval.size
        }
        var load = 0
        for gap in loads.indices {
            load += loads[gap]
            loads[gap] = load
        }
        return Array(loads.prefix(gapCount))
    }
}
