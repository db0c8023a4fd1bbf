import Basics

/// W-TinyLFU as libCacheSim has it: `w-tinylfu(compat: libcachesim)`.
///
/// It differs from ``WTinyLFU`` in the requests that it counts, in the sketch, and in the evictions:
/// - A request is counted at an admission, at a hit in the main region, and for each object that leaves the window, won
///   or lost. A hit in the window is not counted.
/// - The sketch is a ``CountingBloomFilter`` of 10 hashes and 14.4 counters for each object of the main region. It is
///   halved after 32 hits in the main region for each object that the main region can hold.
/// - Objects leave the window only when the whole is full. They pass while the main region has room; after that, one
///   that was requested more often than the next victim replaces it, and others leave. With `compat:
///   libcachesim-2024-10`, evictions continue after a replacement until an object leaves the window or the window is
///   empty.
/// - The main region is libCacheSim's SLRU of two segments, 1:4. An object enters the lower segment that has room. What
///   sinks from the upper into the full lower one pushes objects out.
/// - Objects larger than the window or the lower segment are refused: all objects, below a capacity of 100.
///
/// libCacheSim hashes the ids of the trace; here the numbers of objects are hashed, from 0 in order of first use.
/// Counts therefore equal libCacheSim's for a trace whose ids number the objects by first use. For other
/// ids they differ by chance.
///
/// Looking for a victim counts requests, so the policy cannot name its next victim.
struct WTinyLFULibCacheSim: CachePolicy {
    private static let window = 0, lower = 1, upper = 2
    /// The largest capacity, in objects or bytes. The sketch takes 58 bytes for each.
    static let largestCapacity = 1 << 24

    private var queues = QueueSet(queues: 3)
    private var sketch: CountingBloomFilter
    private let budget: Budget
    private let windowCapacity: Int
    private let mainCapacity: Int
    private let lowerCapacity: Int
    private let upperCapacity: Int
    private let stopsAfterReplacement: Bool
    /// The hits in the main region since the sketch was halved.
    private var mainHits = 0

    /// Creates a policy whose capacity is at most ``largestCapacity``.
    init(_ limits: Limits, window: Double, compat: Compatibility) {
        budget = Budget(limits)
        windowCapacity = budget.share(window)
        mainCapacity = budget.capacity - windowCapacity
        lowerCapacity = Int(1.0 / 5 * Double(mainCapacity))
        upperCapacity = Int(4.0 / 5 * Double(mainCapacity))
        stopsAfterReplacement = compat == .libCacheSim
        // Its memory is reserved with the memory of the objects, so that a policy that never runs costs none.
        sketch = CountingBloomFilter(entries: mainCapacity)
    }

    var occupancy: Occupancy {
        queues.occupancy(of: Self.window) + queues.occupancy(of: Self.lower) + queues.occupancy(of: Self.upper)
    }

    func contains(_ object: Int) -> Bool { queues.place(of: object) != QueueSet.nowhere }

    mutating func reserve(_ count: Int) {
        queues.reserve(count)
        sketch.reserve()
    }

    func prefetch(_ object: Int) { queues.prefetch(object) }

    mutating func lookup(_ access: Access, _ sink: inout some EvictionSink) -> Lookup {
        let place = queues.place(of: access.object)
        switch place {
        case Self.window:
            queues.moveToFront(access.object, place)
            return .hit
        case Self.upper: queues.moveToFront(access.object, place)
        case Self.lower:
            queues.moveToFront(access.object, Self.upper)
            cool(&sink)
        default: return .miss
        }
        sketch.record(access.object)
        mainHits &+= 1
        if mainHits >= 32 &* mainCapacity {
            mainHits = 0
            sketch.halve()
        }
        return .hit
    }

    /// Moves what exceeds the upper segment to the lower one, and evicts what then exceeds that.
    private mutating func cool(_ sink: inout some EvictionSink) {
        while held(Self.upper) > upperCapacity, let oldest = queues.back(Self.upper) {
            queues.moveToFront(oldest, Self.lower)
            while held(Self.lower) > lowerCapacity, let victim = queues.back(Self.lower) { evict(victim, &sink) }
        }
    }

    mutating func admit(_ access: Access, _ sink: inout some EvictionSink) -> Bool {
        remove(access.object)
        let size = budget.measure(access.size)
        guard budget.fitsAlone(access.size), size <= windowCapacity, size <= lowerCapacity else { return false }
        while !budget.fits(access.size, beside: occupancy), occupancy.objects > 0 { makeRoom(&sink) }
        queues.pushFront(access.object, size: access.size, Self.window)
        sketch.record(access.object)
        return true
    }

    /// Evicts at least one object, unless the policy is empty.
    private mutating func makeRoom(_ sink: inout some EvictionSink) {
        while let candidate = queues.back(Self.window) {
            var isDone = false
            if held(Self.lower) &+ held(Self.upper) &+ measure(candidate) <= mainCapacity {
                enterMain(candidate, &sink)
            } else if let victim = mainVictim, sketch.estimate(candidate) > sketch.estimate(victim) {
                evict(victim, &sink)
                enterMain(candidate, &sink)
                isDone = stopsAfterReplacement
            } else {
                evict(candidate, &sink)
                isDone = true
            }
            sketch.record(candidate)
            if isDone { return }
        }
        if let victim = mainVictim { evict(victim, &sink) }
    }

    private mutating func enterMain(_ object: Int, _ sink: inout some EvictionSink) {
        let size = measure(object)
        if held(Self.lower) &+ size <= lowerCapacity { return queues.moveToFront(object, Self.lower) }
        if held(Self.upper) &+ size <= upperCapacity { return queues.moveToFront(object, Self.upper) }
        while held(Self.lower) &+ held(Self.upper) &+ size > mainCapacity, let victim = mainVictim {
            evict(victim, &sink)
        }
        queues.moveToFront(object, Self.lower)
    }

    private var mainVictim: Int? { queues.back(Self.lower) ?? queues.back(Self.upper) }

    private func held(_ queue: Int) -> Int { queues.held(queue, budget) }

    private func measure(_ object: Int) -> Int { budget.measure(queues.size(of: object)) }

    private mutating func evict(_ object: Int, _ sink: inout some EvictionSink) {
        queues.remove(object)
        sink.evicted(object, .capacity)
    }

    mutating func remove(_ object: Int) {
        if contains(object) { queues.remove(object) }
    }

    mutating func clear() {
        queues.removeAll()
        sketch.removeAll()
        mainHits = 0
    }
}

/// A counting Bloom filter of 32-bit counters, as libCacheSim dimensions and addresses it: for one estimate in 1,000
/// that is too high, with xxHash's 64-bit function for two hashes, of which the others are sums.
struct CountingBloomFilter {
    private static let hashes: UInt32 = 10
    /// -ln(0.001) / ln(2)², with libCacheSim's decimals.
    private static let countersPerEntry = 6.907755278982137 / 0.480453013918201

    private var counters: UncheckedArray<UInt32>
    private let count: UInt32

    /// `entries` is at most 2^24.
    init(entries: Int) {
        let needed = (Self.countersPerEntry * Double(entries)).rounded(.up)
        count = needed < Double(Self.hashes) ? 2 * Self.hashes : UInt32(needed)
        counters = UncheckedArray(repeating: 0)
    }

    /// Reserves the memory of all counters, which precedes every other call.
    mutating func reserve() { counters.reserve(Int(count)) }

    func estimate(_ object: Int) -> UInt32 {
        let (first, second) = Self.hashes(of: object)
        return (0..<Self.hashes).reduce(UInt32.max) {
            min($0, counters[Int((first &+ $1 &* second) % count)])
        }
    }

    mutating func record(_ object: Int) {
        let (first, second) = Self.hashes(of: object)
        for index in 0..<Self.hashes { counters[Int((first &+ index &* second) % count)] &+= 1 }
    }

    mutating func halve() {
        for index in 0..<Int(count) { counters[index] &>>= 1 }
    }

    mutating func removeAll() { counters.reset() }

    private static func hashes(of object: Int) -> (UInt32, UInt32) {
        let id = UInt64(truncatingIfNeeded: object)
        return (
            UInt32(truncatingIfNeeded: XXHash64.hash(id, seed: 0x1234_5678)),
            UInt32(truncatingIfNeeded: XXHash64.hash(id, seed: 0x1234_4321))
        )
    }
}
