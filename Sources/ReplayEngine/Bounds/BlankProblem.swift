/// The inputs of a bound on blank time: visits, delays and sizes by object, and the room that memory and the network
/// have for all objects together. ``BlankCertificate`` has the statement.
///
/// Times are nanoseconds. They are whole numbers below 2^53, so that they are exact.
struct BlankProblem {
    /// The length of a bucket of time. Prices are constant within a bucket.
    var bucket: Double
    /// By bucket: the time in the foreground before it begins. One more than all buckets.
    var foreground: [Double]
    /// By object, and then in order of appearance. The visits of an object do not overlap. The visits of prefetches
    /// take no time.
    var visits: [Visit]
    var objects: [Object]
    /// The bytes that memory holds at most; nil for no limit.
    var memory: Double?
    /// The resource that fetches share; nil if nothing limits them.
    var shared: Resource?
    /// Whether an object that was loaded once is read from disk later.
    var hasDisk: Bool
    /// Whether several loads of an object can be in progress.
    var loadsOverlap = false

    var bucketCount: Int { foreground.count - 1 }

    struct Visit {
        var appeared: Double
        var vanished: Double
        /// The time in the foreground before it appears.
        var before: Double
        /// The time in the foreground while it is visible.
        var visible: Double
        /// The first moment from which on a fetch that is asked for now can use what fetches share.
        var mayBegin: Double
        /// The first moment at which a fetch that is asked for now can end, and the time in the foreground before.
        var fetched: Double
        var fetchedForeground: Double
        /// The first moment at which a read from disk can end, and the time in the foreground before.
        var read: Double
        var readForeground: Double
        /// When memory lost the object last since the visit before; negative if it did not have to.
        var lost = -1.0
        /// Whether the app was relaunched since the visit before.
        var isRelaunched = false
        /// Until when a cell holds the object outside of memory's limit; negative if cells do not.
        var shownUntil = -1.0
    }

    struct Object {
        var visits: Range<Int>
        /// The bytes that it takes in memory; 0 if they are not counted.
        var size: Double
        var fits: Bool
        /// The amount of the shared resource that a fetch takes.
        var demand: Double
    }

    /// The resource that fetches share: the bytes of the link, or the time of connections. All arrays are by bucket.
    struct Resource {
        /// The amount that all fetches together can take.
        var capacity: [Double]
        /// The amount that one fetch can take.
        var most: [Double]
        /// The amount that one fetch can take in a nanosecond.
        var fastest: [Double]
    }
}

/// Prices of the resources that objects compete for, by bucket of time. Blank time is the currency, in nanoseconds.
struct BlankPrices {
    private let bucket: Double
    /// The price of a byte that memory holds throughout the bucket.
    let memory: [Double]
    /// The price of a unit of the resource that fetches share.
    let shared: [Double]
    let hasShared: Bool
    /// The sum of the prices of memory before each bucket. One more than all buckets.
    private let paid: [Double]
    private let least: RangeMinimum?

    /// Rounds the prices of memory down, so that their sums are exact.
    init(_ problem: BlankProblem, memory: [Double], shared: [Double]) {
        bucket = problem.bucket
        let sum = memory.reduce(0, +)
        // The sum has at most 52 bits above this unit.
        let unit = sum > 0 ? Double(sign: .plus, exponent: sum.exponent - 50, significand: 1) : 1
        self.memory = memory.map { ($0 / unit).rounded(.down) * unit }
        var paid = [0.0]
        paid.reserveCapacity(memory.count + 1)
        for price in self.memory { paid.append(paid[paid.count - 1] + price) }
        self.paid = paid
        self.shared = shared
        hasShared = problem.shared != nil && shared.contains { $0 > 0 }
        least = hasShared ? RangeMinimum(shared) : nil
    }

    /// Returns the price of holding a byte from the start of the session until a moment.
    func paid(until time: Double) -> Double {
        let place = min(Int(time / bucket), memory.count - 1)
        return paid[place] + memory[place] * ((time - Double(place) * bucket) / bucket)
    }

    /// Returns the lowest price of the shared resource within a time, and its bucket.
    func leastShared(from start: Double, to end: Double) -> (price: Double, bucket: Int) {
        let last = min(Int(end / bucket), memory.count - 1)
        guard let least else { return (0, last) }
        let place = least.place(in: min(Int(start / bucket), last)...last)
        return (shared[place], place)
    }

    /// Returns the sum of the capacities of memory and of the network, each times its price.
    func payment(_ problem: BlankProblem) -> Double {
        var sum = paid[paid.count - 1] * (problem.memory ?? 0)
        guard hasShared, let capacity = problem.shared?.capacity else { return sum }
        for place in capacity.indices { sum += shared[place] * capacity[place] }
        return sum
    }
}

/// The places of the smallest numbers of all ranges of a list, each in constant time.
///
/// - Complexity: O(n log n) in time and memory to make it.
private struct RangeMinimum {
    private let values: [Double]
    /// `levels[e][i]` is the index of the smallest of the 2^e numbers from `i` on.
    private let levels: [[Int32]]

    init(_ values: [Double]) {
        self.values = values
        var levels = [values.indices.map { Int32($0) }]
        var width = 1
        while width * 2 <= values.count {
            let last = levels[levels.count - 1]
            levels.append(
                (0...values.count - width * 2).map { place in
                    let (one, other) = (last[place], last[place + width])
                    return values[Int(other)] < values[Int(one)] ? other : one
                })
            width *= 2
        }
        self.levels = levels
    }

    func place(in range: ClosedRange<Int>) -> Int {
        let exponent = Int.bitWidth - 1 - range.count.leadingZeroBitCount
        let one = Int(levels[exponent][range.lowerBound])
        let other = Int(levels[exponent][range.upperBound + 1 - (1 << exponent)])
        return values[other] < values[one] ? other : one
    }
}

/// The cheapest way in which a fetch takes what it needs of what fetches share, in a growing window of time.
struct CheapestShare {
    struct Part {
        var price: Double
        var amount: Double
        var bucket: Int
    }

    /// The cheapest first.
    private(set) var parts: [Part] = []
    private(set) var cost = 0.0
    private var amount = 0.0

    mutating func reset() {
        parts.removeAll(keepingCapacity: true)
        (cost, amount) = (0, 0)
    }

    /// Adds a part, and removes what exceeds the demand from the dearest ones.
    mutating func add(_ part: Part, demand: Double) {
        insert(part)
        cost += part.amount * part.price
        amount += part.amount
        while amount > demand, let last = parts.last {
            let excess = min(amount - demand, last.amount)
            cost -= excess * last.price
            amount -= excess
            if excess < last.amount {
                parts[parts.count - 1].amount -= excess
                return
            }
            parts.removeLast()
        }
    }

    /// Takes amounts from the dearest part, at a lower price. Returns how much; 0 if no part is dearer. The caller
    /// inserts the new part.
    mutating func replaceDearest(by price: Double, most: Double) -> Double {
        guard let last = parts.last, last.price > price else { return 0 }
        let replaced = min(last.amount, most)
        cost += replaced * (price - last.price)
        if replaced < last.amount { parts[parts.count - 1].amount -= replaced } else { parts.removeLast() }
        return replaced
    }

    /// Inserts a part that is counted already.
    mutating func insert(_ part: Part) {
        var place = parts.count
        while place > 0, parts[place - 1].price > part.price { place -= 1 }
        parts.insert(part, at: place)
    }
}
