import CachePolicies
import Testing

@Suite("Every policy against its slow twin")
struct SlowTwinTests {
    typealias Pair = (specification: String, twin: any SlowTwin & Sendable)

    static let pairs =
        basicPairs + queuePairs + windowPairs + adaptivePairs + rankedPairs + greedyDualPairs + delayedPairs
        + learnedPairs + futurePairs + admissionPairs + trimPairs + idlePairs

    static let basicPairs: [Pair] = [
        ("lru(4 objects)", SlowQueue(objects: 4)),
        ("lru(20B)", SlowQueue(bytes: 20)),
        ("lru(20B, 3 objects)", SlowQueue(bytes: 20, objects: 3)),
        ("fifo(4 objects)", SlowQueue(objects: 4, movesOnHit: false)),
        ("fifo(20B)", SlowQueue(bytes: 20, movesOnHit: false)),
        ("unbounded", SlowQueue()),
        ("none", SlowQueue(objects: 0)),
        ("nscache(cost: 20B)", SlowQueue(bytes: 20, trimsAfterwards: true)),
        (
            "nscache(cost: 20B, count: 3, model: fifo)",
            SlowQueue(bytes: 20, objects: 3, movesOnHit: false, trimsAfterwards: true)
        ),
        ("nscache(cost: 20B, count: 4, model: corelibs)", SlowCorelibs(bytes: 20, objects: 4)),
        ("ttl(lru(20B), lifetime: 7us)", SlowTTL(inner: SlowQueue(bytes: 20), rules: ExpirationRules(lifetime: 7))),
        (
            "ttl(fifo(4 objects), lifetime: 9us, sweep: 5us, checkOnRead: false)",
            SlowTTL(
                inner: SlowQueue(objects: 4, movesOnHit: false),
                rules: ExpirationRules(lifetime: 9, sweep: 5, checkOnRead: false))
        ),
        (
            "ttl(lru(20B), lifetime: 6us, sweep: 40us, checkOnRead: false, extendOnAccess: true)",
            SlowTTL(
                inner: SlowQueue(bytes: 20),
                rules: ExpirationRules(lifetime: 6, sweep: 40, checkOnRead: false, extendOnAccess: true))
        ),
        (
            "split(thumbnail: lru(9B), full: fifo(2 objects))",
            SlowSplit(thumbnail: SlowQueue(bytes: 9), full: SlowQueue(objects: 2, movesOnHit: false))
        ),
    ]

    /// The registered policies without a slow twin, with the reason.
    static let withoutTwin = [
        "adaptsize": "The twin would repeat the model's arithmetic. AdmissionStories checks what the model achieves."
    ]

    @Test("Every registered policy has a slow twin", arguments: PolicyRegistry.builtIn.entries.map(\.name))
    func coverage(name: String) {
        let hasTwin = Self.pairs.contains { $0.specification == name || $0.specification.hasPrefix("\(name)(") }
        #expect(
            hasTwin || Self.withoutTwin[name] != nil,
            """
            '\(name)' has no slow twin: write the policy again in plain arrays as a SlowTwin, add a pair to one of the \
            lists in `pairs`, or list the policy in `withoutTwin` with the reason
            """)
        #expect(!hasTwin || Self.withoutTwin[name] == nil, "'\(name)' has a slow twin: remove it from `withoutTwin`")
    }

    @Test("Random operations: the same answers, the same victims, the same contents", arguments: pairs)
    func random(specification: String, twin: any SlowTwin & Sendable) throws {
        var random = SeededGenerator(seed: 7)
        try compare(
            specification, twin,
            operations: (0..<20_000).map { _ in
                Operation(object: Int(random.next() % 12), kind: random.next() % 20, step: Int64(random.next() % 3))
            })
    }

    @Test("Every sequence of six accesses to three objects", arguments: pairs)
    func exhaustive(specification: String, twin: any SlowTwin & Sendable) throws {
        for sequence in 0..<729 {
            var rest = sequence
            try compare(
                specification, twin,
                operations: (0..<6).map { _ in
                    defer { rest /= 3 }
                    return Operation(object: rest % 3, kind: 19, step: 2)
                })
        }
    }

    /// More than the 64 that a word of bits knows, so that rings wrap, grow, and close their gaps.
    static let widePairs: [Pair] = [
        ("clock(150 objects)", SlowClock(most: 1, objects: 150)),
        ("clock(400B)", SlowClock(most: 1, bytes: 400)),
        ("clock(400B, 70 objects)", SlowClock(most: 1, bytes: 400, objects: 70)),
        ("sieve(150 objects)", SlowSieve(objects: 150)),
        ("sieve(400B)", SlowSieve(bytes: 400)),
        ("sieve(400B, 70 objects)", SlowSieve(bytes: 400, objects: 70)),
        ("sieve(400B, k: 3)", SlowSieve(most: 3, bytes: 400)),
        ("clock-pro(100 objects)", SlowClockPro(objects: 100)),
        ("fifo-reinsertion(1kB)", SlowClock(most: 1, bytes: 1_000)),
        ("adaptive-climb(150 objects)", SlowClimb(objects: 150)),
        ("adaptive-climb(400B)", SlowClimb(bytes: 400)),
        ("adaptive-climb(400B, 70 objects)", SlowClimb(bytes: 400, objects: 70)),
        (
            "clock2q-plus(150 objects, small: 0.3)",
            SlowWindow(small: 45, ghost: 75, window: 23, threshold: 1, most: 1, objects: 150)
        ),
        (
            "s4fifo(400B, small: 0.4, skip: 0.25, threshold: 1, ghostThreshold: 1)",
            SlowWindow(small: 160, ghost: 360, window: 40, threshold: 1, ghostThreshold: 1, bytes: 400)
        ),
    ]

    @Test(
        "Hundreds of objects, with and without removals", arguments: widePairs + learnedWidePairs + trimWidePairs,
        [0, 2, 40])
    func wide(pair: Pair, removalsInHundred: UInt64) throws {
        var random = SeededGenerator(seed: 11)
        // Most accesses go to some; how many, changes.
        try compare(
            pair.specification, pair.twin, objects: 300,
            operations: (0..<3_000).map { index in
                let range: UInt64 = random.next() % 3 == 0 ? 300 : 40 + UInt64(index / 750) * 60
                let kind = random.next() % 100 < removalsInHundred ? 0 : 1 + random.next() % 19
                return Operation(object: Int(random.next() % range), kind: kind, step: 1)
            })
    }

    struct Operation {
        var object: Int
        /// 0: remove; 1 and 2: admit without a look; else look up, and admit on a miss.
        var kind: UInt64
        /// Microseconds since the operation before.
        var step: Int64
    }

    func compare(
        _ specification: String, _ twin: any SlowTwin, objects: Int = 12, operations: [Operation],
        size: ((Int) -> Int)? = nil
    ) throws {
        var twin = twin
        var policy = try PolicyContext().policy(specification).timed()
        policy.reserve(objects)
        var time: Int64 = 0
        let nexts = nextPositions(operations.map(\.object))
        for (index, operation) in operations.enumerated() {
            time += operation.step
            // Sizes from 1 to 12 by object; object 11 changes its size with time.
            let plainSize = operation.object == 11 ? Int(time % 25) : operation.object % 12 + 1
            let access = Access(
                object: operation.object, size: size?(operation.object) ?? plainSize, time: time,
                variant: UInt8(operation.object % 2), position: index, next: nexts[index])
            var evictions = EvictionList()
            var expected = twin.advance(to: time)
            policy.advance(to: time, &evictions)
            var same = Set(evictions.victims.map(\.object)) == Set(expected)
            evictions = EvictionList()
            switch operation.kind {
            case 0:
                policy.remove(operation.object)
                twin.remove(operation.object)
            case 1, 2:
                _ = policy.admit(access, &evictions)
                same = same && evictions.victims.map(\.object) == twin.admit(access)
            default:
                let found = policy.lookup(access, &evictions)
                same = same && found == twin.lookup(access)
                evictions = EvictionList()
                if found == .miss {
                    expected = twin.admit(access)
                    _ = policy.admit(access, &evictions)
                    same = same && evictions.victims.map(\.object) == expected
                }
            }
            let held = (0..<objects).filter { policy.contains($0) }
            guard same, held == twin.held.sorted(), policy.occupancy.objects == held.count else {
                Issue.record(
                    "\(specification), operation \(index) \(operation): holds \(held), twin \(twin.held.sorted())")
                return
            }
        }
    }
}
