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
package struct ReuseIntervals: Sendable {
    struct Interval: BitwiseCopyable {
        /// The interval covers the gaps `start` ..< `end`.
        var start, end: UInt32
        var object: UInt32
        /// The room that the object takes at least.
        var size: Int
        /// The cost of a miss at the end. Positive.
        var weight: Int

        /// The number of gaps.
        var length: Int { Int(end &- start) }
    }

    /// An access whose fetch may fail. The nth fetch of `key` succeeds if the nth outcome is true. Fetches after the
    /// last outcome have that one.
    struct DoubtfulAccess: Sendable {
        var access, object, key: Int
        var outcomes: [Bool]
    }

    /// The room in the cache, in the unit of the sizes.
    let capacity: Int
    /// The intervals, in the order of their ends.
    private(set) var all: [Interval] = []
    private(set) var accessCount = 0
    /// The cost of the misses if every request is a miss.
    private(set) var totalWeight = 0
    /// By object: the room that a schedule reserves for it.
    private(set) var reserved: [Int]
    /// The accesses of keys with a failed fetch after their first success, in order.
    private(set) var doubtful: [DoubtfulAccess] = []
    /// By object: its smallest size so far.
    private var smallest: [Int]
    /// By object: its last access, or -1.
    private var lastAccess: [Int]
    /// By key with failed fetches: how many failed so far; -1 after the first success.
    private var firstFailures: [Int: Int] = [:]
    /// Whether the next access is a fetch that fails.
    private var fails = false
    /// The first access after the cache was last emptied.
    private var firstAfterLoss = 0
    /// Larger sizes and weights count as this one. It keeps all sums below 2^63, and makes a bound only looser.
    private let largest: Int

    var gapCount: Int { max(0, accessCount - 1) }

    /// - Parameters:
    ///   - capacity: The room in the cache. A negative one is 0.
    ///   - objectCount: Objects are numbers below this one.
    ///   - accessCount: The number of accesses at most.
    package init(capacity: Int, objectCount: Int, accessCount: Int) {
        self.capacity = max(0, capacity)
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
    package mutating func access(_ object: Int, size: Int, weight: Int) {
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
        lastAccess[object] = fails ? -1 : accessCount
        fails = false
        accessCount += 1
    }

    /// Empties the cache before the next access.
    package mutating func clear() { firstAfterLoss = accessCount }

    /// Removes an object before the next access.
    package mutating func remove(_ object: Int) { lastAccess[object] = -1 }

    /// States that a fetch at the next access may fail.
    ///
    /// Until the first fetch of a key succeeds, every access of it is a fetch, whatever a policy does: nothing can be
    /// kept after it. What fails later depends on what was kept. A bound ignores it; a schedule does not.
    package mutating func doubt(_ object: Int, key: Int, _ outcomes: [Bool]) {
        if let success = outcomes.firstIndex(of: true), outcomes[success...].contains(false) {
            doubtful.append(DoubtfulAccess(access: accessCount, object: object, key: key, outcomes: outcomes))
        }
        let failures = firstFailures[key, default: 0]
        guard failures >= 0 else { return }
        fails = !outcomes[min(failures, outcomes.count - 1)]
        firstFailures[key] = fails ? failures + 1 : -1
    }

    /// Gives the intervals their sizes, and drops the intervals of objects that do not fit.
    package mutating func finish() {
        for index in all.indices { all[index].size = smallest[Int(all[index].object)] }
        all.removeAll { $0.size > capacity }
        for index in all.indices { all[index].size = min(all[index].size, largest) }
    }

    /// Returns the place in ``all`` of the interval that ends at an access; nil if none does.
    ///
    /// - Complexity: O(log n) in the number of intervals.
    func interval(endingAt access: Int) -> Int? {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(all[middle].end) < access { low = middle + 1 } else { high = middle }
        }
        return low < all.count && Int(all[low].end) == access ? low : nil
    }

    /// The greatest common divisor of the weights. The weight of hits is a multiple of it. At least 1.
    var weightDivisor: Int { max(1, all.reduce(0) { greatestCommonDivisor($0, $1.weight) }) }

    /// Whether every schedule of the intervals has the hits that a bound gives it: no fetch after the first success
    /// fails, and no size varies.
    var isCertain: Bool { doubtful.isEmpty && all.allSatisfy { reserved[Int($0.object)] == $0.size } }

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
